import assert from 'node:assert/strict'
import { startContractService, taskIdsIn } from '../support/contract-service.ts'
import { importTasks } from '../support/import-records.ts'
import { testWith } from '../support/test-with.ts'

const test = testWith(startContractService)

const due = (id: string, dueAt: string | null) => ({ id, dueAt })

test('the earliest due date comes first, whatever the order of creation', async ({ get, addTasks }) => {
  await addTasks([
    due('later', '2027-01-01T00:00:00.000Z'),
    due('overdue', '2025-11-15T09:00:00.000Z'),
    due('a-millisecond-on', '2026-11-16T09:00:00.001Z'),
    due('soon', '2026-11-16T09:00:00.000Z'),
  ])
  assert.deepEqual(taskIdsIn(await get('/tasks')), ['overdue', 'soon', 'a-millisecond-on', 'later'])
})

test('tasks without a due date follow all dated ones, in the order of creation', async ({ get, addTasks }) => {
  await addTasks([
    due('z-undated', null),
    due('far', '9999-12-31T23:59:59.000Z'),
    due('a-undated', null),
    due('near', '2026-11-16T00:00:00.000Z'),
  ])
  assert.deepEqual(taskIdsIn(await get('/tasks')), ['near', 'far', 'z-undated', 'a-undated'])
})

test('tasks with the same due date keep the order of creation, not of their ids or createdAt', async (service) => {
  const { get, addTasks } = service
  const same = '2026-11-16T09:00:00.000Z'
  await addTasks([{ id: 'c', dueAt: same, createdAt: '2026-03-03T00:00:00.000Z' }])
  await addTasks([{ id: 'a', dueAt: same, createdAt: '2026-02-02T00:00:00.000Z' }, due('b', same)])
  assert.deepEqual(taskIdsIn(await get('/tasks')), ['c', 'a', 'b'])
})

test('a replaced task keeps its place among tasks with the same due date', async ({ get, addTasks }) => {
  await addTasks([due('first', null), due('second', null), due('third', null)])
  await addTasks([{ id: 'first', title: 'Replaced' }])
  const response = await get('/tasks')
  assert.deepEqual(taskIdsIn(response), ['first', 'second', 'third'])
  assert.match(response.text, /"title":"Replaced"/)
})

test('a task that disappears and comes back keeps its place too', async ({ get, addTasks }) => {
  await addTasks([due('first', null), due('second', null)])
  await addTasks([{ id: 'first', status: 'completed' }])
  assert.deepEqual(taskIdsIn(await get('/tasks')), ['second'])
  await addTasks([{ id: 'first', status: 'open' }])
  assert.deepEqual(taskIdsIn(await get('/tasks')), ['first', 'second'])
})

test('tasks whose snooze has ended are sorted among those that were never snoozed', async ({ get, addTasks }) => {
  const past = '2026-11-15T11:00:00.000Z'
  await addTasks([
    due('b', '2026-11-17T00:00:00.000Z'),
    { id: 'resumed-undated', snoozedUntil: past },
    due('undated', null),
    { id: 'resumed-a', dueAt: '2026-11-16T00:00:00.000Z', snoozedUntil: past },
    { id: 'resumed-b', dueAt: '2026-11-17T00:00:00.000Z', snoozedUntil: past },
    due('c', '2026-11-18T00:00:00.000Z'),
  ])
  assert.deepEqual(taskIdsIn(await get('/tasks')), ['resumed-a', 'b', 'resumed-b', 'c', 'resumed-undated', 'undated'])
})

test('at most 100 tasks are returned: the first 100 in order', async ({ get, addTasks }) => {
  const day = (n: number) => new Date(Date.UTC(2027, 0, n)).toISOString()
  await addTasks([due('undated', null)])
  await addTasks(Array.from({ length: 130 }, (_, n) => due(`n${130 - n}`, day(130 - n))))
  const ids = taskIdsIn(await get('/tasks'))
  assert.deepEqual(
    ids,
    Array.from({ length: 100 }, (_, n) => `n${n + 1}`),
  )
})

test('exactly 100 tasks are all returned', async ({ get, addTasks }) => {
  await addTasks(Array.from({ length: 100 }, (_, n) => due(`n${n}`, null)))
  assert.equal(taskIdsIn(await get('/tasks')).length, 100)
})

test('tasks that are not current do not count towards the 100', async ({ get, addTasks }) => {
  const early = '2020-01-01T00:00:00.000Z'
  await addTasks(Array.from({ length: 150 }, (_, n) => ({ id: `done${n}`, dueAt: early, status: 'completed' })))
  await addTasks(
    Array.from({ length: 150 }, (_, n) => ({
      id: `asleep${n}`,
      dueAt: early,
      snoozedUntil: '2027-01-01T00:00:00.000Z',
    })),
  )
  await addTasks([due('current', '2030-01-01T00:00:00.000Z')])
  assert.deepEqual(taskIdsIn(await get('/tasks')), ['current'])
})

test.once('due dates are ordered by instant, whatever their offset, and returned in UTC', async ({ get, operator }) => {
  await importTasks(operator, [
    { id: 'third', title: 'Three', dueAt: '2026-11-16T09:00:00Z' },
    { id: 'first', title: 'One', dueAt: '2026-11-16T16:00:00+09:00' },
    { id: 'fourth', title: 'Four', dueAt: '2026-11-15T23:30:00-10:00' },
    { id: 'second', title: 'Two', dueAt: '2026-11-16T09:00:00.5+01:00' },
    { id: 'third-too', title: 'A tie', dueAt: '2026-11-16T10:00:00+01:00' },
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
})

test('a snooze given with an offset ends at that instant', async ({ get, operator, time }) => {
  await importTasks(operator, [{ id: 'a', title: 'One', snoozedUntil: '2026-11-15T13:00:01+01:00' }])
  assert.equal((await get('/tasks')).text, '{"tasks":[]}')
  time.now += 1000
  assert.match((await get('/tasks')).text, /"id":"a"/)
})
