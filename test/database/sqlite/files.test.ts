import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { connectForReading } from '../../../src/database/sqlite/connect.ts'
import { program, programWithFile } from '../../support/program.ts'

test('no file of the database contains a key', async (t) => {
  const vitrine = programWithFile(t)
  await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  const key = await vitrine.ok('key', 'create', '--workspace', 'acme', '--label', 'x')
  const server = await vitrine.serve()
  await fetch(`${server.url}/workspace`, { headers: { authorization: `Bearer ${key}` } })
  const files = globSync('vitrine.db*', { cwd: vitrine.folder })
  assert.ok(files.includes('vitrine.db-wal'))
  for (const file of files) {
    const bytes = readFileSync(join(vitrine.folder, file))
    assert.ok(!bytes.includes(key.slice(4, 30)), file)
  }
})

test('a backup is a complete database, created while the server runs, and never overwrites', async (t) => {
  const vitrine = program(t)
  await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  const key = await vitrine.ok('key', 'create', '--workspace', 'acme', '--label', 'x')
  await vitrine.serve()
  const file = join(vitrine.folder, 'copy.db')
  await vitrine.ok('backup', file)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.match(await vitrine.fails(1, 'backup', file), /already exists; a backup never overwrites/)

  const restored = program(t, { DATABASE_URL: `sqlite:${file}` })
  const server = await restored.serve()
  assert.equal((await fetch(`${server.url}/workspace`, { headers: { authorization: `Bearer ${key}` } })).status, 200)
})

test('the connection that serves public requests cannot write', async (t) => {
  const vitrine = programWithFile(t)
  await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  const db = connectForReading(vitrine.file)
  t.after(() => db.close())
  assert.throws(() => db.exec(`UPDATE workspaces SET name = 'x'`), /readonly/)
  assert.equal(db.prepare('SELECT name FROM workspaces').get()?.name, 'Acme')
})

test('an unusable database produces one clear line and exit code 1', async (t) => {
  const vitrine = program(t)
  const file = join(vitrine.folder, 'new.db')
  vitrine.env.DATABASE_URL = `sqlite:${file}`
  const line = async (...args: string[]) => {
    const { code, stderr } = await vitrine.run(...args)
    assert.equal(code, 1)
    assert.equal(stderr.split('\n').length, 2, stderr)
    return stderr
  }
  assert.match(await line('key', 'list', '--workspace', 'acme'), /no database there yet/)
  assert.match((await vitrine.run('doctor')).stdout, /FAIL {2}database: .*no database there yet/)
  assert.equal(existsSync(file), false)
  writeFileSync(file, 'This is no database, though it is long enough to be taken for one. '.repeat(40))
  assert.match(await line('serve'), /is not a SQLite database; check DATABASE_URL/)
  vitrine.env.DATABASE_URL = `sqlite:${vitrine.folder}`
  assert.match(await line('serve'), /is a folder, not a database file/)
  const foreign = join(vitrine.folder, 'foreign.db')
  new DatabaseSync(foreign).exec('CREATE TABLE cats (name)')
  vitrine.env.DATABASE_URL = `sqlite:${foreign}`
  assert.match(await line('serve'), /belongs to another program/)
  const newer = join(vitrine.folder, 'newer.db')
  new DatabaseSync(newer).exec('PRAGMA application_id = 0x5654524e; PRAGMA user_version = 999')
  vitrine.env.DATABASE_URL = `sqlite:${newer}`
  assert.match(await line('serve'), /was written by a newer Vitrine/)
})
