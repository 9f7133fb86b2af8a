// Run once: this is decided before any database query.
import assert from 'node:assert/strict'
import { assertHeaders, window } from '../support/assertions.ts'
import { echoedIds, escapedIds } from '../support/rpc-ids.ts'
import { sharedContractService } from '../support/shared-service.ts'
import { testWith } from '../support/test-with.ts'

const test = testWith(sharedContractService)

const ids = [...echoedIds, '1.5', '-0.25', '0.1234567890123456789', '1e400', 'null']

for (const id of ids) {
  const name = id.length > 40 ? `a string of ${id.length} characters` : id
  test(`the id ${name} is echoed unchanged, in results and in errors`, async ({ rpc }) => {
    const result = await rpc(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`)
    assert.equal(result.status, 200)
    assert.equal(result.text, `{"jsonrpc":"2.0","id":${id},"result":{}}`)
    const error = await rpc(`{"jsonrpc":"2.0","id":${id},"method":"no/such"}`)
    assert.equal(error.status, 200)
    assert.ok(error.text.startsWith(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,`), error.text)
  })
}

test('an id written with escapes comes back as the same string', async ({ rpc }) => {
  for (const id of escapedIds) {
    const response = await rpc(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`)
    assert.equal((response.json as { id: string }).id, JSON.parse(id))
  }
})

const disguised: [id: string, body: string][] = [
  ['2.5', '{"jsonrpc":"2.0","id":1.5,"\\u0069d":2.5,"method":"ping"}'],
  ['2.5', '{"jsonrpc":"2.0","\\u0069d":1.5,"id":2.5,"method":"ping"}'],
  ['2.0', '{"jsonrpc":"2.0","id":7,"\\u0069\\u0064":2.0,"method":"ping"}'],
  ['2.5', '{"jsonrpc":"2.0","id":"x","id":1.5,"i\\u0064" \n:\t2.5,"method":"ping"}'],
  ['"x"', '{"jsonrpc":"2.0","id":1.5,"id":"x","method":"ping"}'],
  ['1.5', '{"jsonrpc":"2.0","id":1.5,"method":"ping","params":{"\\u0069d":2.5}}'],
  ['1.5', '{"jsonrpc":"2.0","method":"id","method":"ping","id":1.5,"params":{"x":"\\"id\\":2.5"}}'],
  ['1.5', `{"jsonrpc":"2.0","id":1.5,"method":"ping","params":{"x":"${'x'.repeat(500_000)}"}}`],
  [
    '12345678901234567890',
    `{"params":{"x":"${'x'.repeat(500_000)}"},"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}`,
  ],
]
test('the last of several ids, however spelled, is echoed unchanged, in a body of any length', async (service) => {
  const { rpc } = service
  for (const [id, body] of disguised) assert.equal((await rpc(body)).text, `{"jsonrpc":"2.0","id":${id},"result":{}}`)
})

test('members named id inside params are not mistaken for the id', async ({ rpc }) => {
  const response = await rpc(
    '{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping","params":{"id":2.5,"a":[{"id":3.5}]}}',
  )
  assert.equal(response.text, '{"jsonrpc":"2.0","id":12345678901234567890,"result":{}}')
})

const notifications = [
  '{"jsonrpc":"2.0","method":"notifications/initialized"}',
  '{"jsonrpc":"2.0","method":"notifications/initialized","params":{"_meta":{}}}',
  '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
  '{"jsonrpc":"2.0","method":"no/such"}',
  '{"jsonrpc":"2.0","method":""}',
  '{"jsonrpc":"2.0","method":"initialize"}',
  '{"jsonrpc":"2.0","method":"tools/list"}',
  '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"no_such_tool"}}',
]
for (const body of notifications) {
  test(`${body} has no id: 202 without a body`, async ({ rpc }) => {
    for (const path of ['/mcp', '/v1/mcp']) {
      const response = await rpc(body, {}, path)
      assert.equal(response.status, 202)
      assert.equal(response.body.length, 0)
      assertHeaders(response, {
        'content-length': '0',
        ...window(path === '/mcp' ? 599 : 598),
        'x-service-api-version': '2025-03-26',
      })
    }
  })
}
