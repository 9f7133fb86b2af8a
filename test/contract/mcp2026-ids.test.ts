import assert from 'node:assert/strict'
import test from 'node:test'
import { assertRpcError, modernHeaders, startModernService } from '../support/modern-client.ts'

const META =
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
const bodyWith = (member: string, method = 'server/discover') =>
  `{"jsonrpc":"2.0",${member},"method":"${method}","params":{${META}}}`

/** As it is written in the request, and so in the response. */
const accepted = [
  '""',
  '"a"',
  '"null"',
  '"a \\"quoted\\" \\\\ id"',
  '"👜"',
  '"日本"',
  `"${'x'.repeat(100_000)}"`,
  '0',
  '-0',
  '1',
  '-7',
  '9007199254740991',
  '9007199254740993',
  '12345678901234567890',
  '-12345678901234567890',
  '1'.repeat(300),
  '1.0',
  '1e2',
  '-3.00E+2',
  '12.5e1',
  '1200e-2',
  '0.0',
  '0e-400',
]

test('an id that is a string or a whole number is echoed as it came, in results and in errors', async (t) => {
  const { post } = await startModernService(t)
  for (const id of accepted) {
    const result = await post(bodyWith(`"id":${id}`), modernHeaders('server/discover'))
    assert.equal(result.status, 200, result.text)
    assert.ok(result.text.startsWith(`{"jsonrpc":"2.0","id":${id},"result":{`), result.text.slice(0, 200))
    const error = await post(bodyWith(`"id":${id}`, 'no/such'), modernHeaders('no/such'))
    assertRpcError(error, { status: 404, error: -32601, problem: 'method_not_found', id })
  }
})

const refused = [
  'null',
  '1.5',
  '-0.25',
  '0.1234567890123456789',
  '1e-1',
  '1e-400',
  '9007199254740993.5',
  '12345678901234567890.1',
  '1e400',
  '-1e400',
  '1'.repeat(400),
  'true',
  'false',
  '[]',
  '[1]',
  '{}',
  '{"a":1}',
]

test('any other id is -32600 without an id', async (t) => {
  const { post } = await startModernService(t)
  for (const id of refused) {
    const response = await post(bodyWith(`"id":${id}`), modernHeaders('server/discover'))
    const detail = assertRpcError(response, { status: 400, error: -32600, problem: 'invalid_jsonrpc_request' })
    assert.match(detail, /"id"/)
  }
})

test('of several ids, however they are spelled, the last counts', async (t) => {
  const { post } = await startModernService(t)
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

test('an id written with escapes comes back as the same string', async (t) => {
  const { post } = await startModernService(t)
  for (const id of ['"\\u0041\\n\\u2028"', '"\\ud83d\\udc5c"', '"\\ud800"', '"\\u0000"']) {
    const response = await post(bodyWith(`"id":${id}`), modernHeaders('server/discover'))
    assert.equal((response.json as { id: string }).id, JSON.parse(id))
  }
})
