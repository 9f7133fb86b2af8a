// On both engines: each engine reads bodies in its own way.
import assert from 'node:assert/strict'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { startContractService, taskIdsIn } from '../support/contract-service.ts'
import { changeElsewhere, testWith } from '../support/database.ts'
import { setArchived } from '../support/workspaces.ts'
import { importTasks, rowsOf } from '../support/written-lists.ts'

const test = testWith(startContractService)

test('a task has all eleven fields and nothing else, whatever else is stored', async ({ get, addTasks }) => {
  const task = {
    id: 'task_1',
    title: 'Confirm the "spring" order — Ünal, 日本, 👜',
    details: 'Line one\nline two\\ and a tab\t.',
    dueAt: '2026-11-16T17:00:00.000Z',
    bookKey: 'home-textiles',
    assigneeName: 'Priya Raman',
    assigneeEmail: 'priya@acme.example',
    sourceSessionId: 'session_88',
    sourceTitle: 'Supplier call',
    sourceSummary: 'Price agreed, quantity open.',
    sourceKind: 'a-kind-nobody-heard-of',
  }
  const [snoozedUntil, createdAt] = ['2026-11-01T00:00:00.000Z', '2026-10-01T00:00:00.000Z']
  await addTasks([{ ...task, status: 'open', snoozedUntil, createdAt }])
  const response = await get('/tasks')
  assert.equal(response.status, 200)
  assert.deepEqual(response.json, { tasks: [task] })
})

test('there are no filters or pages: a query changes nothing', async ({ get, addTasks }) => {
  await addTasks([{ id: 'a', bookKey: 'shoes' }, { id: 'b' }])
  const plain = await get('/tasks')
  const asked = await get('/tasks?limit=1&bookKey=shoes&page=2&cursor=x')
  assert.equal(asked.status, 200)
  assert.equal(asked.text, plain.text)
})

test('the tasks of an archived workspace are 200 with an empty list, and back once it is restored', async (service) => {
  await service.addTasks([{ id: 'a' }])
  const before = await service.get('/tasks')
  await setArchived(service, '2026-11-15T11:00:00.000Z')
  const gone = await service.get('/tasks', { 'if-none-match': before.headers.etag ?? '' })
  assert.equal(gone.status, 200)
  assert.equal(gone.text, '{"tasks":[]}')
  assert.match(gone.headers.etag ?? '', /^".+"$/)
  await setArchived(service, null)
  assert.equal((await service.get('/tasks')).text, before.text)
})

test('X-Total-Count is on every response that does not have all current tasks', async (service) => {
  const { get, send, key, addTasks, time } = service
  const ids = Array.from({ length: 100 }, (_, n) => `task_${n}`)
  await addTasks(ids.map((id) => ({ id })))
  assert.equal((await get('/tasks')).headers['x-total-count'], undefined, 'all of them are there')
  const snoozedUntil = new Date(time.now + 60_000).toISOString()
  await addTasks([{ id: 'next' }, { id: 'done', status: 'completed' }, { id: 'snoozed', snoozedUntil }])
  const { headers } = await get('/tasks')
  assert.equal(headers['x-total-count'], '101')
  // The body stays the same, and the number does not.
  time.now += 60_000
  for (const method of ['GET', 'HEAD']) {
    const sent = { authorization: `Bearer ${key}`, 'if-none-match': headers.etag ?? '' }
    const response = await send('/tasks', { method, headers: sent })
    assert.deepEqual([response.status, response.headers['x-total-count']], [304, '102'], method)
  }
  const head = await send('/tasks', { method: 'HEAD', headers: { authorization: `Bearer ${key}` } })
  assert.deepEqual([head.status, head.headers['x-total-count']], [200, '102'])
  assert.equal((await get('/workspace')).headers['x-total-count'], undefined)
  await rowsOf(service.operator, currentTasks, service.workspaceId).remove(['task_0'])
  assert.equal((await get('/tasks')).headers['x-total-count'], '101')
  // Rows that were stored for another definition are counted too.
  await changeElsewhere(service.databaseUrl, `UPDATE stored_lists SET shape = 'other'`)
  await changeElsewhere(service.databaseUrl, 'UPDATE revisions SET number = number + 1')
  assert.equal((await get('/tasks')).headers['x-total-count'], '101')
})

test('X-Total-Count counts up to 10,000', async ({ get, addTasks }) => {
  await addTasks(Array.from({ length: 10_001 }, (_, n) => ({ id: `task_${n}` })))
  assert.equal((await get('/tasks')).headers['x-total-count'], '10000')
})

// The clock of the service stands at 2026-11-15T12:00:00.000Z until a test moves it.

