import assert from 'node:assert/strict'
import test from 'node:test'
import { startContractService } from '../support/contract-service.ts'
import { importTasks } from '../support/import-tasks.ts'

test('due dates are ordered by instant, whatever their offset, and answered in UTC', async (t) => {
  const { get, databaseUrl } = await startContractService(t)
  await importTasks(databaseUrl, [
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

test('a snooze given with an offset ends at that instant', async (t) => {
  const { get, databaseUrl, time } = await startContractService(t)
  await importTasks(databaseUrl, [{ id: 'a', title: 'One', snoozedUntil: '2026-11-15T13:00:01+01:00' }])
  assert.equal((await get('/tasks')).text, '{"tasks":[]}')
  time.now += 1000
  assert.match((await get('/tasks')).text, /"id":"a"/)
})
