// On both engines: the time is the database’s.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordSynced } from '../../src/import/sources.ts'
import { deleteWorkspace } from '../../src/provisioning/delete-workspace.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { atTime } from '../support/at-time.ts'
import * as changes from '../support/changes.ts'
import { connectElsewhere } from '../support/database.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { openStore } from '../support/operator.ts'
import { addRecords, storedRows } from '../support/written-lists.ts'

/** Far from any clock of this machine, as the database's own may be. */
const AT = '2031-05-06T07:08:09.012Z'

test("changes are dated by the store's clock, which all replicas share, not by this machine's", async (t) => {
  const url = await migratedDatabaseUrl(t)
  const store = atTime(await openStore(t, url), () => Date.parse(AT))
  const elsewhere = await connectElsewhere(url, t)
  const { id } = await changes.createWorkspace(store, { name: 'Acme', slug: 'acme' }, 'test')
  await changes.updateWorkspace(store, 'acme', { name: 'Acme Ltd' }, 'test')
  for (const email of ['ana@acme.example', 'ben@acme.example'])
    await changes.addMember(store, 'acme', { email, role: 'owner' }, 'test')
  await changes.changeRole(store, 'acme', { email: 'ben@acme.example', role: 'member' }, 'test')
  await changes.removeMember(store, 'acme', 'ben@acme.example', 'test')
  await addRecords(store, currentTasks, 'acme', [{ id: 'a', title: 'A' }], AT)
  const attempt = { workspace: 'acme', source: 'tracker' }
  await store.transaction((tx) => recordSynced(tx, currentTasks, id, attempt, 1))
  await changes.recordFailure(store, currentTasks, attempt, 'unreachable')
  const archived = await changes.archiveWorkspace(store, 'acme', 'test')
  assert.deepEqual([archived.createdAt, archived.archivedAt], [AT, AT])
  await changes.restoreWorkspace(store, 'acme', 'test')
  const columns = { members: ['added_at'], sources: ['synced_at', 'failing_since'] }
  for (const [name, times] of Object.entries(columns))
    for (const time of times) {
      const rows = await elsewhere.all<{ at: string | Date }>(`SELECT ${time} AS at FROM ${name}`)
      assert.deepEqual(
        rows.map(({ at }) => new Date(at).toISOString()),
        [AT],
        `${name}.${time}`,
      )
    }
  assert.deepEqual(
    (await storedRows(elsewhere)).map(({ createdAt }) => createdAt),
    [AT],
  )
  await deleteWorkspace(store, [currentTasks], 'acme', 'test')
  const entries = await elsewhere.all<{ action: string; at: string | Date }>('SELECT action, at FROM audit ORDER BY id')
  assert.deepEqual(
    entries.map(({ action, at }) => `${action} ${new Date(at).toISOString()}`),
    [
      ...['workspace.created', 'workspace.updated', 'member.added', 'member.added', 'member.role_changed'],
      ...['member.removed', 'tasks.imported', 'workspace.archived', 'workspace.restored', 'workspace.deleted'],
    ].map((action) => `${action} ${AT}`),
  )
})
