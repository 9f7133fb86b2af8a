import assert from 'node:assert/strict'
import test from 'node:test'
import { startContractService, withQuota } from '../support/contract-service.ts'
import type { HttpResponse, Sent } from '../support/exchange.ts'

const json = { 'content-type': 'application/json' }
const message = (method: string, params?: unknown, id: unknown = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })
const call = (name: unknown, args?: unknown) => message('tools/call', { name, arguments: args })

const bodies = [
  message('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }),
  message('ping', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2025-03-26' } }, null),
  '{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}',
  message('tools/list'),
  message('tools/list', { cursor: 'x' }),
  call('get_workspace'),
  call('list_tasks'),
  call('list_tasks', { limit: 1, dueBefore: '2026-11-20', fields: ['id'] }),
  call('list_tasks', { limit: 0, x: 1 }),
  call('no_such_tool'),
  message('server/discover'),
  '{"jsonrpc":"2.0","method":"notifications/initialized"}',
  '',
  '[',
  `[${message('ping')}]`,
  '{"jsonrpc":"2.0","id":1,"method":"ping","x":1}',
]

const headerSets: Record<string, string>[] = [
  {},
  { 'mcp-protocol-version': '2025-03-26' },
  { 'mcp-protocol-version': '2026-07-27' },
  { 'mcp-protocol-version': 'latest', 'mcp-method': 'tools/list', 'mcp-name': 'x' },
]

const others: Sent[] = [
  { method: 'POST', headers: { ...json, 'mcp-protocol-version': '2026-07-28' }, body: message('initialize') },
  { method: 'POST', headers: { 'content-type': 'text/plain' }, body: message('ping') },
  { method: 'POST', headers: { ...json, 'content-encoding': 'gzip' }, body: message('ping') },
  { method: 'POST', headers: { ...json, origin: 'https://evil.example' }, body: message('ping') },
  { method: 'POST', headers: { ...json, origin: 'http://localhost:5000' }, body: message('ping') },
  { method: 'POST', headers: { ...json, authorization: '' }, body: message('ping') },
  { method: 'POST', headers: { ...json, authorization: 'Bearer x' }, body: message('ping') },
  { method: 'POST', headers: json, body: ' '.repeat(1024 * 1024 + 1) },
  {
    method: 'POST',
    headers: json,
    body: [Buffer.from(message('ping').slice(0, 9)), Buffer.from(message('ping').slice(9))],
  },
  ...['GET', 'HEAD', 'OPTIONS', 'DELETE', 'PUT', 'PATCH'].map((method) => ({ method })),
]

/** A response without the parts that always differ. */
function essence({ status, headers, text }: HttpResponse) {
  const { date, 'x-request-id': requestId = '-', 'ratelimit-remaining': remaining, ...rest } = headers
  return { status, headers: rest, text: text.replaceAll(requestId, '<id>') }
}

test('requests of the old protocol version get the same response on all three paths, byte for byte', async (t) => {
  const { send, key, addTasks } = await startContractService(t, withQuota(100_000))
  await addTasks([
    { id: 'a', title: 'Ünal <b>', details: 'x\u{e0041}\u202e', dueAt: '2026-11-19T00:00:00.000Z', bookKey: 'linen' },
    { id: 'b' },
  ])
  const requests = [
    ...headerSets.flatMap((headers) =>
      bodies.map((body): Sent => ({ method: 'POST', headers: { ...json, ...headers }, body })),
    ),
    ...others,
  ]
  for (const sent of requests) {
    const authorized = { ...sent, headers: { authorization: `Bearer ${key}`, ...sent.headers } }
    const expected = essence(await send('/mcp', authorized))
    for (const path of ['/v1/mcp', '/v2/mcp'])
      assert.deepEqual(essence(await send(path, authorized)), expected, `${path} ${JSON.stringify(sent).slice(0, 300)}`)
  }
})

test('so do requests over the quota', async (t) => {
  const { rpc, get } = await startContractService(t, withQuota(1))
  await get('/workspace')
  for (const headers of headerSets) {
    const [before, after] = [await rpc(message('ping'), headers), await rpc(message('ping'), headers, '/v2/mcp')]
    assert.equal(after.status, 429)
    assert.deepEqual(essence(after), essence(before))
  }
})
