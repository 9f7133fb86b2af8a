import assert from 'node:assert/strict'
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { program, programWithFile } from '../../support/program.ts'

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

test("another program's database is refused before anything in it is changed", async (t) => {
  const vitrine = program(t)
  const file = join(vitrine.folder, 'foreign.db')
  const foreign = new DatabaseSync(file)
  foreign.exec('CREATE TABLE cats (name)')
  foreign.close()
  const before = readFileSync(file)
  vitrine.env.DATABASE_URL = `sqlite:${file}`
  assert.match((await vitrine.run('serve')).stderr, /belongs to another program/)
  assert.deepEqual(readFileSync(file), before)
})

test('doctor reports a write-ahead log without a server, and how to restore a backup', async (t) => {
  const vitrine = await withFile(t)
  const log = async () => {
    const { checks } = JSON.parse((await vitrine.run('doctor', '--json')).stdout)
    return checks.find(({ name }: { name: string }) => name === 'write-ahead log')
  }
  assert.deepEqual(await log(), { name: 'write-ahead log', state: 'ok', message: '0.0 MiB', hint: null })
  const writer = new DatabaseSync(vitrine.file)
  writer.exec(`PRAGMA wal_autocheckpoint = 0; UPDATE workspaces SET name = name || '.'`)
  for (const end of ['', '-wal']) copyFileSync(vitrine.file + end, `${vitrine.file}.kept${end}`)
  writer.close()
  for (const end of ['', '-wal']) copyFileSync(`${vitrine.file}.kept${end}`, vitrine.file + end)
  const { state, hint } = await log()
  assert.equal(state, 'warning')
  assert.match(hint, /not stopped cleanly\. .* 'vitrine restore FILE', never by copying over the file$/)
})
