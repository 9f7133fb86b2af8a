import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { connectForWriting } from '../../src/storage/sqlite/connect.ts'
import { temporaryFolder } from '../support/database.ts'

const migration = (file: string) =>
  readFileSync(new URL(`../../src/storage/sqlite/migrations/${file}`, import.meta.url), 'utf8')

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
