// On both engines: foreign keys and triggers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listsOf } from '../../src/lists/definition.ts'
import { deleteWorkspace } from '../../src/provisioning/delete-workspace.ts'
import { resources } from '../../src/resources/index.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { connectElsewhere, skipWithoutPostgres } from '../support/database.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { openStore, startOperator } from '../support/operator.ts'
import { waitUntil } from '../support/wait.ts'
import { openRows } from '../support/written-lists.ts'

test('deleting a workspace during an import also deletes the imported rows', skipWithoutPostgres(), async (t) => {
  const url = await migratedDatabaseUrl(t, 'postgres')
  const { store, workspace } = await startOperator(t, url)
  const other = await openStore(t, url)
  const elsewhere = await connectElsewhere(url, t)
  const isWaiting = async () =>
    (
      await elsewhere.all(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
    ).length > 0

  let deleting: Promise<unknown> = Promise.resolve()
  try {
    await store.transaction(async (tx) => {
      const writer = await openRows(tx, currentTasks, workspace.id)
      deleting = deleteWorkspace(other, listsOf(resources), 'acme', 'test')
      await waitUntil(isWaiting)
      await writer.put([{ id: 'a', title: 'A' }], null)
    })
  } finally {
    await deleting
  }
  for (const name of ['list_items', 'workspaces']) assert.deepEqual(await elsewhere.all(`SELECT 1 FROM ${name}`), [])
})
