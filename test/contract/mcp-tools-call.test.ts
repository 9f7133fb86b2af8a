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

test('a tool sees a change, and a snooze that ends, as soon as REST does', async ({ call, addTasks, time }) => {
  const ids = async (args?: object) => {
    const text = (await call('list_tasks', args)).result?.content[0]?.text ?? ''
    return JSON.parse(text).tasks.map(({ id }: { id: string }) => id)
  }
  await addTasks([{ id: 'a' }, { id: 'b', snoozedUntil: '2026-11-15T12:00:01.000Z' }])
  for (const args of [undefined, { limit: 100 }]) assert.deepEqual(await ids(args), ['a'])
  await addTasks([{ id: 'c' }])
  for (const args of [undefined, { limit: 100 }]) assert.deepEqual(await ids(args), ['a', 'c'])
  time.now += 1000
  for (const args of [undefined, { limit: 100 }]) assert.deepEqual(await ids(args), ['a', 'b', 'c'])
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

const unknownTools = ['GET_WORKSPACE', '', 'constructor', '__proto__', 'tools/list', 'create_task']
const badCalls: [params: object | undefined, words: RegExp][] = [
  ...unknownTools.map((name): [object, RegExp] => [{ name }, /^(?!.*create_task)/]),
  ...[undefined, {}, { name: null }, { name: 1 }, { name: ['get_workspace'] }, { arguments: {} }].map(
    (params): [object | undefined, RegExp] => [params, /name/],
  ),
  ...['get_workspace', 'list_tasks'].flatMap((name) =>
    [[], null, 'limit', 5, true].map((args): [object, RegExp] => [{ name, arguments: args }, /arguments/]),
  ),
  ...['limit', 'id', '_meta', 'constructor'].map((argument): [object, RegExp] => [
    { name: 'get_workspace', arguments: { [argument]: 1 } },
    new RegExp(`\\b${argument}\\b`),
  ]),
]

test('a bad call is -32602 within a 200, whose message names the fault', async ({ rpc }) => {
  for (const [params, words] of badCalls) {
    const { status, json } = await rpc({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const { error, result } = json as RpcReply
    assert.deepEqual([status, error?.code, result], [200, -32602, undefined], JSON.stringify(params))
    assert.match(error?.message ?? '', words)
  }
})

const badParams: [method: string, params: object, message: string, faults: object[]][] = [
  [
    'tools/list',
    { cursor: 'x' },
    'There is only one page of tools; leave params.cursor out.',
    [{ argument: 'params.cursor', problem: 'must be left out; there is only one page of tools' }],
  ],
  [
    'tools/call',
    {},
    'params.name must be the name of a tool.',
    [{ argument: 'params.name', problem: 'must be the name of a tool' }],
  ],
  [
    'tools/call',
    { name: 'no_such_tool' },
    'No tool has this name; tools/list shows the tools.',
    [{ argument: 'params.name', problem: 'is not the name of a tool; tools/list shows the tools' }],
  ],
  [
    'tools/call',
    { name: 'list_tasks', arguments: [] },
    'params.arguments must be an object.',
    [{ argument: 'params.arguments', problem: 'must be an object' }],
  ],
  [
    'tools/call',
    { name: 'list_tasks', arguments: { limit: 0, colour: 'red' } },
    'Invalid arguments: colour is not a known argument; limit must be a whole number from 1 to 100. The arguments are due, dueAfter, dueBefore, assignee, assigneeEmail, unassigned, bookKey, workspaceWide, sourceSessionId, sourceKind, ids, query, countBy, fields, limit, cursor, changedSince, ifNoneMatch.',
    [
      { argument: 'colour', problem: 'is not a known argument' },
      { argument: 'limit', problem: 'must be a whole number from 1 to 100' },
    ],
  ],
]
test('every -32602 lists its faults in data', async ({ rpc }) => {
  for (const [method, params, message, faults] of badParams) {
    const response = await rpc({ jsonrpc: '2.0', id: 1, method, params })
    assert.deepEqual(response.json, { jsonrpc: '2.0', id: 1, error: { code: -32602, message, data: { faults } } })
  }
})
