import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { watchFile } from '../../../src/database/sqlite/files/file-watch.ts'
import { eraseWorkspace } from '../../../src/provisioning/delete-workspace.ts'
import { createWorkspace } from '../../support/changes.ts'
import { migratedDatabaseUrl } from '../../support/migrated-database.ts'
import { openStore } from '../../support/stores.ts'

/** A database with an audit entry, watched on a connection such as a server's, and another program's connection. */
async function watching(t: TestContext) {
  const url = await migratedDatabaseUrl(t, 'sqlite')
  const store = await openStore(t, url)
  const { id } = await createWorkspace(store, { name: 'Acme', slug: 'acme' }, 'test', new Date().toISOString())
  const file = url.replace('sqlite:', '')
  const [server, tool] = [new DatabaseSync(file), new DatabaseSync(file)]
  const faults: (string | undefined)[] = []
  const watch = watchFile(file, server, (fault) => faults.push(fault?.message))
  t.after(() => {
    watch.close()
    for (const db of [server, tool]) db.close()
  })
  return { store, workspaceId: id, tool, watch, faults }
}

test('removing all audit entries because of their age does not look like another database', async (t) => {
  const { tool, watch, faults } = await watching(t)
  tool.exec(`
    UPDATE audit_heads SET trimmed_number = number, trimmed_hash = hash;
    DELETE FROM audit;
    INSERT INTO audit SELECT 1, '2026-11-15T00:00:00.000Z', workspace_id, 'a', 'b', 'c', '{}', number + 1, hash, 'x' FROM audit_heads;
    UPDATE audit_heads SET number = number + 1, hash = 'x';
    VACUUM`)
  watch.poll()
  assert.deepEqual(faults, [])
  tool.exec('UPDATE workspaces SET name = name')
  watch.poll()
  assert.deepEqual(faults, [])
})

test('erasing a workspace with its whole audit log does not look like another database', async (t) => {
  const { store, workspaceId, watch, faults } = await watching(t)
  await store.transaction((tx) => tx.run('DELETE FROM workspaces'))
  await eraseWorkspace(store, workspaceId)
  watch.poll()
  assert.deepEqual(faults, [])
})
