import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { summaryOf } from '../../src/cli/commands/scan.ts'
import { createToken } from '../../src/lib/key-format.ts'
import { Findings } from '../../src/tools/scan/findings.ts'
import { testOnce } from '../support/database.ts'
import { documentedCode } from '../support/documented.ts'
import { leakOf } from '../support/key-leaks.ts'
import { keysIn } from '../support/listed-keys.ts'
import { acmeProgram, program } from '../support/program.ts'
import { openStore } from '../support/stores.ts'

test('a scan shows which keys are live, revokes those that can be used, and never prints a key', async (t) => {
  const vitrine = await acmeProgram(t)
  const store = await openStore(t, vitrine.env.DATABASE_URL ?? '')
  const create = (expiresAt: string | null, nowMs = Date.now()) =>
    keysIn(store, 'test', () => nowMs).create('acme', {
      label: 'the "report"',
      permissions: ['tasks:read'],
      quota: null,
      expiresAt,
    })
  const live = await create(null)
  const paused = await create(null)
  await keysIn(store).pause(paused.key.id)
  const revoked = await create(null)
  await keysIn(store).revoke(revoked.key.id)
  const expired = await create('2020-01-02T00:00:00.000Z', Date.parse('2020-01-01T00:00:00Z'))
  const unknown = createToken()
  const tokens = [live.token, paused.token, revoked.token, expired.token, unknown]
  mkdirSync(join(vitrine.folder, 'work'))
  vitrine.writeFile('work/keys', `${tokens.join('\n')}\n${live.token}`)

  const { code, stdout, stderr } = await vitrine.run('scan', 'work')
  assert.equal(code, 1, stderr)
  const expected = [
    `${live.key.prefix}…  live  ${live.key.id}  "the "report"" of acme, never used`,
    '  work/keys:1:1',
    '  work/keys:6:1',
    `${paused.key.prefix}…  paused  ${paused.key.id}  "the "report"" of acme, never used`,
    '  work/keys:2:1',
    `${revoked.key.prefix}…  revoked  ${revoked.key.id}  "the "report"" of acme, never used`,
    '  work/keys:3:1',
    `${expired.key.prefix}…  expired  ${expired.key.id}  "the "report"" of acme, never used`,
    '  work/keys:4:1',
    `${unknown.slice(0, 10)}…  unknown here`,
    '  work/keys:5:1',
  ]
  assert.equal(stdout, `${expected.join('\n')}\n`)
  assert.equal(stderr, 'Found 5 keys in 1 file.\n')

  const second = await vitrine.run('scan', '--revoke', '--json', 'work')
  assert.deepEqual([second.code, second.stderr], [1, ''])
  const report = JSON.parse(second.stdout)
  assert.deepEqual(
    report.keys.map(({ state, id, isRevokedNow = false }: Record<string, unknown>) => [state, id, isRevokedNow]),
    [
      ['revoked', live.key.id, true],
      ['revoked', paused.key.id, true],
      ['revoked', revoked.key.id, false],
      ['expired', expired.key.id, false],
      ['unknown', undefined, false],
    ],
  )
  assert.deepEqual(report.keys[4], {
    prefix: unknown.slice(0, 10),
    state: 'unknown',
    places: [{ text: 'work/keys:5:1', file: 'work/keys', line: 5, column: 1 }],
    morePlaces: 0,
  })
  const printed = stdout + stderr + second.stdout + second.stderr
  for (const token of tokens) assert.equal(leakOf(printed, token), undefined)

  const entries = await vitrine.query<{ subject: string; actor: string }>(
    "SELECT subject, actor FROM audit WHERE action = 'key.revoked'",
  )
  assert.deepEqual(
    entries.map(({ subject }) => subject).sort(),
    [live, paused, revoked].map(({ key }) => key.id).sort(),
  )
  assert.equal(entries.filter(({ actor }) => actor.startsWith('cli:')).length, 2)
})

testOnce('without a database, keys are still found; --revoke then fails and explains why', async (t) => {
  const vitrine = program(t, { DATABASE_URL: 'sqlite:none.db' })
  const token = createToken()
  vitrine.writeFile('a.txt', token)
  const scan = await vitrine.run('scan', 'a.txt')
  assert.deepEqual([scan.code, scan.stdout], [1, `${token.slice(0, 10)}…  not asked\n  a.txt:1:1\n`])
  assert.match(
    scan.stderr,
    /^Found 1 key in 1 file\.\nCould not check whether they are live: none\.db: no database there yet/,
  )
  const revoke = await vitrine.run('scan', '--revoke', 'a.txt')
  assert.deepEqual([revoke.code, revoke.stdout], [1, scan.stdout])
  assert.match(revoke.stderr, /\nvitrine: none\.db: no database there yet; .*\n$/)
})

testOnce(
  'in a folder without an instance, a scan names DATABASE_URL, and does not suggest creating a database',
  async (t) => {
    const vitrine = program(t, { DATABASE_URL: '' })
    vitrine.writeFile('a.txt', createToken())
    const advice =
      'DATABASE_URL is not set, and the current folder has no database; set it to the database of the instance that created the keys\n'
    const { stderr } = await vitrine.run('scan', 'a.txt')
    assert.equal(stderr, `Found 1 key in 1 file.\nCould not check whether they are live: ${advice}`)
    assert.equal((await vitrine.run('scan', '--revoke', 'a.txt')).stderr, `Found 1 key in 1 file.\nvitrine: ${advice}`)
  },
)

