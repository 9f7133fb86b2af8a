import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { appendAudit } from '../../../src/audit/log.ts'
import { verifyChain } from '../../../src/audit/verify.ts'
import { connectForWriting } from '../../../src/database/sqlite/connect.ts'
import { SqliteOperatorStore } from '../../../src/database/sqlite/operator-store.ts'
import { temporaryFolder } from '../../support/database.ts'

const folder = new URL('../../../src/database/sqlite/migrations/', import.meta.url)
const migration = (file: string) => readFileSync(new URL(file, folder), 'utf8')

test('a database of the version before keeps its tasks and revisions, and those that have woken are marked', (t) => {
  const path = join(temporaryFolder(t), 'old.db')
  const old = new DatabaseSync(path)
  old.exec(`${migration('0001-first.sql')}; ${migration('0002-settings.sql')};
    PRAGMA application_id = 0x5654524e; PRAGMA user_version = 2;
    INSERT INTO workspaces (id, slug, name, created_at) VALUES ('w', 'w', 'W', '2026-01-01T00:00:00.000Z');
    INSERT INTO tasks (workspace_id, id, title, snoozed_until, created_at) VALUES
      ('w', 'never', 'A', NULL, '2026-01-01T00:00:00.000Z'),
      ('w', 'woken', 'B', '2001-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'),
      ('w', 'asleep', 'C', '2099-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`)
  const revision = old.prepare('SELECT number FROM revisions').get()
  old.close()

  const db = connectForWriting(path, { create: false })
  t.after(() => db.close())
  assert.deepEqual(
    db
      .prepare('SELECT id, woken FROM tasks ORDER BY seq')
      .all()
      .map(({ id, woken }) => [id, woken]),
    [
      ['never', 0],
      ['woken', 1],
      ['asleep', 0],
    ],
  )
  assert.deepEqual(db.prepare('SELECT number FROM revisions').get(), revision)
  assert.deepEqual(db.prepare('PRAGMA integrity_check').all().map(Object.values), [['ok']])
})

test('entries from before the chain are chained in their order, whatever they hold', async (t) => {
  const path = join(temporaryFolder(t), 'old.db')
  const old = new DatabaseSync(path)
  const older = readdirSync(folder)
    .sort()
    .filter((file) => file < '0007-audit-chain.sql')
  old.exec(
    `${older.map(migration).join(';')}; PRAGMA application_id = 0x5654524e; PRAGMA user_version = ${older.length}`,
  )
  const insert = old.prepare(
    'INSERT INTO audit (at, workspace_id, actor, action, subject, detail) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const at = '2026-01-01T00:00:00.000Z'
  old.exec('BEGIN')
  for (let i = 0; i < 2000; i++)
    insert.run(
      at,
      i % 2 ? 'w' : 'v',
      `tab\t, line\n, \x1f, \x7f, "quote", \\ é😀 \u2028 ${i}`,
      'key.created',
      'key_1',
      '{"label":"\\u001f"}',
    )
  old.exec('COMMIT')
  const contents = 'SELECT id, at, workspace_id, actor, action, subject, detail FROM audit ORDER BY id'
  const before = old.prepare(contents).all()
  old.close()

  const store = new SqliteOperatorStore(path, { create: false })
  t.after(() => store.close())
  const migrated = new DatabaseSync(path)
  assert.deepEqual(migrated.prepare(contents).all(), before)
  assert.deepEqual(migrated.prepare('PRAGMA integrity_check').all().map(Object.values), [['ok']])
  migrated.close()
  for (const workspaceId of ['w', 'v']) {
    await store.transaction((tx) =>
      appendAudit(tx, { at, workspaceId, actor: 'x', action: 'y', subject: 'z', detail: {} }),
    )
    const report = await store.read((tx) => verifyChain(tx, workspaceId))
    assert.deepEqual([report.fault, report.entries], [null, 1001])
  }
})
