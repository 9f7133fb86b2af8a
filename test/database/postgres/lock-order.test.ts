/** Syncs and other commands lock the same rows: no transaction fails because of another's lock order, and one that does is retried. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type pg from 'pg'
import { reshape } from '../../../src/lists/stored/reshape.ts'
import { emptyTask } from '../../../src/resources/tasks/columns.ts'
import { currentTasks } from '../../../src/resources/tasks/list.ts'
import { manyTasks, NOW, syncInto } from '../../import/syncing.ts'
import { createWorkspace, deleteRow, updateWorkspace } from '../../support/changes.ts'
import { testWithPostgres as test } from '../../support/database.ts'
import { openStore } from '../../support/operator.ts'
import { withClient } from '../../support/postgres-server.ts'
import { waitUntil } from '../../support/wait.ts'
import { openRows, rowsOf } from '../../support/written-lists.ts'
import { startWithRoles } from './documented-roles.ts'

async function start(t: TestContext) {
  const operator = await startWithRoles(t)
  const { as, asSuperuser, workspace } = operator
  /** Applies to a role's later sessions: PostgreSQL aborts the session that detects a deadlock first. */
  const setDeadlockTimeout = (role: string, time: string) => {
    t.after(() => asSuperuser(`ALTER ROLE ${role} RESET deadlock_timeout`))
    return asSuperuser(`ALTER ROLE ${role} SET deadlock_timeout = '${time}'`)
  }
  const waitForLock = (role: string) =>
    waitUntil(async () => {
      const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database() AND usename = '${role}'`
      return (await asSuperuser(waiting)).length > 0
    })
  const lockRevision = (client: pg.Client) =>
    client.query(`BEGIN; SELECT FROM vitrine.revisions WHERE workspace_id = '${workspace.id}' FOR UPDATE`)
  return {
    ...operator,
    ...{ setDeadlockTimeout, waitForLock, lockRevision },
    openOperator: () => openStore(t, as('vitrine_operator')),
  }
}

test('no command fails while several write to the same workspaces', async (t) => {
  const { store: first, setDeadlockTimeout, openOperator } = await start(t)
  await createWorkspace(first, { name: 'Bakery', slug: 'bakery' }, 'test', NOW)
  await setDeadlockTimeout('vitrine_operator', '10ms')
  const slugs = ['acme', 'bakery']
  const outcomes: unknown[] = []
  let isDone = false
  let commits = 0
  const writers = slugs.map(async (workspace) => {
    const store = await openOperator()
    for (let i = 0; !isDone; i++) {
      const id = `${workspace} ${i}`
      outcomes.push(await syncInto(store, [{ id, title: id }], { workspace, source: 'single' }))
      await updateWorkspace(store, workspace, { name: `Name ${i}` }, 'test')
      await deleteRow(store, currentTasks, workspace, id, 'test')
      commits += 3
    }
  })
  const syncs = slugs.map(async (workspace) => {
    const store = await openOperator()
    for (let i = 0; i < 40; i++)
      outcomes.push(
        await syncInto(
          store,
          manyTasks(20, (n) => `Task ${n} of ${i}`),
          { workspace },
        ),
      )
  })
  await Promise.all(syncs)
  isDone = true
  await Promise.all(writers)
  assert.ok(commits > 100, `${commits} commits`)
  assert.deepEqual(
    outcomes.filter((outcome) => typeof outcome === 'string'),
    [],
  )
})

test('a sync that PostgreSQL aborts because of a deadlock is retried, and writes what it should', async (t) => {
  const { as, workspace, setDeadlockTimeout, waitForLock, lockRevision, openOperator, asOperator } = await start(t)
  await setDeadlockTimeout('vitrine_operator', '5s')
  await setDeadlockTimeout('postgres', '1h')
  const store = await openOperator()
  await withClient(as('postgres'), async (other) => {
    // Another program, which locks in the order that Vitrine never does.
    await lockRevision(other)
    const synced = syncInto(store, manyTasks(3), {})
    await waitForLock('vitrine_operator')
    await other.query(`DELETE FROM vitrine.list_items WHERE workspace_id = '${workspace.id}'`)
    await other.query(`SELECT FROM vitrine.workspaces WHERE id = '${workspace.id}' FOR UPDATE; COMMIT`)
    assert.deepEqual(await synced, { created: 3, changed: 0, gone: 0, unchanged: 0 })
  })
  const [{ count } = {}] = await asOperator(`SELECT count(*) FROM vitrine.list_items WHERE source = 'tracker'`)
  assert.equal(count, '3')
})

test('rows that are stored for a new definition keep what another command is writing', async (t) => {
  const { workspace, waitForLock, openOperator, asOperator } = await start(t)
  const [writing, migrating] = [await openOperator(), await openOperator()]
  const { put } = rowsOf(writing, currentTasks, workspace.id)
  await put([{ ...emptyTask, id: '1', title: 'Old' }])
  let migrated: Promise<void> | undefined
  await writing.transaction(async (tx) => {
    const writer = await openRows(tx, currentTasks, workspace.id)
    await writer.put([{ ...emptyTask, id: '1', title: 'New' }], null)
    migrated = migrating.transaction((other) => reshape(other, currentTasks, workspace.id))
    await waitForLock('vitrine_operator')
  })
  await migrated
  const [{ body } = {}] = await asOperator('SELECT body FROM vitrine.list_items')
  assert.equal(JSON.parse(String(body)).title, 'New')
})