test('completed, cancelled and snoozed tasks are never returned', async ({ get, addTasks }) => {
  const future = '2026-11-15T12:00:00.001Z'
  const past = '2026-11-15T11:59:59.999Z'
  await addTasks([
    { id: 'open' },
    { id: 'completed', status: 'completed' },
    { id: 'cancelled', status: 'cancelled' },
    { id: 'snoozed', snoozedUntil: future },
    { id: 'overdue-but-snoozed', dueAt: '2026-01-01T00:00:00.000Z', snoozedUntil: future },
    { id: 'completed-after-a-snooze', status: 'completed', snoozedUntil: past },
    { id: 'cancelled-after-a-snooze', status: 'cancelled', snoozedUntil: past },
    { id: 'resumed', snoozedUntil: past },
  ])
  assert.deepEqual(taskIdsIn(await get('/tasks')), ['open', 'resumed'])
})

const due = (id: string, dueAt: string | null) => ({ id, dueAt })

test('the earliest due date comes first, then the earliest created; undated tasks are last', async ({
  get,
  addTasks,
}) => {
  const [past, noon] = ['2026-11-15T11:00:00.000Z', '2026-11-16T12:00:00.000Z']
  await addTasks([{ id: 'c', dueAt: noon, createdAt: '2026-03-03T00:00:00.000Z' }, due('z-undated', null)])
  await addTasks([
    due('later', '2027-01-01T00:00:00.000Z'),
    due('overdue', '2025-11-15T09:00:00.000Z'),
    { id: 'a', dueAt: noon, createdAt: '2026-02-02T00:00:00.000Z' },
    { id: 'resumed', dueAt: noon, snoozedUntil: past },
    due('a-millisecond-on', '2026-11-16T12:00:00.001Z'),
    { id: 'resumed-undated', snoozedUntil: past },
    due('a-undated', null),
  ])
  const dated = ['overdue', 'c', 'a', 'resumed', 'a-millisecond-on', 'later']
  assert.deepEqual(taskIdsIn(await get('/tasks')), [...dated, 'z-undated', 'resumed-undated', 'a-undated'])
})

test('a task that is replaced, or disappears and comes back, keeps its place', async ({ get, addTasks }) => {
  await addTasks([due('first', null), due('second', null)])
  await addTasks([{ id: 'first', title: 'Replaced', status: 'completed' }])
  assert.deepEqual(taskIdsIn(await get('/tasks')), ['second'])
  await addTasks([{ id: 'first', title: 'Replaced', status: 'open' }])
  assert.deepEqual(taskIdsIn(await get('/tasks')), ['first', 'second'])
})

test('the first 100 tasks are returned, of those that are current', async ({ get, addTasks }) => {
  const day = (n: number) => new Date(Date.UTC(2027, 0, n)).toISOString()
  const early = '2020-01-01T00:00:00.000Z'
  await addTasks(Array.from({ length: 150 }, (_, n) => ({ id: `done${n}`, dueAt: early, status: 'completed' })))
  await addTasks([{ id: 'asleep', dueAt: early, snoozedUntil: day(1) }, due('undated', null)])
  await addTasks(Array.from({ length: 130 }, (_, n) => due(`n${130 - n}`, day(130 - n))))
  const first = Array.from({ length: 100 }, (_, n) => `n${n + 1}`)
  assert.deepEqual(taskIdsIn(await get('/tasks')), first)
})

test('instants count whatever their offset: due dates are ordered by them and in UTC, and a snooze ends at one', async ({
  get,
  operator,
  time,
}) => {
  await importTasks(operator, [
    { id: 'third', title: 'Three', dueAt: '2026-11-16T09:00:00Z' },
    { id: 'first', title: 'One', dueAt: '2026-11-16T16:00:00+09:00' },
    { id: 'fourth', title: 'Four', dueAt: '2026-11-15T23:30:00-10:00' },
    { id: 'second', title: 'Two', dueAt: '2026-11-16T09:00:00.5+01:00' },
    { id: 'third-too', title: 'A tie', dueAt: '2026-11-16T10:00:00+01:00' },
    { id: 'asleep', title: 'Snoozed', snoozedUntil: '2026-11-15T13:00:01+01:00' },
  ])
  const { tasks } = (await get('/tasks')).json as { tasks: { id: string; dueAt: string }[] }
  assert.deepEqual(
    tasks.map(({ id, dueAt }) => `${id} ${dueAt}`),
    [
      'first 2026-11-16T07:00:00.000Z',
      'second 2026-11-16T08:00:00.500Z',
      'third 2026-11-16T09:00:00.000Z',
      'third-too 2026-11-16T09:00:00.000Z',
      'fourth 2026-11-16T09:30:00.000Z',
    ],
  )
  time.now += 1000
  assert.equal(taskIdsIn(await get('/tasks')).at(-1), 'asleep')
})
