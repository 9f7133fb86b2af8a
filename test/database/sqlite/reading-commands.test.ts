import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { programWithFile } from '../../support/program.ts'

async function withFile(t: TestContext) {
  const vitrine = programWithFile(t)
  await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  return vitrine
}

const READING = [
  ['workspace', 'list'],
  ['key', 'list', '--workspace', 'acme'],
  ['member', 'list', '--workspace', 'acme'],
  ['audit', '--workspace', 'acme'],
]

test('reading commands finish while another process holds the write lock', async (t) => {
  const vitrine = await withFile(t)
  const writer = new DatabaseSync(vitrine.file)
  t.after(() => writer.close())
  writer.exec('BEGIN IMMEDIATE')
  // They would wait for the lock, and fail without it.
  for (const command of [...READING, ['doctor'], ['backup', 'backup.db']]) await vitrine.ok(...command)
})

test('reading commands do not migrate: an older database is refused with a line that names the command to run', async (t) => {
  const vitrine = await withFile(t)
  const db = new DatabaseSync(vitrine.file)
  db.exec('PRAGMA user_version = 13')
  db.close()
  const before = readFileSync(vitrine.file)
  for (const command of READING) {
    const { code, stderr } = await vitrine.run(...command)
    assert.deepEqual(
      [code, stderr],
      [1, `vitrine: ${vitrine.file}: is of an older version; run 'vitrine migrate' first\n`],
    )
  }
  assert.deepEqual(readFileSync(vitrine.file), before)
})
