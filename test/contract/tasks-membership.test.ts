import assert from 'node:assert/strict'
import { openOperatorStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { resources } from '../../src/resources/index.ts'
import { emptyTask } from '../../src/resources/tasks/columns.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { startContractService, taskIdsIn } from '../support/contract-service.ts'
import { testWith } from '../support/test-with.ts'
import { rowsOf } from '../support/written-lists.ts'

const test = testWith(startContractService)

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

test('a task wakes only because of the clock, and the response and its ETag change with it', async ({
  get,
  addTasks,
  time,
}) => {
  await addTasks([{ id: 'sleeper', snoozedUntil: '2026-11-15T12:00:10.000Z' }, { id: 'open' }])
  const asleep = await get('/tasks')
  assert.deepEqual(taskIdsIn(asleep), ['open'])

  time.now += 9_999
  assert.equal((await get('/tasks', { 'if-none-match': asleep.headers.etag ?? '' })).status, 304)

  time.now += 1
  const awake = await get('/tasks', { 'if-none-match': asleep.headers.etag ?? '' })
  assert.equal(awake.status, 200)
  assert.deepEqual(taskIdsIn(awake), ['sleeper', 'open'])
  assert.notEqual(awake.headers.etag, asleep.headers.etag)
})

test('after the clock is set back, tasks whose snooze had ended are snoozed again', async ({ get, addTasks, time }) => {
  await addTasks([{ id: 'sleeper', snoozedUntil: '2026-11-15T12:00:00.000Z' }])
  assert.deepEqual(taskIdsIn(await get('/tasks')), ['sleeper'])
  time.now -= 1
  assert.deepEqual(taskIdsIn(await get('/tasks')), [])
})

test('the next request sees a change made by another process', async ({ get, addTasks, databaseUrl, workspaceId }) => {
  await addTasks([{ id: 'a' }, { id: 'b' }])
  const vitrine = await openOperatorStore(parseDatabaseUrl(databaseUrl), resources, { create: false })
  const { put, remove } = rowsOf(vitrine, currentTasks, workspaceId)
  assert.deepEqual(taskIdsIn(await get('/tasks')), ['a', 'b'])
  await put([{ ...emptyTask, id: 'a', title: 'A', status: 'completed' }])
  assert.deepEqual(taskIdsIn(await get('/tasks')), ['b'])
  await remove(['b'])
  assert.deepEqual(taskIdsIn(await get('/tasks')), [])
  await vitrine.close()
})
