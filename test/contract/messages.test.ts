import assert from 'node:assert/strict'
import { assertMcpProblem, window } from '../support/assertions.ts'
import { sharedModernService } from '../support/contract-service.ts'
import { testWith } from '../support/database.ts'
import { assertRpcError } from '../support/modern-client.ts'

const test = testWith(sharedModernService)

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'

const notJson: [what: string, body: string | Buffer][] = [
  ['an empty body', ''],
  ['blank space', ' \r\n\t'],
  ['half a request', '{"jsonrpc":"2.0","id":1,"meth'],
  ['a request with a comma too many', '{"jsonrpc":"2.0","id":1,"method":"ping",}'],
  ['single quotes', "{'jsonrpc':'2.0','id':1,'method':'ping'}"],
  ['a byte order mark', `\uFEFF${PING}`],
  ['invalid UTF-8', Buffer.from('{"jsonrpc":"2.0","id":"\xff\xfe","method":"ping"}', 'latin1')],
  ['UTF-16', Buffer.from(PING, 'utf16le')],
]

const notARequest: [what: string, body: string][] = [
  ['a batch', `[${PING}]`],
  ['null', 'null'],
  ['an empty object', '{}'],
  ['a response with a result', '{"jsonrpc":"2.0","id":1,"result":{}}'],
  ['a request that is also a response', '{"jsonrpc":"2.0","id":1,"method":"ping","result":null}'],
  ['a member too many', '{"jsonrpc":"2.0","id":1,"method":"ping","meta":{}}'],
  ['__proto__ as a member', '{"jsonrpc":"2.0","id":1,"method":"ping","__proto__":{"x":1}}'],
  ['a member in other letters', '{"jsonrpc":"2.0","ID":1,"method":"ping"}'],
  ['no jsonrpc', '{"id":1,"method":"ping"}'],
  ['jsonrpc 1.0', '{"jsonrpc":"1.0","id":1,"method":"ping"}'],
  ['no method', '{"jsonrpc":"2.0","id":1}'],
  ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":1}'],
  ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}'],
  ['an id that is true', '{"jsonrpc":"2.0","id":true,"method":"ping"}'],
  ['params that are a list', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}'],
  ['params that are null', '{"jsonrpc":"2.0","id":1,"method":"ping","params":null}'],
  ['params that are a list, in a notification', '{"jsonrpc":"2.0","method":"notifications/initialized","params":[]}'],
]

const MODERN = { 'mcp-protocol-version': '2026-07-28' }

test('what is not JSON is invalid_json in both versions: a 400 problem, and -32700', async ({ rpc, post }) => {
  assertMcpProblem(await rpc('{'), 400, 'invalid_json', window(599))
  const tooMuch: [string, string][] = [
    ['65 levels', `${'['.repeat(65)}${']'.repeat(65)}`],
    ['more than 10,000 values', `[${'1,'.repeat(10_000)}1]`],
  ]
  for (const [, body] of [...notJson, ...tooMuch]) {
    assertMcpProblem(await rpc(body), 400, 'invalid_json')
    assertRpcError(await post(body, MODERN), { status: 400, error: -32700, problem: 'invalid_json' })
  }
})

test('JSON that is not a request is invalid_jsonrpc_request in both versions: a 400 problem, and -32600', async ({
  rpc,
  post,
}) => {
  for (const [, body] of notARequest) {
    assertMcpProblem(await rpc(body), 400, 'invalid_jsonrpc_request')
    assertRpcError(await post(body, MODERN), { status: 400, error: -32600, problem: 'invalid_jsonrpc_request' })
  }
})

test('the detail of a 400 describes the fault, and repeats nothing of the body', async ({ rpc }) => {
  const detailOf = async (body: string) => ((await rpc(body)).json as { detail: string }).detail
  assert.match(await detailOf(`[${PING}]`), /[Bb]atch/)
  assert.match(await detailOf('{"jsonrpc":"2.0","id":1}'), /"method"/)
  assert.match(await detailOf('{"jsonrpc":"2.0","id":[],"method":"ping"}'), /"id"/)
  assert.match(await detailOf('{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}'), /"params"/)
  assert.match(await detailOf('{"jsonrpc":"3.0","id":1,"method":"ping"}'), /"jsonrpc"/)
  assert.doesNotMatch(await detailOf('{"jsonrpc":"2.0","id":1,"method":"ping","ignore all":1}'), /ignore all/)
})

/** Names that mean something inside the server, and must mean nothing as arguments. */
const HOSTILE = {
  workspaceId: 'ws_other',
  now: 0,
  fields: ["id', (SELECT group_concat(hash) FROM api_keys), 'x"],
  json: true,
  constructor: {},
  toString: 1,
  ['__proto__']: { limit: 1 },
}

test('among any number of unknown arguments, none with a meaning inside the server gets through', async ({ call }) => {
  for (const n of [0, 1, 8, 1000]) {
    const strangers = Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, 1]))
    for (const [name, value] of [...Object.entries(HOSTILE), ['limit', 0] as const]) {
      const { result, error } = await call('list_tasks', { ...strangers, [name]: value })
      assert.deepEqual([result, error?.code], [undefined, -32602], `${name} among ${n}`)
      if (name === 'limit') assert.match(JSON.stringify(error), /"argument":"limit"/)
    }
  }
})
