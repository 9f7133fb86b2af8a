import assert from 'node:assert/strict'
import { type RpcReply, startContractService } from '../support/contract-service.ts'
import { testWith } from '../support/database.ts'
import { setArchived } from '../support/workspaces.ts'

const test = testWith(startContractService)

test("a tool without arguments returns exactly REST's JSON, as text", async ({ get, rpc, addTasks }) => {
  await addTasks([
    { id: 'a', title: 'Quotes "…", back\\slash, \u2028, \u0007, 日本, 👜 </script>', details: 'one\r\n\ttwo' },
    { id: 'b', dueAt: '2026-11-16T09:00:00.000Z', assigneeEmail: 'priya@acme.example' },
    { id: 'asleep', snoozedUntil: '2026-11-16T09:00:00.000Z' },
    { id: 'done', status: 'completed' },
  ])
  for (const [path, name] of [
    ['/workspace', 'get_workspace'],
    ['/tasks', 'list_tasks'],
  ] as const) {
    const result = { content: [{ type: 'text', text: (await get(path)).text }] }
    for (const args of [{}, { arguments: {} }, { arguments: {}, _meta: { progressToken: 1 } }]) {
      const response = await rpc({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, ...args } })
      assert.deepEqual(response.json, { jsonrpc: '2.0', id: 1, result })
    }
  }
})

test('with an argument, tasks look as in GET /tasks, and further members describe the list', async (service) => {
  const { get, call, addTasks } = service
  await addTasks([{ id: 'a', bookKey: 'shoes' }, { id: 'b' }, { id: 'c' }])
  const { tasks } = (await get('/tasks')).json as { tasks: object[] }
  const text = (await call('list_tasks', { limit: 2 })).result?.content[0]?.text ?? ''
  const { etag, nextCursor, ...rest } = JSON.parse(text)
  assert.match(`${etag} ${nextCursor}`, /^[\w-]{32} [\w-]+$/)
  const time = { asOf: '2026-11-15T12:00:00.000Z', localDate: '2026-11-15', timezone: 'Europe/London' }
  assert.deepEqual(rest, { ...time, total: 3, hasMore: true, tasks: tasks.slice(0, 2) })
  assert.ok(text.endsWith(`"tasks":${JSON.stringify(tasks.slice(0, 2))}}`), 'byte for byte')
})

test('an unavailable workspace is an error that the model sees, and a list without tasks', async (service) => {
  await service.addTasks([{ id: 'a' }])
  await setArchived(service, '2026-11-15T11:00:00.000Z')
  const workspace = (await service.call('get_workspace')).result
  assert.equal(workspace?.isError, true)
  assert.deepEqual(workspace?.content.map(Object.keys), [['type', 'text']])
  assert.match(workspace?.content[0]?.text ?? '', /archived or deleted/)
  assert.deepEqual((await service.call('list_tasks', {})).result, { content: [{ type: 'text', text: '{"tasks":[]}' }] })
  const { etag, ...none } = JSON.parse((await service.call('list_tasks', { limit: 5 })).result?.content[0]?.text ?? '')
  const time = { asOf: '2026-11-15T12:00:00.000Z', localDate: '2026-11-15', timezone: null }
  assert.deepEqual(none, { ...time, total: 0, hasMore: false, nextCursor: null, tasks: [] })
})

const badCalls: [params: object | undefined, words: RegExp][] = [
  ...['GET_WORKSPACE', '', '__proto__', 'create_task'].map((name): [object, RegExp] => [
    { name },
    /^(?!.*create_task)/,
  ]),
  ...[undefined, {}, { name: null }, { name: ['get_workspace'] }].map((params): [typeof params, RegExp] => [
    params,
    /name/,
  ]),
  ...[[], null, 'limit'].map((args): [object, RegExp] => [{ name: 'list_tasks', arguments: args }, /arguments/]),
  [{ name: 'get_workspace', arguments: { limit: 1 } }, /limit/],
]

test('a bad call is -32602 within a 200, whose message names the fault', async ({ rpc }) => {
  for (const [params, words] of badCalls) {
    const { status, json } = await rpc({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const { error, result } = json as RpcReply
    assert.deepEqual([status, error?.code, result], [200, -32602, undefined], JSON.stringify(params))
    assert.match(error?.message ?? '', words)
  }
})
