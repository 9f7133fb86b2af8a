import assert from 'node:assert/strict'
import { startContractService, taskIdsIn } from '../support/contract-service.ts'
import { importTasks } from '../support/import-records.ts'
import { testWith } from '../support/test-with.ts'

const test = testWith(startContractService)

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
