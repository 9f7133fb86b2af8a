// On both engines: revisions order concurrent writers.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { ChangesRequest, Filters, Moment } from '../../src/lists/query.ts'
import { readerOf } from '../../src/lists/stored/rows.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { openStore, servedStore, startOperator } from '../support/operator.ts'
import { openRows } from '../support/written-lists.ts'

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
