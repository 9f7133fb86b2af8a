import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { startContractService } from '../support/contract-service.ts'
import { testWith } from '../support/test-with.ts'

const test = testWith(start)

/** The service with these tasks, and what list_tasks gives of them. */
async function start(t: TestContext) {
  const service = await startContractService(t)
  const priya = { assigneeName: 'Priya', assigneeEmail: 'Priya@Acme.example' }
  await service.addTasks([
    { id: 'undated', bookKey: 'shoes', ...priya },
    { id: 'day-3', dueAt: '2026-11-18T09:00:00.000Z', bookKey: 'shoes', assigneeEmail: 'sam@acme.example' },
    { id: 'day-1', dueAt: '2026-11-16T09:00:00.000Z', bookKey: 'shoes', ...priya },
    { id: 'day-2', dueAt: '2026-11-17T09:00:00.000Z', bookKey: 'hats', ...priya },
    {
      id: 'asleep',
      dueAt: '2026-11-15T09:00:00.000Z',
      bookKey: 'shoes',
      snoozedUntil: '2027-01-01T00:00:00.000Z',
      ...priya,
    },
    { id: 'resumed', dueAt: '2026-11-16T10:00:00.000Z', bookKey: 'shoes', snoozedUntil: '2026-11-01T00:00:00.000Z' },
    { id: 'done', dueAt: '2026-11-15T09:00:00.000Z', bookKey: 'shoes', status: 'completed', ...priya },
    { id: 'bookless' },
  ])
  const list = async (args: object) => {
    const { result, error } = await service.call('list_tasks', args)
    assert.equal(error, undefined, error?.message)
    const { tasks } = JSON.parse(result?.content[0]?.text ?? '') as { tasks: { id: string }[] }
    return tasks.map(({ id }) => id).join(' ')
  }
  const fault = async (args: object) => {
    const { error } = await service.call('list_tasks', args)
    assert.equal(error?.code, -32602, JSON.stringify(args))
    return error as { code: number; message: string; data: { faults: { argument: string; problem: string }[] } }
  }
  return { ...service, list, fault }
}

test('limit gives the first so many in the order of GET /tasks', async ({ list }) => {
  assert.equal(await list({ limit: 1 }), 'day-1')
  assert.equal(await list({ limit: 4 }), 'day-1 resumed day-2 day-3')
  assert.equal(await list({ limit: 100 }), 'day-1 resumed day-2 day-3 undated bookless')
})

test('with an argument the tasks are as in GET /tasks, and more members say what list they are of', async (service) => {
  const { get, call } = service
  const { tasks } = (await get('/tasks')).json as { tasks: object[] }
  const text = (await call('list_tasks', { limit: 2 })).result?.content[0]?.text ?? ''
  const { etag, nextCursor, ...rest } = JSON.parse(text)
  assert.match(`${etag} ${nextCursor}`, /^[\w-]{12} [\w-]+$/)
  const time = { asOf: '2026-11-15T12:00:00.000Z', localDate: '2026-11-15', timezone: 'Europe/London' }
  assert.deepEqual(rest, { ...time, total: 6, hasMore: true, tasks: tasks.slice(0, 2) })
  assert.ok(text.endsWith(`"tasks":${JSON.stringify(tasks.slice(0, 2))}}`), 'byte for byte')
})

test('bookKey keeps the tasks of one book, and is exact', async ({ list }) => {
  assert.equal(await list({ bookKey: 'shoes' }), 'day-1 resumed day-3 undated')
  assert.equal(await list({ bookKey: 'hats' }), 'day-2')
  assert.equal(await list({ bookKey: 'Shoes' }), '')
  assert.equal(await list({ bookKey: "x' OR '1'='1" }), '')
})

test('assigneeEmail keeps the tasks of one person, in any case of letters', async ({ list }) => {
  for (const email of ['priya@acme.example', 'PRIYA@ACME.EXAMPLE', 'Priya@Acme.example'])
    assert.equal(await list({ assigneeEmail: email }), 'day-1 day-2 undated')
  assert.equal(await list({ assigneeEmail: 'SAM@acme.example' }), 'day-3')
  assert.equal(await list({ assigneeEmail: 'priya@acme' }), '')
  assert.equal(await list({ assigneeEmail: '%@acme.example' }), '')
  for (const alike of [
    '\u017Fam@acme.example',
    'pr\u0131ya@acme.example',
    'PR\u0130YA@acme.example',
    '\uFF30riya@acme.example',
  ])
    assert.equal(await list({ assigneeEmail: alike }), '', 'only ASCII letters have a case here')
})

test('dueBefore keeps what is due before an instant, and nothing undated', async ({ list }) => {
  assert.equal(await list({ dueBefore: '2026-11-17T09:00:00Z' }), 'day-1 resumed')
  assert.equal(await list({ dueBefore: '2026-11-17T09:00:00.001Z' }), 'day-1 resumed day-2')
  assert.equal(await list({ dueBefore: '2026-11-16T09:00:00Z' }), '')
  assert.equal(await list({ dueBefore: '9999-12-31T23:59:59Z' }), 'day-1 resumed day-2 day-3')
})

