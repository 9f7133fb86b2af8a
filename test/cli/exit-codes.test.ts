import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engineUnderTest, testOnce } from '../support/database.ts'
import { acmeProgram, program } from '../support/program.ts'

const HUGE = 'x'.repeat(100_000)
const NEW = ['workspace', 'create', '--name', 'B', '--slug', 'b']
const KEY = ['key', 'create', '--workspace', 'acme']
const ADD = ['member', 'add', '--workspace', 'acme']

/** Invalid regardless of the data: exit code 2. */
const SYNC = ['task', 'sync', '--workspace', 'acme']

const misuses: [args: string[], complaint: RegExp][] = [
  [[...SYNC, 'there.txt'], /required option '--source <name>' not specified/],
  [[...SYNC, '--source', 'a', '--max-gone', '101%', 'there.txt'], /--max-gone must be a number/],
  [[...SYNC, '--source', 'a', '--every', '5m', '-'], /--every: stdin can be read only once; use a file or a URL/],
  [[...SYNC, '--source', 'a', '--every', '5m', '--dry-run', 'x.json'], /--every: cannot be used with --dry-run/],
  [[...SYNC, '--source', 'a', '--every', '0', 'x.json'], /--every: must be from 1s to 7d, such as 5m/],
  [['workspace', 'create', '--name', 'B', '--slug', 'No Slug'], /the slug must be/],
  [[...NEW, '--timezone', 'Mars/Olympus'], /is not an IANA timezone/],
  [[...NEW, '--slug', 'c'], /--slug: can be given only once/],
  [[...SYNC, '--dry-run', '--dry-run'], /--dry-run: can be given only once/],
  [[...NEW, 'more'], /too many arguments/],
  [['workspace', 'update', 'acme'], /nothing to change: add --name, --timezone, --currency or --country/],
  [['workspace', 'update', 'acme', '--name', ''], /--name: must not be empty/],
  [['workspace', 'delete', 'acme'], /this would delete acme with 0 tasks, 0 members, 0 sources .*; add --yes to do it/],
  [['workspace', 'list', '--nope'], /unknown option/],
  [['resource', 'new', 'orders'], /required option '--from <file>' not specified/],
  [['resource', 'check'], /RESOURCES is not set; set it to the folder with your definitions/],
  [KEY, /required option '--label/],
  [[...KEY, '--label', HUGE], /--label: must be 1 to 100/],
  [[...KEY, '--label', 'x', '--expires', 'soon'], /--expires: must be a duration/],
  [[...KEY, '--label', 'x', '--expires', '2020-01-01T00:00:00Z'], /--expires: must be in the future/],
  [[...KEY, '--label', 'x', '--rate-limit', 'many'], /--rate-limit: must be <limit>;w=<seconds>/],
  [
    [...KEY, '--label', 'x', '--permissions', 'workspace:read', '--only', 'tasks.bookKey=wool'],
    /--only: the key is limited to some tasks, which it may not read/,
  ],
  [['key', 'rotate', 'key_1', '--overlap', 'long'], /--overlap: must be a duration/],
  [['key', 'purge'], /required option '--ended-before <duration>' not specified/],
  [
    ['key', 'update', 'key_1'],
    /nothing to change: add --label, --permissions, --expires, --rate-limit, --network or --only/,
  ],
  [[...ADD, '--email', 'ana', '--role', 'owner'], /"ana" is not an email address/],
  [[...ADD, '--email', 'ana@b.example', '--role', 'king'], /argument 'king' is invalid\. Allowed choices are owner/],
  [['member', 'link', '--email', 'ana'], /"ana" is not an email address/],
  [['audit', '--workspace', 'acme', '--limit', '0'], /--limit: must be a positive whole number/],
  [['audit', '--workspace', 'acme', 'verify'], /--workspace: options of 'audit verify' must follow it/],
  [['copy', '--from', 'mysql://x', '--to', 'sqlite:y.db'], /--from: must be sqlite:/],
  [['copy', '--from', 'sqlite:x.db', '--to', 'postgres://u@h/d?sslmode=bogus'], /--to: has an unknown sslmode/],
  [['check'], /missing required argument 'url'/],
  [['check', 'vitrine.example.com'], /<url>: must begin with https:\/\/ or http:\/\//],
  [['check', 'https://vitrine.example.com/tasks'], /must not have a path: .* so use https:\/\/vitrine\.example\.com/],
  [[...SYNC, '--source', 'a', '--exec', 'true', 'file'], /give either files or --exec/],
  [['stdio', '--url', 'ftp://x'], /--url: must begin with https:/],
  [['stdio', '--url', 'http://x', '--key', 'y'], /a key must not be an argument: .* put it into VITRINE_KEY/],
  [['serve', 'now'], /too many arguments/],
  [['frobnicate'], /unknown command/],
]

/** Valid, but not with this data: exit code 1. */
const failures: [args: string[], complaint: RegExp][] = [
  [['workspace', 'create', '--name', 'A', '--slug', 'acme'], /already exists/],
  [['workspace', 'archive', 'nope'], /no workspace has the slug nope/],
  [['workspace', 'restore', 'acme'], /is not archived/],
  [['workspace', 'archive', HUGE], /no workspace has the slug x+…$/],
  [['workspace', 'archive', 'a\nb\x1b[2J'], /no workspace has the slug a\uFFFDb\uFFFD\[2J/],
  [['task', 'show', '--workspace', 'acme', 'a\x1b[2J'], /no task of acme has the id a\uFFFD\[2J; 'vitrine task list/],
  [['task', 'delete', '--workspace', 'acme', HUGE], /no task of acme has the id x+…$/],
  [['key', 'create', '--workspace', 'nope', '--label', 'x'], /no workspace has the slug nope/],
  [['key', 'list', '--workspace', 'nope'], /no workspace has the slug nope/],
  [['key', 'revoke', 'key_1'], /no key has the id key_1/],
  [['member', 'add', '--workspace', 'nope', '--email', 'a@b.example', '--role', 'owner'], /no workspace has the slug/],
  [['member', 'remove', '--workspace', 'acme', '--email', 'a@b.example'], /is not a member of acme/],
  [['member', 'link', '--email', 'a@b.example'], /is not a member of any workspace/],
  [['audit', '--workspace', 'nope'], /no workspace has the slug nope/],
  [['copy', '--from', 'sqlite:none.db', '--to', 'sqlite:other.db'], /none\.db: no database there yet/],
  [['backup', 'there.txt'], engineUnderTest() === 'sqlite' ? /already exists/ : /with its own tools: pg_dump/],
  [['task', 'import', '--workspace', 'acme', 'none.csv'], /none\.csv: no such file/],
  [[...SYNC, '--source', 'a', 'none.csv'], /none\.csv: no such file/],
  [['task', 'sync', '--workspace', 'nope', '--source', 'a', 'there.txt'], /no workspace has the slug nope/],
  [['stdio', '--url', 'http://127.0.0.1:1'], /no key: set VITRINE_KEY, or VITRINE_KEY_FILE/],
]

const oneLine = (stderr: string) => stderr.replace(/\n\(see --help\)\n/, '').trimEnd()

for (const [code, what, table, run] of [
  // Usage errors do not involve the engine.
  [2, 'a value that is wrong in itself is a misuse: exit code 2', misuses, testOnce],
  [1, 'what fails against the data is a failure: exit code 1', failures, test],
] as const)
  run(`${what}, with one short line`, async (t) => {
    const vitrine = await acmeProgram(t)
    vitrine.writeFile('there.txt', 'x')
    for (const [args, complaint] of table) {
      const shown = args.map((arg) => arg.slice(0, 40)).join(' ')
      const { stderr, ...rest } = await vitrine.run(...args)
      const line = oneLine(stderr)
      assert.deepEqual(rest, { code, stdout: '' }, `${shown}: ${line}`)
      assert.match(line, complaint, shown)
      assert.match(line, /^(vitrine|error): /, shown)
      assert.doesNotMatch(line, /unexpected failure|\n|\bat .*:\d+/, shown)
      assert.ok(line.length < 1100, shown)
    }
    assert.deepEqual(
      (await vitrine.json('workspace', 'list')).map(({ slug }: { slug: string }) => slug),
      ['acme'],
    )
  })

testOnce('a backup into a missing folder fails and names the folder', async (t) => {
  const vitrine = program(t, { DATABASE_URL: 'sqlite:v.db' })
  await vitrine.ok(...NEW)
  assert.match(
    await vitrine.fails(1, 'backup', 'no/such/folder/b.db'),
    /^vitrine: no\/such\/folder: no such folder; create it first\n$/,
  )
})

testOnce('misusing a command without a database does not create one', async (t) => {
  const vitrine = program(t, { DATABASE_URL: 'sqlite:new.db' })
  assert.equal((await vitrine.run(...NEW, '--country', 'UK')).code, 2)
  assert.equal((await vitrine.run(...ADD, '--email', 'a@b.example', '--role', 'king')).code, 2)
  assert.match((await vitrine.run('workspace', 'list')).stderr, /new\.db: no database there yet/)
})
