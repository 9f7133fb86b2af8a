// Run once: this is decided before any database query.
import assert from 'node:assert/strict'
import { assertHeaders, assertMcpProblem, problemBody, window } from '../support/assertions.ts'
import { notARequest, notJson, ping } from '../support/rpc-bodies.ts'
import { sharedContractService } from '../support/shared-service.ts'
import { testWith } from '../support/test-with.ts'

const test = testWith(sharedContractService)

test('a 400 has exactly the headers that are promised, and no protocol version', async ({ rpc }) => {
  const response = await rpc('{')
  assertHeaders(response, {
    ...problemBody(response),
    ...window(599),
  })
})

for (const [what, body] of notJson) {
  test(`${what} is 400 invalid_json`, async ({ rpc }) => {
    assertMcpProblem(await rpc(body), 400, 'invalid_json')
  })
}

for (const [what, body] of notARequest) {
  test(`${what} is 400 invalid_jsonrpc_request`, async ({ rpc }) => {
    assertMcpProblem(await rpc(body), 400, 'invalid_jsonrpc_request')
  })
}

test('the detail of a 400 describes the fault, and repeats nothing of the body', async ({ rpc }) => {
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

test('surrounding white space and the order of members do not matter', async ({ rpc }) => {
  const response = await rpc(' \n{ "method" : "ping" , "params" : {} , "id" : 1 , "jsonrpc" : "2.0" }\r\n')
  assert.equal(response.text, '{"jsonrpc":"2.0","id":1,"result":{}}')
})
