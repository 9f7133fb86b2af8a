// Run once: each test covers both engines itself.
/** Rows belong to a workspace: they need one that exists, and are deleted with it. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { connectElsewhere, type Engine, insertion, onEach } from '../support/database.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { openStore } from '../support/stores.ts'

const AT = '2026-11-15T12:00:00.000Z'

/** A workspace `w` with a row of a list, a member, a source and a key. */
async function start(t: TestContext, engine: Engine) {
  const url = await migratedDatabaseUrl(t, engine)
  await openStore(t, url)
  const { run, all } = await connectElsewhere(url, t)
  const insert = (table: string, row: Record<string, string | number>) => run(insertion(table, [row]))
  await insert('workspaces', { id: 'w', slug: 'w', name: 'W', createdAt: AT })
  const rows: Record<string, Record<string, string | number>> = {
    stored_lists: { list: 'tasks', shape: '', lastSeq: 1 },
    list_items: { list: 'tasks', id: 'a', seq: 1, revision: 1, body: '{}' },
    members: { email: 'a@b.example', role: 'owner', addedAt: AT },
    sources: { list: 'tasks', name: 'jira', createdAt: AT },
    apiKeys: { id: 'k', hash: 'h', prefix: 'p', label: 'l', permissions: 'tasks:read', createdBy: 'me', createdAt: AT },
  }
  const { apiKeys: key = {}, ...deleted } = rows
  await insert('api_keys', { ...key, workspaceId: 'w' })
  for (const [table, row] of Object.entries(deleted)) await insert(table, { ...row, workspaceId: 'w' })
  return { run, all, insert, deleted }
}

onEach('a member or source of a workspace that does not exist is refused', async (t, engine) => {
  const { insert, deleted } = await start(t, engine)
  for (const table of ['members', 'sources'])
    await assert.rejects(
      insert(table, { ...deleted[table], workspaceId: 'none' }),
      new RegExp(`${table}_workspace_exists`),
    )
})

onEach('rows are deleted with their workspace; keys stay', async (t, engine) => {
  const { run, all, deleted } = await start(t, engine)
  await run("DELETE FROM workspaces WHERE id = 'w'")
  for (const table of Object.keys(deleted)) assert.deepEqual(await all(`SELECT 1 FROM ${table}`), [], table)
  assert.equal((await all('SELECT 1 FROM api_keys')).length, 1)
})
