import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTrail } from '../../src/audit/trail.ts'
import { engineUnderTest } from '../support/database.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { openStore } from '../support/stores.ts'

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
