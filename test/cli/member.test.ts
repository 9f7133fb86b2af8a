import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../support/person.ts'
import { acmeProgram } from '../support/program.ts'

test('members are added, changed, listed and removed', async (t) => {
  const vitrine = await acmeProgram(t)
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

test('a sign-in link printed by one process works at another, once', async (t) => {
  const vitrine = await acmeProgram(t)
  const missing = await vitrine.run('member', 'link', '--email', 'x@acme.example')
  assert.equal(missing.code, 1)
  assert.match(missing.stderr, /^vitrine: x@acme\.example is not a member of any workspace; add them with/)
  await vitrine.ok('member', 'add', '--workspace', 'acme', '--email', 'x@acme.example', '--role', 'admin')
  const server = await vitrine.start('serve')
  vitrine.env.PUBLIC_URL = 'https://vitrine.example'
  const link = await vitrine.ok('member', 'link', '--email', 'X@acme.example', '--workspace', 'acme')
  assert.match(link, /^https:\/\/vitrine\.example\/settings\/sign-in\/link\?token=[\w-]{43}$/)
  assert.equal((await new Browser(server.url).follow(link)).status, 303)
  assert.equal((await new Browser(server.url).follow(link)).status, 410)
  const { link: other, ...rest } = JSON.parse(await vitrine.ok('member', 'link', '--email', 'x@acme.example', '--json'))
  assert.deepEqual(rest, { email: 'x@acme.example', expiresInSeconds: 900 })
  assert.equal((await new Browser(server.url).follow(other)).status, 303)
})
