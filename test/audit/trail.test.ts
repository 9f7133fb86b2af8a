import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTrail, type TrailQuery } from '../../src/audit/trail.ts'
import type { SqlValue, Transaction } from '../../src/database/store.ts'
import { engineUnderTest, testOnce } from '../support/database.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { openStore } from '../support/stores.ts'

// Only SQLite plans a statement without considering the stored rows.
testOnce('part of the trail is read by an index, for the workspace or for one subject', async (t) => {
  const store = await openStore(t, await migratedDatabaseUrl(t, 'sqlite'))
  const plan = (query: Partial<TrailQuery>) =>
    store.read(async (tx) => {
      let steps: string[] = []
      const all = async (sql: string, ...values: SqlValue[]) => {
        steps = (await tx.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values)).map(({ detail }) => detail)
        return []
      }
      const before = { at: '2026-11-15T12:00:00.000Z', origin: 0, id: 7 } as const
      const defaults = { workspaceId: 'w', keyId: null, kind: null, before, limit: 500 }
      await readTrail({ nowMs: tx.nowMs, all } as unknown as Transaction, { ...defaults, ...query })
      return steps.filter((step) => /^(SEARCH|SCAN) (audit|i|k)\b/.test(step))
    })
  assert.deepEqual(await plan({}), [
    'SEARCH audit USING INDEX audit_by_time (workspace_id=? AND at<?)',
    'SEARCH i USING INDEX key_incidents_by_time (workspace_id=? AND last_at<?)',
    'SEARCH k USING PRIMARY KEY (id=?)',
  ])
  assert.deepEqual(await plan({ keyId: 'key_1' }), [
    'SEARCH audit USING INDEX audit_by_subject (workspace_id=? AND subject=? AND at<?)',
    'SEARCH k USING PRIMARY KEY (id=?)',
    'SEARCH i USING INDEX sqlite_autoindex_key_incidents_1 (key_id=?)',
  ])
})

test(`${engineUnderTest()}: an incident is in the trail of its key's workspace, whoever wrote it`, async (t) => {
  const store = await openStore(t, await migratedDatabaseUrl(t))
  const at = '2026-11-15T12:00:00.000Z'
  await store.transaction(async (tx) => {
    for (const id of ['a', 'b'])
      await tx.run(
        `INSERT INTO api_keys (id, workspace_id, hash, prefix, label, permissions, created_by, created_at)
         VALUES (?, ?, ?, 'vtr_000000', ?, 'tasks:read', 'test', ?)`,
        ...[`key_${id}`, id, id.repeat(64), `key of ${id}`, at],
      )
    // As the last release's servers do.
    for (const id of ['a', 'b', 'a'])
      await tx.run(
        `INSERT INTO key_incidents (key_id, day, kind, count, first_at, last_at) VALUES (?, '2026-11-15', 'revoked', 1, ?, ?)
         ON CONFLICT (key_id, day, kind) DO UPDATE SET count = key_incidents.count + excluded.count`,
        ...[`key_${id}`, at, at],
      )
  })
  const found = await store.read((tx) =>
    readTrail(tx, { workspaceId: 'a', keyId: null, kind: null, before: null, limit: 9 }),
  )
  assert.deepEqual(
    found.map(({ subject, detail }) => [subject, detail.label, detail.count]),
    [['key_a', 'key of a', 2]],
  )
})