testOnce('a scan without a finding exits with 0, one that could not read everything with 1', async (t) => {
  const vitrine = program(t, { DATABASE_URL: 'sqlite:none.db' })
  vitrine.writeFile('a.txt', 'nothing')
  assert.deepEqual(await vitrine.run('scan', '.'), { code: 0, stdout: '', stderr: 'Found no keys in 1 file.\n' })
  const { code, stdout, stderr } = await vitrine.run('scan', 'a.txt', 'missing.txt')
  assert.deepEqual([code, stdout], [1, ''])
  assert.equal(stderr, 'not read: missing.txt does not exist\nFound no keys in 1 file; not everything could be read.\n')
})

testOnce(
  '--exclude and the current folder’s ignore file exclude matching paths, and no other ignore file does',
  async (t) => {
    const vitrine = program(t, { DATABASE_URL: 'sqlite:none.db' })
    mkdirSync(join(vitrine.folder, 'work'))
    for (const name of ['work/a.txt', 'work/b.txt', 'work/c.txt']) vitrine.writeFile(name, createToken())
    vitrine.writeFile('.vitrineignore', '# samples\nb.txt\n')
    // A stranger's.
    vitrine.writeFile('work/.vitrineignore', '*\n')
    const { code, stdout, stderr } = await vitrine.run('scan', '--exclude', 'x', '--exclude', 'work/c*', 'work')
    assert.deepEqual([code, stdout.match(/work\/.*/g)], [1, ['work/a.txt:1:1']])
    assert.match(stderr, /^skipped: 2 excluded files\nFound 1 key in 2 files\.\n/)
    const refused = await vitrine.run('scan', '--exclude', '!a', 'work')
    assert.deepEqual([refused.code, refused.stdout], [2, ''])
    assert.match(refused.stderr, /!a: a pattern cannot re-include what another one excludes/)
    vitrine.writeFile('.vitrineignore', Buffer.from([0xff]))
    const unreadable = await vitrine.run('scan', 'work')
    assert.deepEqual([unreadable.code, unreadable.stdout], [1, ''])
    assert.equal(unreadable.stderr, 'vitrine: .vitrineignore must be text in UTF-8\n')
  },
)

testOnce('a key beyond the limit fails the scan although all listed ones are excluded', async (t) => {
  const vitrine = program(t, { DATABASE_URL: 'sqlite:none.db' })
  vitrine.writeFile('keys', Array.from({ length: 10_001 }, createToken).join('\n'))
  const git = (...args: string[]) => execFileSync('git', args, { cwd: vitrine.folder, stdio: 'pipe' })
  git('init', '--quiet')
  git('add', 'keys')
  const { code, stdout, stderr } = await vitrine.run('scan', '--exclude', 'keys', '.')
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /^not listed, checked or revoked: 1 more key; .*\nFound 1 key in /ms)
})

testOnce("the guide's rules for other scanners match a key, also with Markdown escapes", async () => {
  const token = createToken()
  const gitleaks = documentedCode('docs/scan.md', 'toml', 'vitrine-key')
  const trufflehog = documentedCode('docs/scan.md', 'yaml', 'vitrine-key')
  for (const [, pattern = ''] of [gitleaks.match(/regex = '''(.+)'''/), trufflehog.match(/key: '(.+)'/)].map(
    (m) => m ?? [],
  ))
    for (const text of [token, token.replace('_', '\\_'), `key=${token}.`])
      assert.ok(new RegExp(pattern).test(text), `${pattern} ${text}`)
})

testOnce("the guide's hook refuses a commit with a key, also with `git commit --all`", async (t) => {
  const vitrine = program(t, { DATABASE_URL: 'sqlite:none.db' })
  const root = join(import.meta.dirname, '../..')
  const env = {
    ...vitrine.env,
    PATH: `${root}/bin:${vitrine.env.PATH}`,
    GIT_CONFIG_NOSYSTEM: '1',
    HOME: vitrine.folder,
  }
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ana', '-c', 'user.email=ana@acme.example', ...args], {
      ...{ cwd: vitrine.folder, env, encoding: 'utf8', stdio: 'pipe' },
    })
  git('init', '--quiet')
  vitrine.writeFile('.git/hooks/pre-commit', documentedCode('docs/scan.md', 'sh', '#!/bin/sh'))
  chmodSync(join(vitrine.folder, '.git/hooks/pre-commit'), 0o755)
  vitrine.writeFile('config', 'clean')
  git('add', 'config')
  git('commit', '--quiet', '--message', 'one')
  vitrine.writeFile('config', createToken())
  // The key is in this commit's own index, which only the hook's environment names.
  assert.throws(() => git('commit', '--quiet', '--all', '--message', 'two'), /vtr_|Found 1 key in 1 git object/)
  assert.equal(git('rev-list', '--count', 'HEAD').trim(), '1')
})

testOnce("keys beyond the limit are counted, and git's messages are safe for a terminal", async () => {
  const findings = new Findings()
  for (let i = 0; i < 10_002; i++) findings.add(`vtr_${i}`, { file: 'a', line: i, column: 1 })
  findings.addUnread({ file: 'repo' }, 'git: bad config in \u009b31m\u202efile')
  assert.deepEqual(summaryOf(findings), [
    'not read: repo git: bad config in \uFFFD31m[U+202E]file',
    'not listed, checked or revoked: 2 more keys; scan less at a time',
    'Found 10,002 keys in 0 files; not everything could be read.',
  ])
})
