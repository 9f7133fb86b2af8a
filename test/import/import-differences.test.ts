/** What an import writes, and what it leaves alone: the same on both engines. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StagedItems } from '../../src/lists/stored/staged-items.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { manyTasks, NOW, startSyncing } from './syncing.ts'

const counts = (created: number, replaced: number, deleted: number, unchanged: number) => ({
  created,
  replaced,
  deleted,
  unchanged,
})

test('records that match what is stored write nothing: no row, no revision, no audit entry', async (t) => {
  const { import: take, traces, ask, workspace } = await startSyncing(t)
  await take(manyTasks(20))
  const before = await traces()
  assert.deepEqual(await take(manyTasks(20).reverse()), counts(0, 0, 0, 20))
  assert.deepEqual(await traces(), before)
  assert.deepEqual(
    await take([...manyTasks(20), { id: '3', title: 'x' }, { id: '3', title: 'Task 3' }]),
    counts(0, 2, 0, 20),
  )
  assert.deepEqual(await traces(), before)
  assert.deepEqual(await take(manyTasks(21, (i) => `Task ${i === 7 ? 'seven' : i}`)), counts(1, 1, 0, 19))
  assert.deepEqual(
    await ask(`SELECT actor, subject, detail FROM audit WHERE action = 'tasks.imported' ORDER BY number`),
    [
      `test ${workspace.id} {"created":20,"replaced":0,"deleted":0,"unchanged":0}`,
      `test ${workspace.id} {"created":1,"replaced":1,"deleted":0,"unchanged":19}`,
    ],
  )
})

test('"deleted": true deletes; for a missing task, there is nothing to do', async (t) => {
  const { import: take, tasks, ask } = await startSyncing(t)
  await take(manyTasks(4))
  const records = [
    { id: '0', deleted: true },
    { id: '1', title: 'Task 1, which is gone at its source', details: null, deleted: true },
    { id: '2', title: 'Task 2', deleted: false },
    { id: 'never', deleted: true },
    { id: 'new', title: 'New' },
  ]
  assert.deepEqual(await take(records), counts(1, 0, 2, 2))
  assert.deepEqual(await tasks(), ['2 Task 2 ', '3 Task 3 ', 'new New '])
  assert.deepEqual(await ask(`SELECT count(*) FROM audit WHERE action = 'tasks.imported'`), ['2'])
})

test('of records with the same id the last counts, whether or not it deletes', async (t) => {
  const { import: take, tasks } = await startSyncing(t)
  await take(manyTasks(2))
  const records = [
    { id: '0', deleted: true },
    { id: '1', title: 'One' },
    { id: '0', title: 'Zero' },
    { id: '1', deleted: true },
    { id: 'x', title: 'X' },
    { id: 'x', deleted: true },
  ]
  assert.deepEqual(await take(records), counts(0, 4, 1, 1))
  assert.deepEqual(await tasks(), ['0 Zero '])
})

test('a deletion names a whole id, and no unknown field', async (t) => {
  const { import: take, traces } = await startSyncing(t)
  const before = await traces()
  for (const [record, complaint] of [
    [{ deleted: true }, /line 1: id is required/],
    [{ id: '', deleted: true }, /line 1: id must not be empty/],
    [{ id: 7, deleted: true }, /line 1: id must be a string/],
    [{ id: 'a', deleted: 'yes' }, /line 1: title is required; deleted must be true or false/],
    [{ id: 'a', colour: 'red', deleted: true }, /line 1: .*colour is not a known field/],
    [{ id: 'a', dueAt: 'soon', deleted: true }, /line 1: dueAt must be a valid date and time/],
  ] as const)
    assert.match(String(await take([record])), complaint)
  assert.deepEqual(await traces(), before)
})

test('new tasks of one import are ordered by creation time, those without one last', async (t) => {
  const { import: take, ask } = await startSyncing(t)
  await take([{ id: 'old', title: 'Old', createdAt: '2026-09-01T00:00:00Z' }])
  await take([
    { id: 'none', title: 'No moment' },
    { id: 'later', title: 'Later', createdAt: '2026-03-01T00:00:00Z' },
    { id: 'old', title: 'Old, replaced', createdAt: '2020-01-01T00:00:00Z' },
    { id: 'earlier', title: 'Earlier', createdAt: '2026-02-01T00:00:00Z' },
    { id: 'twice', title: 'Once', createdAt: '2026-03-01T00:00:00Z' },
    { id: 'last', title: 'At the same moment', createdAt: '2026-03-01T00:00:00Z' },
    { id: 'twice', title: 'Twice', createdAt: '2026-03-01T00:00:00Z' },
  ])
  assert.deepEqual(await ask('SELECT id FROM list_items ORDER BY seq'), [
    'old',
    'earlier',
    'later',
    'twice',
    'last',
    'none',
  ])
})

test('a list may have 100,000 rows, and one more is refused before anything is written', async (t) => {
  const { import: take, elsewhere, ask } = await startSyncing(t)
  await take(manyTasks(2))
  await elsewhere.run(`
    WITH RECURSIVE numbers AS (SELECT 3 AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < 100000)
    INSERT INTO list_items (workspace_id, list, id, seq, revision, sort_key, words, body, rest)
    SELECT workspace_id, list, 'copy ' || n, n, revision, sort_key, words, body, rest
    FROM numbers JOIN list_items ON id = '0'`)
  const state = () => ask('SELECT number, (SELECT count(*) FROM list_items) FROM revisions')
  const before = await state()
  assert.match(
    String(
      await take([
        { id: 'more', title: 'More' },
        { id: '1', title: 'x' },
      ]),
    ),
    /a workspace can have at most 100,000 tasks, and would have 100,001; nothing was changed$/,
  )
  assert.deepEqual(await state(), before)
  assert.deepEqual(
    await take([
      { id: 'more', title: 'More' },
      { id: '1', deleted: true },
    ]),
    counts(1, 0, 1, 0),
  )
})

test('more records than the rows of two full lists are refused while they are read', async () => {
  using staged = new StagedItems(currentTasks, NOW)
  const deletions = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => ({ id: String(from + i), deleted: true }))
  staged.add(deletions(0, 200_000))
  staged.add(deletions(0, 1))
  assert.throws(() => staged.add(deletions(200_000, 1)), {
    name: 'UserError',
    message: 'there are more than 200,000 records, and a workspace can have at most 100,000 tasks; nothing was changed',
  })
})