test('dueBefore is an instant, whatever its offset and spelling, or a date', async ({ list }) => {
  assert.equal(await list({ dueBefore: '2026-11-17' }), 'day-1 resumed')
  assert.equal(await list({ dueBefore: '2026-11-16T11:00:00+01:00' }), 'day-1')
  assert.equal(await list({ dueBefore: '2026-11-16T11:00:00.001+01:00' }), 'day-1 resumed')
  assert.equal(await list({ dueBefore: '2026-11-15T23:30:00-10:00' }), 'day-1')
  assert.equal(await list({ dueBefore: '2026-11-16t10:00:00z' }), 'day-1')
  assert.equal(await list({ dueBefore: '2026-11-16T10:00:00.000000Z' }), 'day-1')
  assert.equal(await list({ dueBefore: '2026-11-16T09:59:59.5Z' }), 'day-1')
})

test('arguments together narrow the list together', async ({ list }) => {
  const priya = 'priya@acme.example'
  assert.equal(await list({ bookKey: 'shoes', assigneeEmail: priya }), 'day-1 undated')
  assert.equal(await list({ bookKey: 'shoes', dueBefore: '2026-11-17T00:00:00Z' }), 'day-1 resumed')
  assert.equal(await list({ assigneeEmail: priya, dueBefore: '2027-01-01T00:00:00Z' }), 'day-1 day-2')
  assert.equal(await list({ assigneeEmail: priya, dueBefore: '2027-01-01T00:00:00Z', limit: 1 }), 'day-1')
  assert.equal(
    await list({ bookKey: 'hats', assigneeEmail: priya, dueBefore: '2027-01-01T00:00:00Z', limit: 5 }),
    'day-2',
  )
})

test('a filter looks at all current tasks, not at the first 100', async ({ list, addTasks }) => {
  await addTasks(Array.from({ length: 150 }, (_, n) => ({ id: `early${n}`, dueAt: '2026-01-01T00:00:00.000Z' })))
  assert.equal(await list({ bookKey: 'hats' }), 'day-2')
  assert.equal(await list({ assigneeEmail: 'sam@acme.example' }), 'day-3')
})

test.once('a limit that is none is -32602 and says what it must be', async ({ fault }) => {
  for (const limit of [0, -1, 101, 1.5, 1e9, '5', null, true, [1]]) {
    const { message, data } = await fault({ limit })
    assert.match(message, /limit must be/)
    assert.deepEqual([...new Set(data.faults.map(({ argument }) => argument))], ['limit'])
  }
})

test.once('texts of a wrong type are -32602', async ({ fault }) => {
  for (const argument of ['bookKey', 'assignee', 'assigneeEmail', 'sourceSessionId'])
    for (const value of [1, null, false, ['shoes'], { eq: 'shoes' }]) {
      const { message, data } = await fault({ [argument]: value })
      assert.match(message, new RegExp(`${argument} must be a string`))
      assert.equal(data.faults[0]?.argument, argument)
    }
})

test.once('a dueBefore that is neither a date nor an instant is -32602, and says which day it is', async (service) => {
  const { fault } = service
  const values = ['2026-11-31', '2026-11-16T10:00:00', 'tomorrow', '', '2026-02-30T10:00:00Z', '2026-11-16T25:00:00Z']
  values.push('2026-11-16 10:00:00Z', '1763287200', '2026-11-16T10:00:00+25:00', '2026-11-16T10:00Z')
  for (const dueBefore of values) {
    const { message } = await fault({ dueBefore })
    assert.match(message, /dueBefore must be a date that exists.* Today is 2026-11-15/, dueBefore)
  }
})

test.once('an unknown argument is refused, never dropped', async ({ fault }) => {
  for (const name of ['Limit', 'book_key', 'status', 'page', '_meta', 'constructor', 'toString']) {
    const { message, data } = await fault({ [name]: 'x' })
    assert.match(message, new RegExp(`\\b${name}\\b`))
    assert.equal(data.faults[0]?.argument, name)
  }
})

test.once('__proto__ as an argument is refused like any unknown one', async ({ rpc }) => {
  const response = await rpc(
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_tasks","arguments":{"__proto__":{"limit":1}}}}',
  )
  assert.equal((response.json as { error: { code: number } }).error.code, -32602)
})

test.once('the message names, and data lists, every fault at once', async ({ fault }) => {
  const { message, data } = await fault({ limit: 0, bookKey: 1, dueBefore: 'soon', nonsense: true })
  assert.deepEqual(data.faults.map(({ argument }) => argument).sort(), ['bookKey', 'dueBefore', 'limit', 'nonsense'])
  for (const { argument, problem } of data.faults) {
    assert.ok(message.includes(argument))
    assert.ok(problem.length > 5)
  }
})
