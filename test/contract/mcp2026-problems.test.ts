import assert from 'node:assert/strict'
import test from 'node:test'
import { assertMcpProblem } from '../support/assertions.ts'
import { withQuota } from '../support/contract-service.ts'
import { testOnce } from '../support/database.ts'
import { assertRpcError, modernHeaders, modernRequest, PATH, startModernService } from '../support/modern-client.ts'

const CALL = modernRequest('tools/call', { name: 'get_workspace' })
const HEADERS = modernHeaders('tools/call', 'get_workspace')

testOnce('without a valid key it is 401, whatever the request', async (t) => {
  const { post } = await startModernService(t)
  for (const authorization of [undefined, 'Bearer vtr_x'])
    for (const body of [CALL, 'not JSON', '']) {
      const response = await post(body, { ...HEADERS, authorization })
      assertMcpProblem(response, 401, 'unauthorized')
      assert.match(response.headers['www-authenticate'] ?? '', /^Bearer realm="vitrine"/)
      assert.equal(response.headers['x-service-api-version'], undefined)
    }
})

testOnce('the checks come in their order: method, key, quota, origin, media type, body', async (t) => {
  const { post, send, createKey } = await startModernService(t, withQuota(5))
  const bad = { origin: 'https://evil.example', 'content-type': 'text/plain', 'mcp-protocol-version': '2026-07-28' }
  assert.equal((await send(PATH, { method: 'PUT', headers: bad })).status, 405)
  assert.equal((await post('{', { ...bad, authorization: 'Bearer x' })).status, 401)
  assertMcpProblem(await post('{', bad), 403, 'origin_not_allowed')
  assertMcpProblem(await post('{', { ...bad, origin: undefined }), 400, 'unsupported_media_type')
  const large = { 'mcp-protocol-version': '2026-07-28' }
  assertMcpProblem(await post(' '.repeat(1_048_577), large), 400, 'payload_too_large')
  const parsed = await post('{', { 'mcp-protocol-version': '2026-07-28' })
  assertRpcError(parsed, { status: 400, error: -32700, problem: 'invalid_json' })
  assert.equal((await post('{', { 'mcp-protocol-version': '2026-07-28' })).headers['ratelimit-remaining'], '0')
  assertMcpProblem(await post('{', bad), 429, 'rate_limited')
  // A key without any permission that matters is still asked in this order.
  const { token } = await createKey({ permissions: ['tasks:read'] })
  const response = await post(CALL, { ...HEADERS, 'mcp-method': 'x', authorization: `Bearer ${token}` })
  assertRpcError(response, { status: 400, error: -32020, problem: 'header_mismatch', id: '1' })
})

testOnce("a 429 names the header's version if it is this one, and otherwise the old one", async (t) => {
  const { post, get } = await startModernService(t, withQuota(1))
  await get('/workspace')
  for (const [header, version] of [
    ['2026-07-28', '2026-07-28'],
    [undefined, '2025-03-26'],
    ['2025-03-26', '2025-03-26'],
    ['2025-11-25', '2025-03-26'],
    ['2027-01-01', '2025-03-26'],
    ['latest', '2025-03-26'],
    ['__proto__', '2025-03-26'],
  ] as const) {
    const response = await post(CALL, { ...HEADERS, 'mcp-protocol-version': header })
    assertMcpProblem(response, 429, 'rate_limited', {
      'ratelimit-limit': '1',
      'ratelimit-policy': '1;w=60',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '60',
      'retry-after': '60',
      'x-service-api-version': version,
    })
  }
})

test('every authenticated request costs one of the quota shared with REST, whatever its response', async (t) => {
  const { ask, post, get } = await startModernService(t, withQuota(20))
  const left: (string | undefined)[] = []
  const responses = [
    () => ask('server/discover'),
    () => ask('tools/list'),
    () => ask('tools/call', { name: 'get_workspace' }),
    () => ask('tools/call', { name: 'no_such_tool' }),
    () => ask('no/such'),
    () => ask('tools/list', {}, { 'mcp-method': 'x' }),
    () => post('{', { 'mcp-protocol-version': '2026-07-28' }),
    () => post({ jsonrpc: '2.0', method: 'x' }, { 'mcp-protocol-version': '2026-07-28' }),
    () => ask('tools/list', {}, { origin: 'https://evil.example' }),
    () => post({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    () => get('/workspace'),
  ]
  for (const response of responses) left.push((await response()).headers['ratelimit-remaining'])
  assert.deepEqual(
    left,
    responses.map((_, at) => String(19 - at)),
  )
})
