import assert from 'node:assert/strict'
import { connectElsewhere, insertion, onEach } from '../support/database.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { openStore } from '../support/stores.ts'

const AT = '2026-11-15T12:00:00.000Z'

onEach('a member or source of a workspace that does not exist is refused', async (t, engine) => {
  const url = await migratedDatabaseUrl(t, engine)
  await openStore(t, url)
  const { run } = await connectElsewhere(url, t)
  const rows = {
    members: { workspaceId: 'none', email: 'a@b.example', role: 'owner', addedAt: AT },
    sources: { workspaceId: 'none', list: 'tasks', name: 'jira', createdAt: AT },
  }
  for (const [table, row] of Object.entries(rows))
    await assert.rejects(run(insertion(table, [row])), new RegExp(`${table}_workspace_exists`))
})
