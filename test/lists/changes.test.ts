// On both engines: revisions order concurrent writers.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { ChangesRequest, Filters, Moment } from '../../src/lists/query.ts'
import { readerOf } from '../../src/lists/stored/rows.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { openStore, servedStore, startOperator } from '../support/operator.ts'
import { openRows, rowsOf } from '../support/written-lists.ts'

const task = (id: string) => ({ id, title: `Task ${id}`, status: 'open' })

/** Two writers, as on two replicas, and a reader. */
async function start(t: TestContext) {
  const url = await migratedDatabaseUrl(t)
  const { store: first, workspace } = await startOperator(t, url)
  const second = await openStore(t, url)
  const reader = readerOf(await servedStore(t, url), currentTasks)
  const scope = () => ({ workspaceId: workspace.id, now: Date.now(), only: null })
  const page = (changes?: ChangesRequest, filters: Filters = {}, now = Date.now()) =>
    reader.page({ ...scope(), now }, { filters, limit: 100, withTotal: true, ...(changes && { changes }) })
  const idsSince = async (since: Moment) =>
    (await page({ since, formerFilters: {} })).rows.map((row) => (JSON.parse(row) as { id: string }).id)
  return { first, second, workspaceId: workspace.id, page, idsSince }
}

test('a write that began first, and is visible last, is told to whoever read in between', async (t) => {
  const { first, second, workspaceId, page, idsSince } = await start(t)
  const moments: Moment[] = []
  const look = async () => moments.push((await page()).moment)
  const { promise: isWritten, resolve: written } = Promise.withResolvers<void>()
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
  const slow = first.transaction(async (tx) => {
    await (await openRows(tx, currentTasks, workspaceId)).put([task('slow')])
    written()
    await mayEnd
  })
  await isWritten
  await look()
  // It waits for the first writer, so nothing can be visible before it that has a later revision.
  const quick = second.transaction(async (tx) => {
    await (await openRows(tx, currentTasks, workspaceId)).put([task('quick')])
  })
  await look()
  end()
  await Promise.all([slow, quick])
  await look()
  assert.deepEqual(await Promise.all(moments.map(idsSince)), [['slow', 'quick'], ['slow', 'quick'], []])
})

test('a task that was deleted before its snooze ended is not told, even to a moment in the future', async (t) => {
  const { first, workspaceId, page } = await start(t)
  const write = (work: (rows: Awaited<ReturnType<typeof openRows>>) => Promise<unknown>) =>
    first.transaction(async (tx) => {
      await work(await openRows(tx, currentTasks, workspaceId))
    })
  const tomorrow = Date.now() + 86_400_000
  await write((rows) =>
    rows.put([{ ...task('asleep'), snoozedUntil: new Date(tomorrow).toISOString() }, task('awake')]),
  )
  const { moment } = await page()
  await write((rows) => rows.delete(['asleep', 'awake']))
  const { gone } = await page({ since: { ...moment, ms: 2 * tomorrow }, formerFilters: {} })
  assert.deepEqual(gone, { ids: ['awake'], isPartial: false })
})

test('a task that matched only after the moment, as on a later page, is told when it is gone', async (t) => {
  const { first, workspaceId, page } = await start(t)
  const { put, remove } = rowsOf(first, currentTasks, workspaceId)
  await put([{ ...task('moves'), bookKey: 'wool' }])
  const { moment: since } = await page()
  await put([{ ...task('moves'), bookKey: 'linen' }])
  await remove(['moves'])
  const filters = { bookKey: 'linen' }
  assert.deepEqual((await page({ since, formerFilters: filters }, filters)).gone?.ids, ['moves'])
})

test('later pages tell the same as gone as the first, whatever happens between them', async (t) => {
  const { first, workspaceId, page } = await start(t)
  const { put, remove } = rowsOf(first, currentTasks, workspaceId)
  const wool = { bookKey: 'wool' }
  const soon = Date.now() + 60_000
  const ids = ['stays', 'deleted', 'moved', 'completed', 'snoozed', 'reopened', 'left']
  await put(ids.map((id) => ({ ...task(id), ...wool })))
  const { moment: since } = await page()
  await put([
    ...['deleted', 'moved', 'completed'].map((id) => ({ ...task(id), ...wool, title: 'Changed' })),
    { ...task('snoozed'), ...wool, snoozedUntil: new Date(soon).toISOString() },
    { ...task('reopened'), ...wool, status: 'completed' },
    { ...task('left'), bookKey: 'linen' },
  ])
  const changes = { since, formerFilters: wool }
  const { gone, moment: until } = await page(changes, wool)
  assert.deepEqual(gone?.ids.toSorted(), ['left', 'reopened', 'snoozed'])
  await put([
    { ...task('moved'), bookKey: 'linen' },
    { ...task('completed'), ...wool, status: 'completed' },
    { ...task('reopened'), ...wool },
    { ...task('left'), ...wool },
  ])
  await remove(['deleted'])
  const later = await page({ ...changes, until }, wool, soon + 1)
  assert.deepEqual(later.gone?.ids.toSorted(), gone?.ids.toSorted())
})
