import assert from 'node:assert/strict'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { program } from '../support/program.ts'

test('members are added, changed, listed and removed', async (t) => {
  const vitrine = program(t)
  await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  const member = (...args: string[]) => vitrine.run('member', ...args, '--workspace', 'acme')
  await vitrine.ok('member', 'add', '--workspace', 'acme', '--email', 'Ana@Acme.example', '--role', 'member')
  await vitrine.ok('member', 'add', '--workspace', 'acme', '--email', 'ana@acme.example', '--role', 'owner')
  const [ana, ...others] = JSON.parse((await member('list', '--json')).stdout)
  assert.deepEqual({ ...ana, addedAt: '' }, { email: 'ana@acme.example', role: 'owner', addedAt: '' })
  assert.equal(others.length, 0)
  assert.match((await member('add', '--email', 'ana', '--role', 'owner')).stderr, /"ana" is not an email address/)
  assert.match((await member('add', '--email', 'a@b.example', '--role', 'king')).stderr, /"king" is not a role/)
  await vitrine.ok('member', 'remove', '--workspace', 'acme', '--email', 'ANA@acme.example')
  assert.equal((await member('remove', '--email', 'ana@acme.example')).code, 1)
})

test('the audit trail tells who did what, newest first', async (t) => {
  const vitrine = program(t)
  await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  const { id } = JSON.parse(await vitrine.ok('key', 'create', '--workspace', 'acme', '--label', 'x', '--json'))
  await vitrine.ok('key', 'rotate', id)
  await vitrine.ok('key', 'revoke', id)
  const trail = (await vitrine.ok('audit', '--workspace', 'acme', '--json')).split('\n').map((line) => JSON.parse(line))
  assert.deepEqual(
    trail.map(({ action }) => action),
    ['key.revoked', 'key.created', 'key.rotated', 'key.created', 'workspace.created'],
  )
  assert.ok(trail.every(({ actor }) => actor.startsWith('cli:')))
  assert.equal(trail[0].subject, id)
})

test('a backup is a whole database, made while the server runs, and never overwrites', async (t) => {
  const vitrine = program(t)
  await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  const key = await vitrine.ok('key', 'create', '--workspace', 'acme', '--label', 'x')
  await vitrine.start('serve')
  const file = join(vitrine.folder, 'copy.db')
  await vitrine.ok('backup', file)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const again = await vitrine.run('backup', file)
  assert.equal(again.code, 1)
  assert.match(again.stderr, /exists already; a backup never overwrites/)

  const restored = program(t, { DATABASE_URL: `sqlite:${file}` })
  const server = await restored.start('serve')
  assert.equal((await fetch(`${server.url}/workspace`, { headers: { authorization: `Bearer ${key}` } })).status, 200)
})

test('doctor finds nothing wrong with a sound database, and names what is wrong otherwise', async (t) => {
  const vitrine = program(t)
  const missing = await vitrine.run('doctor')
  assert.equal(missing.code, 1)
  assert.match(missing.stdout, /FAIL {2}database: .*no database there yet/)
  await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  await vitrine.ok('key', 'create', '--workspace', 'acme', '--label', 'x', '--expires', '3d')
  const sound = await vitrine.run('doctor')
  assert.equal(sound.code, 0, sound.stdout)
  assert.match(sound.stdout, /1 workspaces, 1 live keys; expiring within 14 days: key_/)
  vitrine.env.PORT = 'many'
  assert.match((await vitrine.run('doctor')).stdout, /FAIL {2}settings: PORT: must be a whole number/)
})

test('a database that cannot be used gives one clear line and exit code 1', async (t) => {
  const vitrine = program(t)
  const file = join(vitrine.folder, 'vitrine.db')
  const line = async (...args: string[]) => {
    const { code, stderr } = await vitrine.run(...args)
    assert.equal(code, 1)
    assert.equal(stderr.split('\n').length, 2, stderr)
    return stderr
  }
  assert.match(await line('key', 'list', '--workspace', 'acme'), /no database there yet/)
  assert.equal(existsSync(file), false)
  writeFileSync(file, 'This is no database, though it is long enough to be taken for one. '.repeat(40))
  assert.match(await line('serve'), /is not a SQLite database; check DATABASE_URL/)
  vitrine.env.DATABASE_URL = `sqlite:${vitrine.folder}`
  assert.match(await line('serve'), /is a folder, not a database file/)
  const foreign = join(vitrine.folder, 'foreign.db')
  new DatabaseSync(foreign).exec('CREATE TABLE cats (name)')
  vitrine.env.DATABASE_URL = `sqlite:${foreign}`
  assert.match(await line('serve'), /is a database of another program/)
  const newer = join(vitrine.folder, 'newer.db')
  new DatabaseSync(newer).exec('PRAGMA application_id = 0x5654524e; PRAGMA user_version = 999')
  vitrine.env.DATABASE_URL = `sqlite:${newer}`
  assert.match(await line('serve'), /was written by a newer Vitrine/)
})

test('help teaches, and a wrong word is a misuse', async (t) => {
  const vitrine = program(t)
  const help = await vitrine.run('--help')
  assert.equal(help.code, 0)
  for (const word of ['serve', 'demo', 'workspace', 'key', 'task', 'member', 'audit', 'backup', 'doctor'])
    assert.match(help.stdout, new RegExp(`^ {2}${word} `, 'm'))
  assert.match((await vitrine.run('serve', '--help')).stdout, /RATE_LIMIT +quota of a key/)
  assert.equal((await vitrine.run('frobnicate')).code, 2)
  assert.equal((await vitrine.run('key')).code, 2)
  assert.equal((await vitrine.run('key', 'create', '--nope')).code, 2)
  assert.equal((await vitrine.run()).code, 2)
})
