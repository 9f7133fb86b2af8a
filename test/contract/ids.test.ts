import assert from 'node:assert/strict'
import { assertHeaders, window } from '../support/assertions.ts'
import { sharedModernService } from '../support/contract-service.ts'
import { testWith } from '../support/database.ts'
import { assertRpcError, modernHeaders, VERSION_MEMBER } from '../support/modern-client.ts'

const test = testWith(sharedModernService)

const lines = (text: string) => text.trim().split('\n')

/** JSON as it is written in a request, and so in its response. */
const ids = [
  ...lines(String.raw`
""
"a"
"0"
"null"
"a \"quoted\" \\ id"
"日本"
0
-0
1
-7
9007199254740991
9007199254740993
12345678901234567890
-12345678901234567890
1.0
1e2
-3.00E+2`),
  `"${'x'.repeat(100_000)}"`,
]
const ofOldVersion = lines('1.5\n-0.25\n0.1234567890123456789\n1e400\nnull')
const ofModernVersion = ['1'.repeat(300), '12.5e1', '1200e-2', '0.0', '0e-400']

const META =
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
const modernBody = (members: string, method = 'server/discover') =>
  `{"jsonrpc":"2.0",${members},"method":"${method}","params":{${META}}}`

test('2025-03-26 echoes any id unchanged, in results and in errors', async ({ rpc }) => {
  for (const id of [...ids, ...ofOldVersion]) {
    const result = await rpc(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`)
    assert.equal(result.text, `{"jsonrpc":"2.0","id":${id},"result":{}}`)
    const error = await rpc(`{"jsonrpc":"2.0","id":${id},"method":"no/such"}`)
    assert.equal(error.status, 200)
    assert.ok(error.text.startsWith(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,`), error.text)
  }
})

test('2026-07-28 echoes an id that is a string or a whole number unchanged, in results and in errors', async ({
  post,
}) => {
  for (const id of [...ids, ...ofModernVersion]) {
    const result = await post(modernBody(`"id":${id}`), modernHeaders('server/discover'))
    assert.ok(result.text.startsWith(`{"jsonrpc":"2.0","id":${id},"result":{`), result.text.slice(0, 200))
    const error = await post(modernBody(`"id":${id}`, 'no/such'), modernHeaders('no/such'))
    assertRpcError(error, { status: 404, error: -32601, problem: 'method_not_found', id })
  }
})

const disguised: [id: string, body: string][] = [
  ['2.5', '{"jsonrpc":"2.0","id":1.5,"\\u0069d":2.5,"method":"ping"}'],
  ['2.5', '{"jsonrpc":"2.0","\\u0069d":1.5,"id":2.5,"method":"ping"}'],
  ['2.5', '{"jsonrpc":"2.0","id":"x","id":1.5,"i\\u0064" \n:\t2.5,"method":"ping"}'],
  ['1.5', '{"jsonrpc":"2.0","id":1.5,"method":"ping","params":{"\\u0069d":2.5,"id":3.5,"a":[{"id":4.5}]}}'],
  ['1.5', `{"jsonrpc":"2.0","id":1.5,"method":"ping","params":{"x":"${'x'.repeat(500_000)}"}}`],
  [
    '12345678901234567890',
    `{"params":{"x":"${'x'.repeat(500_000)}"},"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}`,
  ],
]
test('the last of several ids, however spelled, is echoed, in a body of any length', async ({ rpc, post }) => {
  for (const [id, body] of disguised) assert.equal((await rpc(body)).text, `{"jsonrpc":"2.0","id":${id},"result":{}}`)
  for (const [members, id] of [
    ['"id":1.5,"id":2', '2'],
    ['"id":7,"\\u0069d":12345678901234567890', '12345678901234567890'],
    ['"id":null,"i\\u0064":2.0', '2.0'],
  ] as const) {
    const response = await post(modernBody(members), modernHeaders('server/discover'))
    assert.ok(response.text.startsWith(`{"jsonrpc":"2.0","id":${id},"result":{`), response.text.slice(0, 200))
  }
})

const refused = 'null 1.5 -0.25 0.1234567890123456789 1e-1 1e400 -1e400 true false [] [1] {}'
  .split(' ')
  .concat('{"a":1}', '1'.repeat(400))

test('in 2026-07-28, any other id is -32600 without an id', async ({ post }) => {
  for (const id of refused) {
    const response = await post(modernBody(`"id":${id}`), modernHeaders('server/discover'))
    const detail = assertRpcError(response, { status: 400, error: -32600, problem: 'invalid_jsonrpc_request' })
    assert.match(detail, /"id"/)
  }
})

const HEADER = { 'mcp-protocol-version': '2026-07-28' }
const notifications: [version: string, body: object, headers?: Record<string, string>][] = [
  ['2025-03-26', { method: 'notifications/initialized' }],
  ['2025-03-26', { method: 'notifications/cancelled', params: { requestId: 1 } }],
  ['2025-03-26', { method: 'initialize' }],
  ['2025-03-26', { method: 'tools/call', params: { name: 'no_such_tool' } }],
  ['2026-07-28', { method: 'notifications/cancelled', params: { requestId: 1 } }, HEADER],
  ['2026-07-28', { method: 'notifications/initialized' }, { ...HEADER, 'mcp-method': 'other' }],
  ['2026-07-28', { method: 'tools/call', params: { name: 'no_such_tool' } }, HEADER],
  ['2026-07-28', { method: '' }, { 'mcp-protocol-version': '2099-01-01' }],
  ['2026-07-28', { method: 'x', params: { _meta: { [VERSION_MEMBER]: '2026-07-28' } } }],
  ['2026-07-28', { method: 'x', params: { _meta: { [VERSION_MEMBER]: '1900-01-01' } } }],
  ['2026-07-28', { method: 'initialize', params: { _meta: { [VERSION_MEMBER]: '2026-07-28' } } }],
]
test('a request without an id is a notification: 202 without a body, and no further check', async ({ post }) => {
  for (const [at, [version, body, headers]] of notifications.entries()) {
    const response = await post({ jsonrpc: '2.0', ...body }, headers)
    assert.equal(response.status, 202, JSON.stringify(body))
    assert.equal(response.body.length, 0)
    assertHeaders(response, { 'content-length': '0', ...window(599 - at), 'x-service-api-version': version })
  }
})
