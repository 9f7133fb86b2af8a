import assert from 'node:assert/strict'
import { mkdirSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { program, programWithFile } from '../../support/program.ts'

const refusal = (path: string) =>
  `vitrine: ${path}: a server already has this database open; stop it first, or set DATABASE_URL to another file\n`

test('a second server on the same file is refused until the first is killed', async (t) => {
  const vitrine = programWithFile(t)
  const first = await vitrine.start('serve')
  for (const command of ['serve', 'demo'])
    assert.deepEqual(await vitrine.runApart(command), { code: 1, stdout: '', stderr: refusal(vitrine.file) })
  assert.equal((await fetch(`${first.url}/readyz`)).status, 200)
  await first.stop('SIGKILL')
  const second = await vitrine.start('serve')
  assert.equal((await fetch(`${second.url}/readyz`)).status, 200)
})

test('it is one file however its path is spelled', async (t) => {
  const vitrine = program(t)
  mkdirSync(join(vitrine.folder, 'data'))
  symlinkSync('data', join(vitrine.folder, 'link'))
  symlinkSync('data/vitrine.db', join(vitrine.folder, 'other.db'))
  // Through a link to a file that is not there yet.
  vitrine.env.DATABASE_URL = 'sqlite:other.db'
  await vitrine.start('serve')
  for (const path of [
    'data/vitrine.db',
    'link/vitrine.db',
    'link/../data/./vitrine.db',
    `${vitrine.folder}/other.db`,
  ]) {
    vitrine.env.DATABASE_URL = `sqlite:${path}`
    const { code, stderr } = await vitrine.run('serve')
    assert.deepEqual([code, stderr], [1, refusal(path)])
  }
})

test('commands work while a server runs, and every file of the database is only for its owner', async (t) => {
  const vitrine = program(t)
  const file = join(vitrine.folder, 'data', 'vitrine.db')
  vitrine.env.DATABASE_URL = `sqlite:${file}`
  await vitrine.start('demo')
  await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  await vitrine.ok('key', 'list', '--workspace', 'acme')
  assert.equal(statSync(join(vitrine.folder, 'data')).mode & 0o777, 0o700)
  for (const end of ['', '-wal', '-shm', '-lock']) assert.equal(statSync(file + end).mode & 0o777, 0o600, end)
})
