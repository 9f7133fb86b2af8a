import assert from 'node:assert/strict'
import { testWith } from '../support/database.ts'
import { Browser } from '../support/person.ts'
import { acmeProgram } from '../support/program.ts'

const test = testWith(acmeProgram)

test('members are added, changed, listed and removed', async (vitrine) => {
  const member = (...args: string[]) => vitrine.run('member', ...args, '--workspace', 'acme')
  await vitrine.ok('member', 'add', '--workspace', 'acme', '--email', 'Ana@Acme.example', '--role', 'member')
  await vitrine.ok('member', 'add', '--workspace', 'acme', '--email', 'ana@acme.example', '--role', 'owner')
  const [ana, ...others] = JSON.parse((await member('list', '--json')).stdout)
  const whenever = { addedAt: '', signedInAt: null }
  assert.deepEqual({ ...ana, addedAt: '' }, { email: 'ana@acme.example', role: 'owner', ...whenever })
  assert.equal(others.length, 0)
  await vitrine.ok('member', 'add', '--workspace', 'acme', '--email', 'ben@acme.example', '--role', 'owner')
  await vitrine.ok('member', 'remove', '--workspace', 'acme', '--email', 'ANA@acme.example')
  assert.equal((await member('remove', '--email', 'ana@acme.example')).code, 1)
})

test('a sign-in link printed by one process works in another, once', async (vitrine) => {
  assert.match(
    await vitrine.fails(1, 'member', 'link', '--email', 'x@acme.example'),
    /^vitrine: x@acme\.example is not a member of any workspace; add them with/,
  )
  await vitrine.ok('member', 'add', '--workspace', 'acme', '--email', 'x@acme.example', '--role', 'admin')
  const server = await vitrine.serve()
  vitrine.env.PUBLIC_URL = 'https://vitrine.example'
  const link = await vitrine.ok('member', 'link', '--email', 'X@acme.example', '--workspace', 'acme')
  assert.match(link, /^https:\/\/vitrine\.example\/settings\/sign-in\/link\?token=[\w-]{43}$/)
  assert.equal((await new Browser(server.url).follow(link)).status, 303)
  assert.equal((await new Browser(server.url).follow(link)).status, 410)
  const { link: other, ...rest } = await vitrine.json('member', 'link', '--email', 'x@acme.example')
  assert.deepEqual(rest, { email: 'x@acme.example', expiresInSeconds: 900 })
  assert.equal((await new Browser(server.url).follow(other)).status, 303)
})

test('a link without PUBLIC_URL is printed with a warning that explains the fix', async (vitrine) => {
  await vitrine.ok('member', 'add', '--workspace', 'acme', '--email', 'x@acme.example', '--role', 'admin')
  for (const more of [[], ['--json']]) {
    const { code, stdout, stderr } = await vitrine.run('member', 'link', '--email', 'x@acme.example', ...more)
    assert.equal(code, 0)
    assert.match(stdout, /http:\/\/127\.0\.0\.1:\d+\/settings\/sign-in\/link/)
    assert.match(
      stderr,
      /^vitrine: warning: PUBLIC_URL is not set, so the link leads to http:\S+, on this machine only; set PUBLIC_URL/,
    )
  }
  vitrine.env.PUBLIC_URL = 'https://vitrine.example'
  const { stderr } = await vitrine.run('member', 'link', '--email', 'x@acme.example')
  assert.doesNotMatch(stderr, /warning/)
})
