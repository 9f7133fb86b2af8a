import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openPublicStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { createToken, hashToken } from '../../src/lib/key-format.ts'
import { resources } from '../../src/resources/index.ts'
import { archiveWorkspace, restoreWorkspace } from '../support/changes.ts'
import { ANA, connector, GRANT, granted } from '../support/connector.ts'
import { startReplica } from '../support/replica.ts'
import { NOON, startService } from '../support/service.ts'
import { QUOTA } from '../support/stores.ts'

const PUBLIC_URL = 'https://vitrine.example'
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

async function start(t: TestContext) {
  const service = await startService(t, { env: { PUBLIC_URL } })
  await service.addMember(ANA, 'owner')
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  return {
    ...service,
    ...connector(service.operator, service.time),
    ask: (token: string, path = '/tasks') => service.get(path, bearer(token)),
    status: async (token: string) => {
      const rest = (await service.get('/tasks', bearer(token))).status
      for (const path of ['/mcp', '/v1/mcp', '/v2/mcp'])
        assert.equal((await service.rpc(LIST, bearer(token), path)).status, rest, path)
      return rest
    },
  }
}

test('an access token works wherever a key works, with the same responses, and counts as a use of its key', async (t) => {
  const { addTasks, connect, get, rpc, key, ask, stop, operator } = await start(t)
  await addTasks([{ id: 'one', title: 'One' }])
  const { key: connection, response } = await connect()
  const authorization = `Bearer ${response.access_token}`
  for (const path of ['/tasks', '/workspace'])
    assert.deepEqual(await (await ask(response.access_token, path)).json(), await (await get(path)).json(), path)
  for (const path of ['/mcp', '/v1/mcp', '/v2/mcp'])
    assert.deepEqual(
      await (await rpc(LIST, { authorization }, path)).json(),
      await (await rpc(LIST, { authorization: `Bearer ${key}` }, path)).json(),
      path,
    )
  await stop()
  const [use] = await operator.read((tx) =>
    tx.all<{ count: number }>('SELECT count FROM key_use WHERE key_id = ?', connection.id),
  )
  assert.equal(Number(use?.count), 5)
})

test('an access token may read what its key may read, and shares its rate limit with earlier and later tokens', async (t) => {
  const { connect, refresh, ask } = await start(t)
  const quota = { limit: 3, windowSeconds: 60 }
  const { response } = await connect({ key: { ...GRANT.key, permissions: ['tasks:read'], quota } })
  const next = granted(await refresh(response.refresh_token)).response
  assert.equal((await ask(response.access_token)).status, 200)
  assert.equal((await ask(next.access_token, '/workspace')).status, 403)
  assert.equal((await ask(next.access_token)).status, 200)
  for (const token of [response.access_token, next.access_token]) assert.equal((await ask(token)).status, 429)
})

test('simultaneous requests with several tokens of one connection are each counted once, and do not fail others', async (t) => {
  const { connect, refresh, databaseUrl, key } = await start(t)
  const { key: connection, response } = await connect({ key: { ...GRANT.key, quota: { limit: 4, windowSeconds: 60 } } })
  const next = granted(await refresh(response.refresh_token)).response
  const clock = () => NOON
  const store = await openPublicStore(parseDatabaseUrl(databaseUrl), resources, {
    defaultQuota: QUOTA,
    clock,
    onUseFailure: () => {},
  })
  t.after(() => store.close())
  const [one, other] = [response.access_token, next.access_token]
  const ask = (tokens: string[]) =>
    Promise.all(
      tokens.map(async (token) => {
        const admitted = await store.admit(hashToken(token), 1)
        return admitted && 'reason' in admitted ? undefined : admitted
      }),
    )
  // A separate batch: requests that arrive during the first wait for it.
  const results = await ask([key, key, key, key, one, other, key, one, other, other])
  const used = results.filter((each) => each?.keyId === connection.id).map((each) => each?.window.used)
  assert.deepEqual(used.sort(), [1, 2, 3, 4, 5])
  const ordinary = results.filter((each) => each?.keyId !== connection.id).map((each) => each?.window.used)
  assert.deepEqual(ordinary.sort(), [1, 2, 3, 4, 5])
  const refused = await ask([key, key, key, key, one, other])
  assert.deepEqual(
    refused.slice(4).map((each) => Number(each?.window.used) > 4),
    [true, true],
  )
})

