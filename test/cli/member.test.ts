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

test('`member add` and `member role` report what happened', async (vitrine) => {
  const member = async (...args: string[]) => {
    const { code, stderr } = await vitrine.run('member', ...args, '--workspace', 'acme')
    return [code, stderr]
  }
  const ana = ['--email', 'ana@acme.example']
  assert.deepEqual(await member('add', ...ana, '--role', 'member'), [0, 'ana@acme.example is now member of acme.\n'])
  assert.deepEqual(await member('add', ...ana, '--role', 'member'), [
    ...[0, 'ana@acme.example is already member of acme; nothing was changed.\n'],
  ])
  assert.deepEqual(await member('add', ...ana, '--role', 'admin'), [
    ...[0, 'ana@acme.example was member of acme, and is now admin.\n'],
  ])
  assert.deepEqual(await member('role', ...ana, '--role', 'owner'), [
    ...[0, 'ana@acme.example was admin of acme, and is now owner.\n'],
  ])
  const { stdout } = await vitrine.run('member', 'role', ...ana, '--workspace', 'acme', '--role', 'owner', '--json')
  assert.equal(JSON.parse(stdout).role, 'owner')
  const log = await vitrine.jsonLines('audit', '--workspace', 'acme')
  const entries = log.filter(({ action }) => action.startsWith('member.'))
  assert.deepEqual(
    entries.map(({ action, detail }) => [action, detail]).sort(),
    [
      ['member.added', { role: 'member' }],
      ['member.role_changed', { from: 'admin', to: 'owner' }],
      ['member.role_changed', { from: 'member', to: 'admin' }],
    ],
    'what changed nothing is not in the log',
  )
})

test('the command line neither removes nor demotes the last owner, and names the fix', async (vitrine) => {
  const run = (...args: string[]) =>
    vitrine.run('member', ...args, '--workspace', 'acme', '--email', 'ana@acme.example')
  assert.equal((await run('add', '--role', 'owner')).code, 0)
  for (const attempt of [['remove'], ['role', '--role', 'admin'], ['add', '--role', 'member']]) {
    const { code, stderr } = await run(...attempt)
    assert.equal(code, 1)
    assert.equal(
      stderr,
      "vitrine: ana@acme.example is the only owner of acme; make another member an owner first: 'vitrine member add --workspace acme --email <address> --role owner'\n",
    )
  }
  await vitrine.ok('member', 'add', '--workspace', 'acme', '--email', 'ben@acme.example', '--role', 'owner')
  assert.equal((await run('remove')).code, 0)
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
