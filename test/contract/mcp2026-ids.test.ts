// Run once: this is decided before any database query.
import assert from 'node:assert/strict'
import { assertHeaders, window } from '../support/assertions.ts'
import { assertRpcError, modernHeaders, startModernService, VERSION_MEMBER } from '../support/modern-client.ts'
import { echoedIds, escapedIds } from '../support/rpc-ids.ts'
import { testWith } from '../support/test-with.ts'

const test = testWith(startModernService)

const META =
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
const bodyWith = (member: string, method = 'server/discover') =>
  `{"jsonrpc":"2.0",${member},"method":"${method}","params":{${META}}}`

const accepted = [...echoedIds, '1'.repeat(300), '12.5e1', '1200e-2', '0.0', '0e-400']

test('an id that is a string or a whole number is echoed unchanged, in results and in errors', async ({ post }) => {
  for (const id of accepted) {
    const result = await post(bodyWith(`"id":${id}`), modernHeaders('server/discover'))
    assert.equal(result.status, 200, result.text)
    assert.ok(result.text.startsWith(`{"jsonrpc":"2.0","id":${id},"result":{`), result.text.slice(0, 200))
    const error = await post(bodyWith(`"id":${id}`, 'no/such'), modernHeaders('no/such'))
    assertRpcError(error, { status: 404, error: -32601, problem: 'method_not_found', id })
  }
})

const refused =
  'null 1.5 -0.25 0.1234567890123456789 1e-1 1e-400 9007199254740993.5 12345678901234567890.1 1e400 -1e400 true false [] [1] {}'
    .split(' ')
    .concat('{"a":1}', '1'.repeat(400))
    // Rounded, it is 1. Its zeros must be read once, not once for each of them, which would take hours.
    .concat(`1${'0'.repeat(1_000_000)}1e-1000001`)

test('any other id is -32600 without an id', async ({ post }) => {
  for (const id of refused) {
    const response = await post(bodyWith(`"id":${id}`), modernHeaders('server/discover'))
    const detail = assertRpcError(response, { status: 400, error: -32600, problem: 'invalid_jsonrpc_request' })
    assert.match(detail, /"id"/)
  }
})

test('the last of several ids counts, however they are spelled', async ({ post }) => {
  for (const [members, id] of [
    ['"id":1.5,"id":2', '2'],
    ['"id":7,"\\u0069d":12345678901234567890', '12345678901234567890'],
    ['"\\u0069d":1.5,"id":"x"', '"x"'],
    ['"id":null,"i\\u0064":2.0', '2.0'],
  ] as const) {
    const response = await post(bodyWith(members), modernHeaders('server/discover'))
    assert.ok(response.text.startsWith(`{"jsonrpc":"2.0","id":${id},"result":{`), response.text.slice(0, 200))
  }
  for (const members of ['"id":2,"id":1.5', '"id":"x","\\u0069d":null', '"id":1,"i\\u0064":2.5']) {
    const response = await post(bodyWith(members), modernHeaders('server/discover'))
    assertRpcError(response, { status: 400, error: -32600, problem: 'invalid_jsonrpc_request' })
  }
})

test('an id written with escapes comes back as the same string', async ({ post }) => {
  for (const id of escapedIds) {
    const response = await post(bodyWith(`"id":${id}`), modernHeaders('server/discover'))
    assert.equal((response.json as { id: string }).id, JSON.parse(id))
  }
})

test('a request without an id is a notification: 202 without a body, and no further check', async ({ post }) => {
  const notifications: [body: object, headers: Record<string, string>][] = [
    [{ method: 'notifications/cancelled', params: { requestId: 1 } }, { 'mcp-protocol-version': '2026-07-28' }],
    [{ method: 'notifications/initialized' }, { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'other' }],
    [{ method: 'tools/call', params: { name: 'no_such_tool' } }, { 'mcp-protocol-version': '2026-07-28' }],
    [{ method: '' }, { 'mcp-protocol-version': '2099-01-01' }],
    [{ method: 'x', params: { _meta: { [VERSION_MEMBER]: '2026-07-28' } } }, {}],
    [{ method: 'x', params: { _meta: { [VERSION_MEMBER]: '1900-01-01' } } }, {}],
    [{ method: 'initialize', params: { _meta: { [VERSION_MEMBER]: '2026-07-28' } } }, {}],
  ]
  for (const [at, [body, headers]] of notifications.entries()) {
    const response = await post({ jsonrpc: '2.0', ...body }, headers)
    assert.equal(response.status, 202, JSON.stringify(body))
    assert.equal(response.body.length, 0)
    assertHeaders(response, {
      'content-length': '0',
      ...window(599 - at),
      'x-service-api-version': '2026-07-28',
    })
  }
})
