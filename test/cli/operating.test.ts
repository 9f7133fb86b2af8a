import assert from 'node:assert/strict'
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

test('doctor finds nothing wrong with a sound database, and names what is wrong otherwise', async (t) => {
  const vitrine = program(t)
  await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  await vitrine.ok('key', 'create', '--workspace', 'acme', '--label', 'x', '--expires', '3d')
  const sound = await vitrine.run('doctor')
  assert.equal(sound.code, 0, sound.stdout)
  assert.match(sound.stdout, /1 workspaces, 1 live keys; expiring within 14 days: key_/)
  vitrine.env.PORT = 'many'
  assert.match((await vitrine.run('doctor')).stdout, /FAIL {2}settings: PORT: must be a whole number/)
})

test('help teaches, and a wrong word is a misuse', async (t) => {
  const vitrine = program(t)
  const help = await vitrine.run('--help')
  assert.equal(help.code, 0)
  for (const word of ['serve', 'demo', 'workspace', 'key', 'task', 'member', 'audit', 'backup', 'restore', 'doctor'])
    assert.match(help.stdout, new RegExp(`^ {2}${word} `, 'm'))
  assert.match((await vitrine.run('serve', '--help')).stdout, /RATE_LIMIT +default quota of a key/)
  assert.equal((await vitrine.run('frobnicate')).code, 2)
  assert.equal((await vitrine.run('key')).code, 2)
  assert.equal((await vitrine.run('key', 'create', '--nope')).code, 2)
  assert.equal((await vitrine.run()).code, 2)
})
