import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tablesOf } from '../../src/database/table.ts'
import { deleteWorkspace } from '../../src/provisioning/delete-workspace.ts'
import { resources } from '../../src/resources/index.ts'
import { emptyTask } from '../../src/resources/tasks/columns.ts'
import { table } from '../../src/resources/tasks/current-tasks.ts'
import { connectElsewhere, skipWithoutPostgres } from '../support/database.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { startOperator } from '../support/operator.ts'
import { openStore } from '../support/stores.ts'
import { waitUntil } from '../support/wait.ts'

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

  const staging = store.stage(table)
  await staging.add([{ ...emptyTask, id: 'a', title: 'A' }])
  let deleting: Promise<unknown> = Promise.resolve()
  try {
    await store.transaction(async (tx) => {
      await staging.compare({ workspaceId: workspace.id, source: null }, tx)
      deleting = deleteWorkspace(other, tablesOf(resources), 'acme', 'test')
      await waitUntil(isWaiting)
      await staging.apply(tx)
    })
  } finally {
    await staging.discard()
    await deleting
  }
  for (const name of ['tasks', 'workspaces']) assert.deepEqual(await elsewhere.all(`SELECT 1 FROM ${name}`), [])
})
