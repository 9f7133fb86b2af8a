// On both engines: each engine has its own admission.
import assert from 'node:assert/strict'
import { assertMcpProblem, assertProblem, POLICY } from '../support/assertions.ts'
import { type ContractService, startContractService } from '../support/contract-service.ts'
import { testWith } from '../support/database.ts'
import type { HttpResponse } from '../support/exchange.ts'

const test = testWith(startContractService)

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }
const MCP_PATHS = ['/mcp', '/v1/mcp', '/v2/mcp']

const NO_KEY = 'Bearer realm="vitrine"'
const BAD_KEY = 'Bearer realm="vitrine", error="invalid_token"'

const assertUnauthorized = (response: HttpResponse, challenge: string) =>
  assertProblem(response, 401, 'unauthorized', { 'www-authenticate': challenge, ...POLICY })

test('without a key it is 401 with a bare challenge, and with garbage with invalid_token', async ({ send, key }) => {
  const garbage = ['x', 'vtr_', 'null', key.slice(0, -1), `${key}0`, key.toUpperCase(), `"${key}"`]
  for (const path of ['/workspace', '/tasks']) {
    assertUnauthorized(await send(path), NO_KEY)
    const head = await send(path, { method: 'HEAD' })
    assert.deepEqual([head.status, head.headers['www-authenticate']], [401, NO_KEY])
    for (const token of garbage)
      assertUnauthorized(await send(path, { headers: { authorization: `Bearer ${token}` } }), BAD_KEY)
  }
  for (const path of MCP_PATHS)
    for (const body of ['{"jsonrpc":"2.0","id":1,"method":"initialize"}', 'not JSON', '']) {
      const none = await send(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      assertMcpProblem(none, 401, 'unauthorized', { 'www-authenticate': NO_KEY, ...POLICY })
      const bad = await send(path, { method: 'POST', headers: { authorization: 'Bearer vtr_x' }, body })
      assertMcpProblem(bad, 401, 'unauthorized', { 'www-authenticate': BAD_KEY, ...POLICY })
    }
})

test('a key counts only under the scheme Bearer, in any case and with any number of spaces', async ({ send, key }) => {
  const basic = Buffer.from(`${key}:`).toString('base64')
  for (const authorization of [`Basic ${basic}`, `Digest username="${key}"`, 'Bearer', 'Negotiate'])
    assertUnauthorized(await send('/workspace', { headers: { authorization } }), NO_KEY)
  for (const authorization of [key, `Bearer${key}`, `Token ${key}`, `Bearer: ${key}`, `Bearer ${key} ${key}`])
    assert.equal((await send('/workspace', { headers: { authorization } })).status, 401, authorization)
  for (const name of ['x-api-key', 'api-key', 'cookie', 'proxy-authorization'])
    assertUnauthorized(await send('/workspace', { headers: { [name]: `Bearer ${key}` } }), NO_KEY)
  for (const authorization of [`bearer ${key}`, `BEARER ${key}`, `bEaReR   ${key}`])
    assert.equal((await send('/workspace', { headers: { authorization } })).status, 200, authorization)
})

test('the hint names quotes whenever the header has them', async ({ send, key }) => {
  const typographic = `\u00e2\u0080\u009c${key}\u00e2\u0080\u009d`
  for (const [authorization, hasQuotes] of [
    [`Bearer "${key}"`, true],
    [`"Bearer ${key}"`, true],
    [`Bearer '${key}`, true],
    [`Bearer %22${key}%22`, true],
    [`Bearer ${typographic}`, true],
    [`Bearer ${key.slice(0, 30)}`, false],
    [`Bearer Bearer ${key}`, false],
  ] as const) {
    const { json } = await send('/workspace', { headers: { authorization } })
    const { hint } = json as { hint: string }
    assert.equal(hint.startsWith('Remove the quotes from the header'), hasQuotes, authorization)
  }
})

/** Everything that a client sees of a response, except the request id and the time. */
function bytesOf({ status, headers, text }: HttpResponse): string {
  const { 'x-request-id': id = '', date: _, ...rest } = headers
  return JSON.stringify({ status, headers: rest, text: text.replaceAll(id, 'id') })
}

test('unknown, expired, revoked and paused keys get the same response, byte for byte', async (service, t) => {
  const { get, send, rpc, keys, createKey } = service
  const [paused, revoked] = [await createKey(), await createKey()]
  await keys.pause(paused.id)
  await keys.revoke(revoked.id)
  const expired = await createKey({ expiresAt: '2026-11-15T11:59:59.999Z' })
  const responses = []
  for (const token of [(await startContractService(t)).key, expired.token, revoked.token, paused.token]) {
    const headers = { authorization: `Bearer ${token}` }
    const own = [await get('/workspace', headers), await get('/tasks', headers)]
    own.push(await send('/tasks', { method: 'HEAD', headers }))
    for (const path of MCP_PATHS) own.push(await rpc(PING, headers, path))
    responses.push(own)
  }
  for (const own of responses) {
    assert.ok(own.every(({ status }) => status === 401))
    assert.deepEqual(own.map(bytesOf), responses[0]?.map(bytesOf))
  }
})

const statusOf = async ({ get }: ContractService, token: string) =>
  (await get('/tasks', { authorization: `Bearer ${token}` })).status

test('a key works until the moment it expires, and the old key of a rotation until its overlap ends', async (service) => {
  const { createKey, keys, time } = service
  const { token } = await createKey({ expiresAt: '2026-11-15T12:00:01.000Z' })
  const old = await createKey()
  const successor = await keys.rotate(old.id, 1000)
  time.now += 999
  for (const key of [token, old.token, successor.token]) assert.equal(await statusOf(service, key), 200)
  time.now += 1
  for (const [key, status] of [
    [token, 401],
    [old.token, 401],
    [successor.token, 200],
  ] as const)
    assert.equal(await statusOf(service, key), status)
})

test('the next request sees a pause, a resume and a revocation, and other keys are left alone', async (service) => {
  const { createKey, keys } = service
  const { token, id } = await createKey()
  for (let round = 0; round < 5; round++) {
    assert.equal(await statusOf(service, token), 200)
    await keys.pause(id)
    assert.equal(await statusOf(service, token), 401)
    await keys.resume(id)
  }
  assert.equal(await statusOf(service, token), 200)
  await keys.revoke(id)
  assert.equal(await statusOf(service, token), 401)
  assert.equal(await statusOf(service, service.key), 200)
})

test('a key in the URL is not read', async ({ send, key }) => {
  assertUnauthorized(await send(`/workspace?access_token=${key}&key=${key}`), NO_KEY)
  for (const path of [`/workspace/${key}`, `/problems/${key}`]) assert.equal((await send(path)).status, 404)
})

/** A key that has used up its daily quota, and got several 429s. */
async function usedUpKey(service: ContractService, expiresAt: string | null = null) {
  const { token, id } = await service.createKey({ quota: { limit: 2, windowSeconds: 86_400 }, expiresAt })
  const statuses: number[] = []
  for (let n = 0; n < 5; n++) statuses.push(await statusOf(service, token))
  assert.deepEqual(statuses, [200, 200, 429, 429, 429])
  return { id, token, authorization: { authorization: `Bearer ${token}` } }
}

async function assertNoKey({ get, rpc }: ContractService, authorization: Record<string, string>): Promise<void> {
  for (let n = 0; n < 2; n++) {
    for (const path of ['/tasks', '/workspace']) assertProblem(await get(path, authorization), 401, 'unauthorized')
    assertMcpProblem(await rpc(PING, authorization), 401, 'unauthorized')
  }
}

test('a revoked key that is over its quota gets 401 from the next request on, and its last use stays before that', async (service) => {
  const { id, authorization } = await usedUpKey(service)
  service.time.now += 60_000
  await service.keys.revoke(id)
  const revokedAt = new Date(service.time.now).toISOString()
  service.time.now += 60_000
  await assertNoKey(service, authorization)
  await service.stop()
  const key = (await service.keys.list('acme')).find((one) => one.id === id)
  assert.equal(key?.useCount, 2)
  assert.ok((key?.lastUsedAt ?? '') < revokedAt, `${key?.lastUsedAt} is not before ${revokedAt}`)
})

test('a key over its quota is 401 once it is paused, and 429 again once it is resumed', async (service) => {
  const { id, token, authorization } = await usedUpKey(service)
  await service.keys.pause(id)
  await assertNoKey(service, authorization)
  await service.keys.resume(id)
  assert.equal(await statusOf(service, token), 429)
})

test('a key over its quota that expires gets 401 from that moment', async (service) => {
  const expiresMs = service.time.now + 43_200_000
  const { token, authorization } = await usedUpKey(service, new Date(expiresMs).toISOString())
  service.time.now = expiresMs - 1
  assert.equal(await statusOf(service, token), 429)
  service.time.now = expiresMs
  await assertNoKey(service, authorization)
})
