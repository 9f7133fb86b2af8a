import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import test from 'node:test'
import { updateWorkspace } from '../support/changes.ts'
import { startModernTools } from '../support/modern-client.ts'

const due = (day: number) => `2026-11-${String(day).padStart(2, '0')}T09:00:00.000Z`

async function start(t: TestContext) {
  const service = await startModernTools(t)
  const days = ['16', '17', '18', '19']
  await service.addTasks(days.map((day) => ({ id: `day-${day}`, dueAt: due(Number(day)), bookKey: 'shoes' })))
  await service.addTasks([{ id: 'hats', dueAt: due(16), bookKey: 'hats' }])
  return service
}

test('fields selects members, in the order of a task, and always includes id and title', async (t) => {
  const { list } = await start(t)
  const only = async (fields: string[]) => (await list({ limit: 1, fields })).tasks[0]
  assert.deepEqual(await only([]), { id: 'day-16', title: 'A task' })
  const [task] = (await list({ limit: 1, fields: ['bookKey', 'dueAt', 'title', 'dueAt'] })).tasks
  assert.equal(
    JSON.stringify(task),
    '{"id":"day-16","title":"A task","dueAt":"2026-11-16T09:00:00.000Z","bookKey":"shoes"}',
  )
  const { tasks, nextCursor } = await list({ limit: 1 })
  assert.deepEqual(await only(Object.keys(tasks[0] ?? {})), tasks[0])
  const next = await list({ cursor: nextCursor, limit: 2, fields: ['bookKey'] })
  assert.deepEqual(
    next.tasks.map(({ id, ...others }) => `${id} ${Object.keys(others)}`),
    ['hats title,bookKey', 'day-17 title,bookKey'],
    'limit and fields may change from page to page',
  )
})

test('a changed cursor, or one of another list or workspace, is a tool error that explains how to continue', async (t) => {
  const { list, fault } = await start(t)
  const { nextCursor } = await list({ limit: 2, bookKey: 'shoes' })
  assert.ok(nextCursor)
  const changed =
    'Nothing was read: correct the arguments and call again.\n- cursor is not a nextCursor of this list; give one exactly as it was returned, or leave it out to start over.'
  const bookKey = 'shoes'
  assert.equal(await fault({ cursor: `${nextCursor}A`, bookKey }), changed)
  assert.equal(await fault({ cursor: nextCursor.slice(1), bookKey }), changed)
  assert.equal(await fault({ cursor: '', bookKey }), changed)
  assert.equal(await fault({ cursor: `${nextCursor.slice(0, -2)}${nextCursor.at(-1)}`, bookKey }), changed)
  const other =
    'Nothing was read: correct the arguments and call again.\n- cursor belongs to a call with other filters; repeat those with it, or leave it out to start over.'
  assert.equal(await fault({ cursor: nextCursor }), other)
  assert.equal(await fault({ cursor: nextCursor, bookKey: 'hats' }), other)
  assert.equal(await fault({ cursor: nextCursor, bookKey, dueBefore: '2026-11-20' }), other)
  const elsewhere = await start(t)
  assert.equal(await elsewhere.fault({ cursor: nextCursor, bookKey }), other)
})

test('a cursor with a date is invalid in another timezone, and skips nothing', async (t) => {
  const { list, ids, fault, addTasks, operator } = await startModernTools(t)
  await addTasks(['01', '10', '12'].map((hour) => ({ id: `at-${hour}`, dueAt: `2026-11-20T${hour}:00:00.000Z` })))
  const [dated, timed] = [{ dueAfter: '2026-11-20' }, { dueAfter: '2026-11-20T00:00:00Z' }]
  const ofDate = await list({ ...dated, limit: 1 })
  const ofInstant = await list({ ...timed, limit: 1 })
  await updateWorkspace(operator, 'acme', { timezone: 'America/New_York' }, 'test')
  assert.match(await fault({ ...dated, cursor: ofDate.nextCursor }), /leave it out to start over/)
  assert.equal(await ids(dated), 'at-10 at-12')
  assert.equal(await ids({ ...timed, cursor: ofInstant.nextCursor }), 'at-10 at-12')
})

test('an etag belongs to its query, and equivalent arguments are the same query', async (t) => {
  const { list, addTasks } = await startModernTools(t)
  await addTasks([
    { id: 'a', bookKey: 'shoes', assigneeEmail: 'priya@acme.example', dueAt: '2026-11-16T09:00:00.000Z' },
  ])
  const etag = async (args: object) => (await list(args)).etag
  const asked = [
    {},
    { limit: 5 },
    { bookKey: 'shoes' },
    { assigneeEmail: 'priya@acme.example' },
    { dueBefore: '2026-11-20' },
    { dueBefore: '2026-11-20T00:00:00Z' },
    { dueAfter: '2026-11-10' },
    { fields: ['dueAt'] },
    { fields: [] },
  ]
  const tags = await Promise.all(asked.map(etag))
  assert.equal(new Set(tags).size, asked.length, 'though most return the same task')
  assert.equal(await etag({ limit: 100 }), tags[0])
  assert.equal(await etag({ fields: ['title', 'dueAt', 'dueAt'] }), tags[7])
  const named = { fields: Object.keys((await list()).tasks[0] ?? {}) }
  assert.notEqual(await etag(named), tags[0], 'texts that are named are whole')
  assert.equal(await etag({ assigneeEmail: 'PRIYA@acme.example' }), tags[3])
  assert.equal(await etag({ dueBefore: '2026-11-20T01:00:00.000+01:00' }), tags[5])
  for (const ifNoneMatch of [tags[1], `"${tags[1]}"`, '*', '', 'x'.repeat(10_000)])
    assert.equal((await list({ limit: 6, ifNoneMatch })).tasks.length, 1, 'a foreign etag gets the full result')
})
