import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { appendAudit } from '../../../src/audit/log.ts'
import { verifyChain, verifyEveryChain } from '../../../src/audit/verify.ts'
import { openOperatorStore, parseDatabaseUrl } from '../../../src/database/open.ts'
import { listWorkspaces } from '../../../src/resources/workspace/records.ts'
import { createWorkspace } from '../../../src/resources/workspace/workspaces.ts'
import { connectElsewhere, freshDatabaseUrl, skipWithoutPostgres } from '../../support/database.ts'

const options = skipWithoutPostgres()
const folder = new URL('../../../src/database/postgres/migrations/', import.meta.url)
const files = readdirSync(folder).sort()
const migration = (file: string) => readFileSync(new URL(file, folder), 'utf8')

/** The statements that leave a database as it was before a migration. */
function schemaBefore(newer: string): string {
  const older = files.filter((file) => file < newer)
  return `
    CREATE SCHEMA vitrine; CREATE TABLE migrations (number integer PRIMARY KEY, run_at timestamptz DEFAULT now());
    ${older.map(migration).join(';')};
    INSERT INTO migrations (number) VALUES ${older.map((_, i) => `(${i + 1})`)};`
}

test('programs that start at once on an empty database migrate it once', options, async (t) => {
  const url = await freshDatabaseUrl(t, 'postgres')
  const stores = await Promise.all(
    Array.from({ length: 6 }, () => openOperatorStore(parseDatabaseUrl(url), { create: true })),
  )
  for (const store of stores) await store.close()
  const elsewhere = await connectElsewhere(url)
  t.after(() => elsewhere.close())
  assert.deepEqual(
    await elsewhere.all('SELECT number FROM migrations ORDER BY number'),
    files.map((_, i) => ({ number: i + 1 })),
  )
})

test('a database newer than the program is refused with a clear line', options, async (t) => {
  const url = await freshDatabaseUrl(t, 'postgres')
  await (await openOperatorStore(parseDatabaseUrl(url), { create: true })).close()
  const elsewhere = await connectElsewhere(url)
  t.after(() => elsewhere.close())
  await elsewhere.run('INSERT INTO migrations (number) VALUES (999)')
  await assert.rejects(openOperatorStore(parseDatabaseUrl(url), { create: true }), {
    name: 'StorageError',
    message: `the database was written by a newer Vitrine (schema 999, this program knows ${files.length}); update the program`,
  })
})

test('what keeps it from its database is told in words, without the password', options, async (t) => {
  const url = new URL(await freshDatabaseUrl(t, 'postgres'))
  url.password = 'hunter2'
  url.pathname = '/nowhere'
  await assert.rejects(openOperatorStore(parseDatabaseUrl(url.href), { create: true }), (error: Error) => {
    assert.equal(error.name, 'StorageError')
    assert.equal(error.message, 'the database in DATABASE_URL does not exist; create it with createdb')
    return true
  })
  url.port = '1'
  await assert.rejects(openOperatorStore(parseDatabaseUrl(url.href), { create: true }), {
    message: /^PostgreSQL refuses connections at the address in DATABASE_URL/,
  })
})

test('settings in the URL neither replace ours nor change the time', options, async (t) => {
  const url = new URL(await freshDatabaseUrl(t, 'postgres'))
  url.searchParams.set('options', '-c TimeZone=Asia/Kolkata -c statement_timeout=0')
  const store = await openOperatorStore(parseDatabaseUrl(url.href), { create: true })
  t.after(() => store.close())
  const now = '2026-11-15T12:00:00.000Z'
  const made = await createWorkspace(store, { name: 'A', slug: 'a' }, 'test', now)
  const [read] = await store.transaction((tx) => listWorkspaces(tx))
  assert.deepEqual(read, made)
})

test(
  'a database of the version before keeps its tasks and revisions, and those that have woken are marked',
  options,
  async (t) => {
    const url = await freshDatabaseUrl(t, 'postgres')
    const elsewhere = await connectElsewhere(url)
    t.after(() => elsewhere.close())
    await elsewhere.run(`
      CREATE SCHEMA vitrine; CREATE TABLE migrations (number integer PRIMARY KEY, run_at timestamptz DEFAULT now());
      ${migration('0001-first.sql')}; ${migration('0002-settings.sql')};
      INSERT INTO migrations (number) VALUES (1), (2);
      INSERT INTO workspaces (id, slug, name) VALUES ('w', 'w', 'W');
      INSERT INTO tasks (workspace_id, id, title, snoozed_until) VALUES
        ('w', 'never', 'A', NULL), ('w', 'woken', 'B', '2001-01-01'), ('w', 'asleep', 'C', '2099-01-01')`)
    const revision = await elsewhere.all('SELECT number FROM revisions')
    await (await openOperatorStore(parseDatabaseUrl(url), { create: true })).close()
    assert.deepEqual(await elsewhere.all('SELECT id, woken FROM tasks ORDER BY seq'), [
      { id: 'never', woken: false },
      { id: 'woken', woken: true },
      { id: 'asleep', woken: false },
    ])
    assert.deepEqual(await elsewhere.all('SELECT number FROM revisions'), revision)
  },
)

test('entries from before the chain are chained in their order, whatever they hold', options, async (t) => {
  const url = await freshDatabaseUrl(t, 'postgres')
  const elsewhere = await connectElsewhere(url)
  t.after(() => elsewhere.close())
  await elsewhere.run(`
    ${schemaBefore('0006-audit-chain.sql')}
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
    await store.transaction((tx) => appendAudit(tx, record))
    const report = await store.read((tx) => verifyChain(tx, workspaceId))
    assert.deepEqual([report.fault, report.entries], [null, entries + 1])
  }
})

test('entries of many workspaces are chained in one pass, without a rewrite of any head', options, async (t) => {
  const url = await freshDatabaseUrl(t, 'postgres')
  const elsewhere = await connectElsewhere(url)
  t.after(() => elsewhere.close())
  await elsewhere.run(`
    ${schemaBefore('0006-audit-chain.sql')}
    INSERT INTO audit (at, workspace_id, actor, action, subject, detail)
      SELECT '2026-01-01', 'w' || n % 7, 'a', 'key.created', 'key_' || n, '{}' FROM generate_series(1, 700) AS n`)
  await elsewhere.run(`BEGIN; ${migration('0006-audit-chain.sql')}`)
  const [counts] = await elsewhere.all(`
    SELECT n_tup_upd::int AS updated, n_tup_ins::int AS inserted FROM pg_stat_xact_user_tables
    WHERE schemaname = 'vitrine' AND relname = 'audit_heads'`)
  assert.deepEqual(counts, { updated: 0, inserted: 7 })
  await elsewhere.run('ROLLBACK')
  const store = await openOperatorStore(parseDatabaseUrl(url), { create: true })
  t.after(() => store.close())
  const reports = await store.read((tx) => verifyEveryChain(tx, []))
  assert.deepEqual(
    reports.map(({ workspaceId, entries, fault }) => [workspaceId, entries, fault]).sort(),
    Array.from({ length: 7 }, (_, i) => [`w${i}`, 100, null]),
  )
})
