import assert from 'node:assert/strict'
import { assertMcpProblem, assertProblem, POLICY } from '../support/assertions.ts'
import { startContractService } from '../support/contract-service.ts'
import type { HttpResponse } from '../support/exchange.ts'
import { testWith } from '../support/test-with.ts'

const test = testWith(startContractService)

const NO_KEY = 'Bearer realm="vitrine"'
const BAD_KEY = 'Bearer realm="vitrine", error="invalid_token"'

function assertUnauthorized(response: HttpResponse, challenge: string): void {
  assertProblem(response, 401, 'unauthorized', { 'www-authenticate': challenge, ...POLICY })
}

for (const path of ['/workspace', '/tasks']) {
  test.once(`${path} without a key is 401 with a bare challenge`, async ({ send }) => {
    assertUnauthorized(await send(path), NO_KEY)
    const head = await send(path, { method: 'HEAD' })
    assert.equal(head.status, 401)
    assert.equal(head.headers['www-authenticate'], NO_KEY)
  })

  test.once(`${path} with garbage as a key is 401 with invalid_token`, async ({ send, key }) => {
    const garbage = ['x', 'vtr_', 'null', key.slice(0, -1), `${key}0`, key.toUpperCase(), `"${key}"`]
    for (const token of garbage)
      assertUnauthorized(await send(path, { headers: { authorization: `Bearer ${token}` } }), BAD_KEY)
  })
}

test.once('a scheme other than Bearer is 401, without an invalid key', async ({ send, key }) => {
  const basic = Buffer.from(`${key}:`).toString('base64')
  for (const authorization of [`Basic ${basic}`, `Digest username="${key}"`, 'Bearer', 'Negotiate'])
    assertUnauthorized(await send('/workspace', { headers: { authorization } }), NO_KEY)
})

test.once('a key without its scheme, or under an unknown one, is 401', async ({ send, key }) => {
  for (const authorization of [key, `Bearer${key}`, `Token ${key}`, `Bearer: ${key}`, `Bearer ${key} ${key}`])
    assert.equal((await send('/workspace', { headers: { authorization } })).status, 401, authorization)
  for (const name of ['x-api-key', 'api-key', 'cookie', 'proxy-authorization'])
    assertUnauthorized(await send('/workspace', { headers: { [name]: `Bearer ${key}` } }), NO_KEY)
})

test.once('the scheme is case-insensitive, with any number of spaces', async ({ send, key }) => {
  for (const authorization of [`bearer ${key}`, `BEARER ${key}`, `bEaReR   ${key}`])
    assert.equal((await send('/workspace', { headers: { authorization } })).status, 200, authorization)
})

test('unknown, expired and revoked keys get exactly the same response', async (service, t) => {
  const elsewhere = await startContractService(t)
  const expired = await service.createKey({ expiresAt: '2026-11-15T11:59:59.999Z' })
  const revoked = await service.createKey()
  await service.keys.revoke(revoked.id)
  const responses: HttpResponse[] = []
  for (const token of [elsewhere.key, expired.token, revoked.token])
    responses.push(await service.get('/workspace', { authorization: `Bearer ${token}` }))
  for (const response of responses) assertUnauthorized(response, BAD_KEY)
  assert.equal(new Set(responses.map(({ text }) => text)).size, 1)
})

test('a key works until the moment it expires', async ({ get, createKey, time }) => {
  const { token } = await createKey({ expiresAt: '2026-11-15T12:00:01.000Z' })
  const status = async () => (await get('/workspace', { authorization: `Bearer ${token}` })).status
  time.now += 999
  assert.equal(await status(), 200)
  time.now += 1
  assert.equal(await status(), 401)
})

test('a revoked key is refused by the next request', async ({ get, createKey, keys }) => {
  const { token, id } = await createKey()
  const status = async () => (await get('/tasks', { authorization: `Bearer ${token}` })).status
  assert.equal(await status(), 200)
  await keys.revoke(id)
  assert.equal(await status(), 401)
})

test("revoking one key does not affect the workspace's others", async ({ get, createKey, keys }) => {
  await keys.revoke((await createKey()).id)
  assert.equal((await get('/workspace')).status, 200)
})

test.once('a key in the URL is not read, and not logged', async ({ send, key, logLines }) => {
  assertUnauthorized(await send(`/workspace?access_token=${key}&key=${key}`), NO_KEY)
  assert.equal((await send(`/workspace/${key}`)).status, 404)
  assert.equal((await send(`/problems/${key}`)).status, 404)
  assert.equal(logLines.filter((line) => line.includes(key)).length, 0)
})

test('no response or log line contains the key that was sent', async ({ get, rpc, key, logLines }) => {
  const responses = [await get('/workspace'), await get('/tasks'), await rpc('{'), await get(`/x/${key}`)]
  responses.push(await get('/workspace', { authorization: `Bearer ${key}x` }))
  for (const { text, headers } of responses) assert.ok(!(text + JSON.stringify(headers)).includes(key.slice(10)))
  assert.ok(!logLines.join('').includes(key.slice(10)))
})

for (const path of ['/mcp', '/v1/mcp']) {
  test.once(`${path} without a valid key is 401, whatever the body`, async ({ send }) => {
    for (const body of ['{"jsonrpc":"2.0","id":1,"method":"initialize"}', 'not JSON', '']) {
      const none = await send(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      assertMcpProblem(none, 401, 'unauthorized', { 'www-authenticate': NO_KEY, ...POLICY })
      const bad = await send(path, { method: 'POST', headers: { authorization: 'Bearer vtr_x' }, body })
      assertMcpProblem(bad, 401, 'unauthorized')
      assert.equal(bad.headers['www-authenticate'], BAD_KEY)
    }
  })
}
