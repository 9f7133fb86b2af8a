import assert from 'node:assert/strict'
import test from 'node:test'
import { assertHeaders, assertMcpProblem, assertProblem, problemBody } from '../support/assertions.ts'
import { withQuota } from '../support/contract-service.ts'
import { assertRpcError, modernHeaders, modernRequest, PATH, startModernService } from '../support/modern-client.ts'
import { changeFromOtherProcess } from '../support/other-process.ts'
import { sendRaw } from '../support/raw.ts'
import { startService } from '../support/service.ts'

const CALL = modernRequest('tools/call', { name: 'get_workspace' })
const HEADERS = modernHeaders('tools/call', 'get_workspace')

test('everything but POST is 405 with Allow: POST, before a key is asked for', async (t) => {
  const { send } = await startModernService(t)
  for (const method of ['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', 'QUERY']) {
    const response = await send(PATH, { method, headers: HEADERS })
    assertMcpProblem(response, 405, 'method_not_allowed')
    assert.equal(response.headers.allow, 'POST')
  }
  const head = await send(PATH, { method: 'HEAD' })
  assert.equal(`${head.status} ${head.headers.allow} ${head.body.length}`, '405 POST 0')
})

test('without a valid key it is 401, whatever the request', async (t) => {
  const { post } = await startModernService(t)
  for (const authorization of [undefined, 'Bearer vtr_x'])
    for (const body of [CALL, 'not JSON', '']) {
      const response = await post(body, { ...HEADERS, authorization })
      assertMcpProblem(response, 401, 'unauthorized')
      assert.match(response.headers['www-authenticate'] ?? '', /^Bearer realm="vitrine"/)
      assert.equal(response.headers['x-service-api-version'], undefined)
    }
})

test('a web page of another origin is 403', async (t) => {
  const { post } = await startModernService(t)
  for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example'])
    assertMcpProblem(await post(CALL, { ...HEADERS, origin }), 403, 'origin_not_allowed')
  assert.equal((await post(CALL, { ...HEADERS, origin: 'http://localhost:1234' })).status, 200)
})

test('what is not JSON by its media type is a problem; no Accept header is asked for', async (t) => {
  const { post } = await startModernService(t)
  for (const type of [undefined, 'text/plain', 'application/json; charset=latin1', 'application/jsonp'])
    assertMcpProblem(await post(CALL, { ...HEADERS, 'content-type': type }), 400, 'unsupported_media_type')
  assertMcpProblem(await post(CALL, { ...HEADERS, 'content-encoding': 'gzip' }), 400, 'unsupported_media_type')
  for (const accept of [undefined, 'text/html', 'application/json, text/event-stream'])
    assert.equal((await post(CALL, { ...HEADERS, accept })).headers['content-type'], 'application/json')
})

test('a body over 1 MiB is a problem, and one of exactly 1 MiB is read', async (t) => {
  const { post } = await startModernService(t)
  const [start = '', end = ''] = JSON.stringify(modernRequest('server/discover', { pad: '<>' })).split('<>')
  const sized = (bytes: number) => start + 'x'.repeat(bytes - start.length - end.length) + end
  const headers = modernHeaders('server/discover')
  assert.equal((await post(sized(1_048_576), headers)).status, 200)
  assertMcpProblem(await post(sized(1_048_577), headers), 400, 'payload_too_large')
})

test('a slow body is 408, too large a head 431, and a broken request 400', async (t) => {
  const { conform } = await startModernService(t)
  const { url, key } = await startService(t, {
    limits: { headersTimeoutMs: 150, requestTimeoutMs: 300, checkIntervalMs: 25, stallTimeoutMs: 30_000 },
  })
  const head =
    `POST /v2/mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
    'MCP-Protocol-Version: 2026-07-28\r\n'
  const broken: [request: string, status: number, code: string][] = [
    [`${head}Content-Length: 100\r\n\r\n{"json`, 408, 'request_timeout'],
    [`${head}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
    [`${head}Mcp-Name: a\x01b\r\n\r\n`, 400, 'bad_request'],
    [`${head}Mcp-Name: a\r\n b\r\n\r\n`, 400, 'bad_request'],
  ]
  for (const [request, status, code] of broken) {
    const response = await sendRaw(url, request)
    assertProblem(response, status, code)
    conform('POST', PATH, response)
  }
})

test('a store that fails while the key is looked up is a 500 problem', async (t) => {
  const { post, databaseUrl } = await startModernService(t)
  await changeFromOtherProcess(databaseUrl, 'DROP TABLE api_keys')
  assertMcpProblem(await post(CALL, HEADERS), 500, 'internal_error')
})

test('the checks come in their order: method, key, quota, origin, media type, body', async (t) => {
  const { post, send, createKey } = await startModernService(t, withQuota(4))
  const bad = { origin: 'https://evil.example', 'content-type': 'text/plain', 'mcp-protocol-version': '2026-07-28' }
  assert.equal((await send(PATH, { method: 'PUT', headers: bad })).status, 405)
  assert.equal((await post('{', { ...bad, authorization: 'Bearer x' })).status, 401)
  assertMcpProblem(await post('{', bad), 403, 'origin_not_allowed')
  assertMcpProblem(await post('{', { ...bad, origin: undefined }), 400, 'unsupported_media_type')
  const parsed = await post('{', { 'mcp-protocol-version': '2026-07-28' })
  assertRpcError(parsed, { status: 400, error: -32700, problem: 'invalid_json' })
  assert.equal((await post('{', { 'mcp-protocol-version': '2026-07-28' })).headers['ratelimit-remaining'], '0')
  assertMcpProblem(await post('{', bad), 429, 'rate_limited')
  // A key without any permission that matters is still asked in this order.
  const { token } = await createKey({ permissions: ['tasks:read'] })
  const response = await post(CALL, { ...HEADERS, 'mcp-method': 'x', authorization: `Bearer ${token}` })
  assertRpcError(response, { status: 400, error: -32020, problem: 'header_mismatch', id: '1' })
})

test('a 429 names the version of the header if it is this one, and else the old one', async (t) => {
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
    assertMcpProblem(response, 429, 'rate_limited')
    assertHeaders(response, {
      ...problemBody(response),
      'ratelimit-limit': '1',
      'ratelimit-policy': '1;w=60',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '60',
      'retry-after': '60',
      'x-service-api-version': version,
    })
  }
})
