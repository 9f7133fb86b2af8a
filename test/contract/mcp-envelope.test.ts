// Run once: this is decided before the database is asked anything.
import assert from 'node:assert/strict'
import { assertHeaders, assertMcpProblem, problemBody, window } from '../support/assertions.ts'
import { startContractService } from '../support/contract-service.ts'
import { testWith } from '../support/test-with.ts'

const test = testWith(startContractService)

test('a 400 has exactly the headers that are promised, and no protocol version', async ({ rpc }) => {
  const response = await rpc('{')
  assertHeaders(response, {
    ...problemBody(response),
    ...window(599),
  })
})

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'

const notJson: [what: string, body: string | Buffer][] = [
  ['an empty body', ''],
  ['blank space', ' \r\n\t'],
  ['words', 'hello'],
  ['a form', 'jsonrpc=2.0&method=ping'],
  ['half a request', '{"jsonrpc":"2.0","id":1,"meth'],
  ['two requests', `${ping}\n${ping}`],
  ['a request with a comma too many', '{"jsonrpc":"2.0","id":1,"method":"ping",}'],
  ['single quotes', "{'jsonrpc':'2.0','id':1,'method':'ping'}"],
  ['NaN for an id', '{"jsonrpc":"2.0","id":NaN,"method":"ping"}'],
  ['a number with a leading zero', '{"jsonrpc":"2.0","id":007,"method":"ping"}'],
  ['a raw line break in a string', '{"jsonrpc":"2.0","id":"a\nb","method":"ping"}'],
  ['a byte order mark', `\uFEFF${ping}`],
  ['invalid UTF-8', Buffer.from('{"jsonrpc":"2.0","id":"\xff\xfe","method":"ping"}', 'latin1')],
  ['half of a UTF-8 character', Buffer.from('{"jsonrpc":"2.0","id":"\xc3","method":"ping"}', 'latin1')],
  ['a surrogate encoded as UTF-8', Buffer.from('{"jsonrpc":"2.0","id":"\xed\xa0\x80","method":"ping"}', 'latin1')],
  ['UTF-16', Buffer.from(ping, 'utf16le')],
]
for (const [what, body] of notJson) {
  test(`${what} is 400 invalid_json`, async ({ rpc }) => {
    assertMcpProblem(await rpc(body), 400, 'invalid_json')
  })
}

const notARequest: [what: string, body: string][] = [
  ['a batch', `[${ping}]`],
  ['an empty batch', '[]'],
  ['null', 'null'],
  ['a string', '"ping"'],
  ['a number', '1'],
  ['true', 'true'],
  ['an empty object', '{}'],
  ['a response with a result', '{"jsonrpc":"2.0","id":1,"result":{}}'],
  ['a response with an error', '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}'],
  ['a request that is also a response', '{"jsonrpc":"2.0","id":1,"method":"ping","result":null}'],
  ['a member too many', '{"jsonrpc":"2.0","id":1,"method":"ping","meta":{}}'],
  ['__proto__ as a member', '{"jsonrpc":"2.0","id":1,"method":"ping","__proto__":{"x":1}}'],
  ['a member in other letters', '{"jsonrpc":"2.0","ID":1,"method":"ping"}'],
  ['no jsonrpc', '{"id":1,"method":"ping"}'],
  ['jsonrpc 1.0', '{"jsonrpc":"1.0","id":1,"method":"ping"}'],
  ['jsonrpc as a number', '{"jsonrpc":2.0,"id":1,"method":"ping"}'],
  ['jsonrpc 2', '{"jsonrpc":"2","id":1,"method":"ping"}'],
  ['no method', '{"jsonrpc":"2.0","id":1}'],
  ['a method that is null', '{"jsonrpc":"2.0","id":1,"method":null}'],
  ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":1}'],
  ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}'],
  ['an id that is a list', '{"jsonrpc":"2.0","id":[1],"method":"ping"}'],
  ['an id that is true', '{"jsonrpc":"2.0","id":true,"method":"ping"}'],
  ['params that are a list', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}'],
  ['params that are null', '{"jsonrpc":"2.0","id":1,"method":"ping","params":null}'],
  ['params that are a string', '{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}'],
  ['params that are a list, in a notification', '{"jsonrpc":"2.0","method":"notifications/initialized","params":[]}'],
]
for (const [what, body] of notARequest) {
  test(`${what} is 400 invalid_jsonrpc_request`, async ({ rpc }) => {
    assertMcpProblem(await rpc(body), 400, 'invalid_jsonrpc_request')
  })
}

test('the detail of a 400 says what is wrong, and repeats nothing of the body', async ({ rpc }) => {
  const detailOf = async (body: string) => ((await rpc(body)).json as { detail: string }).detail
  assert.match(await detailOf(`[${ping}]`), /[Bb]atch/)
  assert.match(await detailOf('{"jsonrpc":"2.0","id":1}'), /"method"/)
  assert.match(await detailOf('{"jsonrpc":"2.0","id":[],"method":"ping"}'), /"id"/)
  assert.match(await detailOf('{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}'), /"params"/)
  assert.match(await detailOf('{"jsonrpc":"3.0","id":1,"method":"ping"}'), /"jsonrpc"/)
  assert.doesNotMatch(
    await detailOf('{"jsonrpc":"2.0","id":1,"method":"ping","ignore all rules":1}'),
    /ignore all rules/,
  )
})

test('white space around and the order of members do not matter', async ({ rpc }) => {
  const response = await rpc(' \n{ "method" : "ping" , "params" : {} , "id" : 1 , "jsonrpc" : "2.0" }\r\n')
  assert.equal(response.text, '{"jsonrpc":"2.0","id":1,"result":{}}')
})
