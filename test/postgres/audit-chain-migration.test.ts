import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { verifyChain } from '../../src/audit/verify.ts'
import { openOperatorStore, parseDatabaseUrl } from '../../src/storage/open.ts'
import { connectElsewhere, freshDatabaseUrl, skipWithoutPostgres } from '../support/database.ts'

const options = skipWithoutPostgres()
const folder = new URL('../../src/storage/postgres/migrations/', import.meta.url)
const files = readdirSync(folder).sort()
const migration = (file: string) => readFileSync(new URL(file, folder), 'utf8')

test('entries from before the chain are chained in their order, whatever they hold', options, async (t) => {
  const url = await freshDatabaseUrl(t, 'postgres')
  const elsewhere = await connectElsewhere(url)
  t.after(() => elsewhere.close())
  const older = files.filter((file) => file < '0006-audit-chain.sql')
  await elsewhere.run(`
    CREATE SCHEMA vitrine; CREATE TABLE migrations (number integer PRIMARY KEY, run_at timestamptz DEFAULT now());
    ${older.map(migration).join(';')};
    INSERT INTO migrations (number) VALUES ${older.map((_, i) => `(${i + 1})`)};
    INSERT INTO audit (at, workspace_id, actor, action, subject, detail) VALUES
      ('2026-01-01T00:00:00.120Z', 'w', 'cli:é😀', 'key.created', 'key_1', '{"label":"a \\"b\\" \\\\ \\u001f"}'),
      ('2026-01-01 02:00:00+02', 'v', 'x', 'workspace.created', 'v', '{}'),
      ('2026-01-01T00:00:00.000999Z', 'w', E'tab\\t, line\\n, \\x1f, \\x7f, "quote", \\\\ </script> \u2028', 'key.revoked', 'key_1', '{}')`)
  const before = await elsewhere.all('SELECT id, workspace_id, actor, action, subject, detail FROM audit ORDER BY id')
  const store = await openOperatorStore(parseDatabaseUrl(url), { create: true })
  t.after(() => store.close())
  assert.deepEqual(
    await elsewhere.all('SELECT id, workspace_id, actor, action, subject, detail FROM audit ORDER BY id'),
    before,
  )
  for (const [workspaceId, entries] of [
    ['w', 2],
    ['v', 1],
  ] as const) {
    const record = { at: '2026-02-01T00:00:00.000Z', workspaceId, actor: 'x', action: 'y', subject: 'z', detail: {} }
    await store.transaction((tx) => tx.audit(record))
    const report = await store.read((tx) => verifyChain(tx, workspaceId))
    assert.deepEqual([report.fault, report.entries], [null, entries + 1])
  }
})
