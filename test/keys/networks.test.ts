import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readKeyDetail } from '../../src/keys/overview.ts'
import { findKey } from '../../src/keys/records.ts'
import { createToken, hashToken } from '../../src/lib/key-format.ts'
import { openAdmitted } from '../support/raw.ts'
import { type Service, startService } from '../support/service.ts'

const PROXY = { env: { TRUST_PROXY: '1', PUBLIC_URL: 'https://v.example' } }

const getFrom = async ({ url }: Service, token: string, address: string, path = '/workspace') => {
  const response = await fetch(url + path, {
    headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': address, 'user-agent': 'curl/8.5' },
  })
  return { status: response.status, headers: response.headers, body: await response.text() }
}

const workspaceOf = async ({ operator }: Service, id: string) =>
  (await operator.read((tx) => findKey(tx, id)))?.workspaceId ?? ''

/** As `src/connections` stores one. */
const addAccessToken = async ({ operator, time }: Service, keyId: string) => {
  const token = createToken()
  const expiresAt = new Date(time.now + 3_600_000).toISOString()
  await operator.transaction((tx) =>
    tx.run(
      `INSERT INTO connection_tokens (hash, key_id, kind, expires_at) VALUES (?, ?, 'access', ?)`,
      ...[hashToken(token), keyId, expiresAt],
    ),
  )
  return token
}

test('a key is refused from other networks like an unknown key, without using its quota', async (t) => {
  const service = await startService(t, { ...PROXY })
  const { createKey, operator, untilRecorded } = service
  const quota = { limit: 5, windowSeconds: 60 }
  const { token, id } = await createKey({ quota, networks: ['203.0.113.7/24', '2001:DB8::/32'] })

  const within = await getFrom(service, token, '203.0.113.99')
  assert.equal(within.status, 200)
  const unknown = await getFrom(service, createToken(), '203.0.113.99')
  for (const address of ['198.51.100.4', '2001:db9::1', '::ffff:198.51.100.4']) {
    const refused = await getFrom(service, token, address)
    assert.equal(refused.status, 401)
    const withoutInstance = (body: string) => body.replace(/"(instance|requestId)":"[^"]*",?/g, '')
    assert.equal(withoutInstance(refused.body), withoutInstance(unknown.body))
    assert.equal(refused.headers.get('www-authenticate'), unknown.headers.get('www-authenticate'))
    assert.equal(refused.headers.get('ratelimit-remaining'), null)
  }
  for (const address of ['::ffff:203.0.113.8', '2001:db8:1::5'])
    assert.equal((await getFrom(service, token, address)).status, 200)
  assert.equal((await service.store.quotaInUse(id, quota))?.used, 3, 'refused requests are not counted')

  await untilRecorded({ requests: 6 })
  const workspaceId = await workspaceOf(service, id)
  const time = { nowMs: service.time.now, timezone: 'UTC' }
  const detail = await operator.read((tx) => readKeyDetail(tx, workspaceId, id, time))
  assert.equal(detail?.useCount, 3, 'nor do they appear as uses')
  assert.deepEqual(detail?.days.at(-1), { day: '2026-11-15', served: 3, refused: { network: 3 } })
  assert.ok(detail?.callers.every(({ address }) => address !== '198.51.100.4'))
  assert.match(detail?.lastOutside?.from ?? '', /curl\/8\.5 at 198\.51\.100\.4/)
})

test('networks are checked again after the body has arrived', async (t) => {
  const service = await startService(t)
  const { token, id } = await service.createKey({ networks: ['127.0.0.0/8'] })
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const post = async (networks: string[]) => {
    const connection = await openAdmitted(service.url, token, body.length)
    await service.keys.update(id, { networks })
    connection.write(body)
    return (await connection.next()).status
  }
  assert.equal(await post(['127.0.0.1']), 200)
  assert.equal(await post(['203.0.113.0/24']), 401)
})

test('access tokens of one connection share its quota and networks, even at the same moment', async (t) => {
  const service = await startService(t, { ...PROXY })
  const quota = { limit: 20, windowSeconds: 60 }
  const newKey = {
    label: 'x',
    permissions: ['workspace:read'],
    quota,
    expiresAt: null,
    networks: ['203.0.113.0/24'],
  }
  const { key } = await service.keys.create('acme', newKey, { id: 'client', host: 'claude.ai' })
  const tokens = await Promise.all([1, 2, 3].map(() => addAccessToken(service, key.id)))
  const asked = tokens.flatMap((token) => ['203.0.113.1', '203.0.113.1', '198.51.100.4'].map((from) => [token, from]))
  const responses = await Promise.all(asked.map(([token = '', from = '']) => getFrom(service, token, from)))
  assert.deepEqual(
    responses.map(({ status }) => status),
    asked.map(([, from]) => (from === '198.51.100.4' ? 401 : 200)),
  )
  const left = responses.flatMap(({ headers }) => headers.get('ratelimit-remaining') ?? [])
  assert.deepEqual(
    left.map(Number).sort((a, b) => b - a),
    [19, 18, 17, 16, 15, 14],
    'each was counted once',
  )
  await service.untilRecorded({ requests: 9 })
})