test('if programs cannot be connected, access tokens are refused like unknown keys; keys work', async (t) => {
  const service = await start(t)
  const { response, key: connection } = await service.connect()
  const authorization = `Bearer ${response.access_token}`
  assert.equal(await service.status(response.access_token), 200)
  for (const env of [{ PUBLIC_URL, CONNECT: 'off' }, {}] as Record<string, string>[]) {
    const { url } = await startReplica(t, service, env)
    const ask = (token: string, path = '/tasks') => fetch(url + path, { headers: { authorization: `Bearer ${token}` } })
    const [refused, unknown] = [await ask(response.access_token), await ask(createToken())]
    assert.deepEqual([refused.status, await refused.json()], [unknown.status, await unknown.json()])
    assert.deepEqual(
      [refused.status, refused.headers.get('www-authenticate')],
      [401, unknown.headers.get('www-authenticate')],
    )
    const post = { method: 'POST', body: JSON.stringify(LIST) }
    const headers = { authorization, 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    for (const path of ['/mcp', '/v1/mcp', '/v2/mcp'])
      assert.equal((await fetch(url + path, { ...post, headers })).status, 401, path)
    assert.equal((await ask(service.key)).status, 200)
  }
  assert.equal(await service.status(response.access_token), 200, 'if programs can be connected, it works')
  const [row] = await service.operator.read((tx) =>
    tx.all<{ n: number }>("SELECT count(*) AS n FROM key_use WHERE key_id = ? AND refused <> ''", connection.id),
  )
  assert.equal(Number(row?.n), 0, 'it is not counted as a refusal')
})

test('an access token expires to the second, also after a refresh, which is not counted as a refusal', async (t) => {
  const { connect, refresh, time, status, stop, operator } = await start(t)
  const { response } = await connect()
  time.now += 1_800_000
  const next = granted(await refresh(response.refresh_token)).response
  time.now = NOON + 3_600_000 - 1
  assert.deepEqual([await status(response.access_token), await status(next.access_token)], [200, 200])
  time.now += 1
  assert.deepEqual([await status(response.access_token), await status(next.access_token)], [401, 200])
  time.now += 1_800_000
  assert.equal(await status(next.access_token), 401)
  await stop()
  assert.deepEqual(await operator.read((tx) => tx.all("SELECT * FROM key_use WHERE refused <> ''")), [])
})

test('the next request sees that a key was paused, archived, revoked or has expired', async (t) => {
  const { connect, keys, time, ask, status, operator, key: ordinary, stop } = await start(t)
  const expiresAt = new Date(time.now + 600_000).toISOString()
  const [{ key, response }, ending] = [await connect(), await connect({ key: { ...GRANT.key, expiresAt } })]
  const token = response.access_token
  assert.equal(await status(token), 200)
  await keys.pause(key.id)
  assert.equal(await status(token), 401)
  await keys.resume(key.id)
  assert.equal(await status(token), 200)
  await archiveWorkspace(operator, 'acme', 'test')
  const archived = [await ask(token, '/workspace'), await ask(ordinary, '/workspace')]
  assert.deepEqual(
    archived.map((response) => response.status),
    [404, 404],
  )
  await restoreWorkspace(operator, 'acme', 'test')
  assert.equal(await status(token), 200)
  time.now += 599_999
  assert.equal(await status(ending.response.access_token), 200)
  time.now += 1
  assert.deepEqual([await status(ending.response.access_token), await status(token)], [401, 200])
  await keys.revoke(key.id)
  assert.equal(await status(token), 401)
  await stop()
  const refusals = await operator.read((tx) =>
    tx.all<{ refused: string }>(
      "SELECT refused FROM key_use WHERE refused <> '' AND key_id IN (?, ?) ORDER BY refused",
      ...[key.id, ending.key.id],
    ),
  )
  assert.deepEqual(
    refusals.map(({ refused }) => refused),
    ['expired', 'paused', 'revoked'],
  )
})

test("a refresh token, a code and a revoked connection's tokens are refused like unknown keys", async (t) => {
  const { issue, redeem, refresh, revoke, ask } = await start(t)
  const [waiting, code] = [await issue(), await issue()]
  const first = granted(await redeem(code)).response
  const next = granted(await refresh(first.refresh_token)).response
  const bodies = new Set<string>()
  const refuse = async (...tokens: string[]) => {
    for (const token of tokens) {
      const response = await ask(token)
      assert.equal(response.status, 401)
      bodies.add(JSON.stringify({ ...((await response.json()) as object), instance: '' }))
    }
  }
  await refuse('vtr_unknown', waiting, code, first.refresh_token, next.refresh_token)
  assert.equal((await ask(next.access_token)).status, 200)
  await revoke(next.refresh_token)
  await refuse(first.access_token, next.access_token)
  assert.equal(bodies.size, 1)
})
