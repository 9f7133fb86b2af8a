import assert from 'node:assert/strict'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { lockName } from '../../../src/database/sqlite/files/file-lock.ts'
import { program, programWithFile } from '../../support/program.ts'
import { createLastRelease } from '../last-release.ts'

/** A database with the workspace `acme`, a backup of that, and the workspace `later` made since. */
async function withBackup(t: TestContext) {
  const vitrine = programWithFile(t)
  const { file } = vitrine
  const create = (slug: string) => vitrine.ok('workspace', 'create', '--name', slug, '--slug', slug)
  const slugs = async () =>
    JSON.parse(await vitrine.ok('workspace', 'list', '--json')).map(({ slug }: { slug: string }) => slug)
  const files = () =>
    readdirSync(vitrine.folder)
      .filter((name) => name.startsWith('vitrine.db'))
      .sort()
  await create('acme')
  await vitrine.ok('backup', 'backup.db')
  await create('later')
  return { ...vitrine, file, create, slugs, files, backup: join(vitrine.folder, 'backup.db') }
}

const slugsIn = (file: string) => {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    return db
      .prepare('SELECT slug FROM workspaces ORDER BY slug')
      .all()
      .map(({ slug }) => slug)
  } finally {
    db.close()
  }
}

test('a backup is restored, and the replaced database is kept next to it, complete, each only for its owner', async (t) => {
  const vitrine = await withBackup(t)
  chmodSync(vitrine.backup, 0o644)
  chmodSync(vitrine.file, 0o644)
  const { code, stdout, stderr } = await vitrine.run('restore', 'backup.db')
  const [lock, replaced = ''] = vitrine.files().slice(1)
  assert.deepEqual([code, stdout, lock], [0, '', 'vitrine.db-lock'])
  assert.match(replaced, /^vitrine\.db\.replaced-\d{8}T\d{9}Z$/)
  assert.equal(
    stderr,
    `Restored ${vitrine.file} from backup.db: 1 workspace, 0 keys. The replaced database is kept as ${join(vitrine.folder, replaced)}.\n` +
      "Keys that were revoked after the backup work again: check 'vitrine key list --workspace SLUG'.\n",
  )
  assert.deepEqual(await vitrine.slugs(), ['acme'])
  assert.deepEqual(slugsIn(join(vitrine.folder, replaced)), ['acme', 'later'])
  for (const name of ['vitrine.db', 'vitrine.db-lock', replaced])
    assert.equal(statSync(join(vitrine.folder, name)).mode & 0o777, 0o600, name)
  assert.equal(statSync(join(vitrine.folder, replaced)).nlink, 1)
  assert.equal(vitrine.files().length, 3)
})

test('a leftover write-ahead log is neither applied to the restored database nor lost', async (t) => {
  const vitrine = await withBackup(t)
  const server = await vitrine.start('serve')
  const held = new DatabaseSync(vitrine.file)
  held.exec('BEGIN; SELECT 1 FROM workspaces')
  await vitrine.create('in-the-log')
  await server.stop('SIGKILL')
  // As a process that is killed leaves it, and not as SQLite does when it closes.
  for (const end of ['', '-wal']) copyFileSync(vitrine.file + end, `${vitrine.file}.kept${end}`)
  held.close()
  for (const end of ['', '-wal']) copyFileSync(`${vitrine.file}.kept${end}`, vitrine.file + end)
  assert.ok(statSync(`${vitrine.file}-wal`).size > 0)

  const { replaced } = JSON.parse(await vitrine.ok('restore', 'backup.db', '--json'))
  assert.equal(existsSync(`${vitrine.file}-wal`), false)
  assert.deepEqual(await vitrine.slugs(), ['acme'])
  assert.deepEqual(slugsIn(replaced), ['acme', 'in-the-log', 'later'])
})

test('a backup replaces a damaged database, a log whose database is gone, or nothing', async (t) => {
  const vitrine = await withBackup(t)
  const damage = 'no database any more '.repeat(500)
  writeFileSync(vitrine.file, damage)
  const first = JSON.parse(await vitrine.ok('restore', 'backup.db', '--json'))
  assert.deepEqual(await vitrine.slugs(), ['acme'])
  assert.equal(readFileSync(first.replaced, 'utf8'), damage)

  rmSync(vitrine.file)
  writeFileSync(`${vitrine.file}-wal`, 'its log')
  const gone = JSON.parse(await vitrine.ok('restore', 'backup.db', '--json'))
  assert.equal(existsSync(`${vitrine.file}-wal`), false)
  assert.equal(readFileSync(`${gone.replaced}-wal`, 'utf8'), 'its log')

  const second = program(t, { DATABASE_URL: 'sqlite:new/place.db' })
  await second.fails(1, 'restore', first.replaced)
  assert.deepEqual(readdirSync(join(second.folder, 'new')), [], 'a refused restore leaves nothing')
  const restored = JSON.parse(await second.ok('restore', vitrine.backup, '--json'))
  assert.deepEqual([restored.replaced, restored.workspaces, restored.keys], [null, 1, 0])
  assert.equal(statSync(join(second.folder, 'new/place.db')).mode & 0o777, 0o600)
  assert.equal((await second.run('workspace', 'list')).code, 0)
})

test('restore refuses while a server or another program has the database open, and changes nothing', async (t) => {
  const vitrine = await withBackup(t)
  const server = await vitrine.start('serve')
  const refused = async (pattern: RegExp) => {
    const { code, stderr } = await vitrine.run('restore', 'backup.db')
    assert.equal(code, 1)
    assert.match(stderr, pattern)
    assert.equal(stderr.split('\n').length, 2)
  }
  await refused(/vitrine\.db: a server has this database open; stop it first, then restore/)
  await server.stop()
  const other = new DatabaseSync(vitrine.file)
  other.exec('SELECT 1 FROM workspaces')
  await refused(/vitrine\.db: another program has this database open; stop it first/)
  other.close()
  assert.deepEqual(await vitrine.slugs(), ['acme', 'later'])
  assert.deepEqual(vitrine.files(), ['vitrine.db', 'vitrine.db-lock'])
})

test('a backup whose triggers were changed is refused, before one of its own runs', async (t) => {
  const vitrine = await withBackup(t)
  const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'
  for (const [name, sql] of [
    ['added', `CREATE TRIGGER spy AFTER UPDATE ON revisions BEGIN ${endless}; END`],
    [
      'altered',
      `DROP TRIGGER audit_head_last; CREATE TRIGGER audit_head_last AFTER DELETE ON sessions BEGIN ${endless}; END`,
    ],
    ['missing', 'DROP TRIGGER key_stays_revoked'],
    ['column', `ALTER TABLE members ADD COLUMN spy TEXT CHECK (zeroblob(900000000) LIKE '%a%a%a%a%b')`],
  ] as const) {
    const file = join(vitrine.folder, name)
    copyFileSync(vitrine.backup, file)
    using db = new DatabaseSync(file)
    db.exec(sql)
    db.close()
    const { code, stderr } = await vitrine.run('restore', name)
    assert.equal(code, 1)
    assert.match(
      stderr,
      new RegExp(
        `^vitrine: ${name}: (table members|trigger (spy|audit_head_last|key_stays_revoked) of \\w+) is (not part of|altered|missing)`,
      ),
    )
  }
  const old = join(vitrine.folder, 'old.db')
  await createLastRelease(`sqlite:${old}`)
  using db = new DatabaseSync(old)
  db.exec(`CREATE TRIGGER spy AFTER INSERT ON AUDIT BEGIN ${endless}; END`)
  db.close()
  await vitrine.ok('restore', 'old.db')
  assert.deepEqual(
    await vitrine.query(`SELECT name FROM sqlite_schema WHERE name = 'spy'`),
    [],
    'its tables were created anew',
  )
})

test('an invalid backup is refused with one line, and the database stays unchanged', async (t) => {
  const vitrine = await withBackup(t)
  const { folder } = vitrine
  mkdirSync(join(folder, 'a-folder'))
  writeFileSync(join(folder, 'empty'), '')
  writeFileSync(join(folder, 'text'), 'This is no database. '.repeat(500))
  new DatabaseSync(join(folder, 'foreign')).exec('CREATE TABLE cats (name)')
  new DatabaseSync(join(folder, 'newer')).exec('PRAGMA application_id = 0x5654524e; PRAGMA user_version = 999')
  const whole = readFileSync(vitrine.backup)
  writeFileSync(join(folder, 'short'), whole.subarray(0, whole.length - 8192))
  const page = 4096 * 2
  writeFileSync(
    join(folder, 'torn'),
    Buffer.concat([whole.subarray(0, page), Buffer.alloc(page, 7), whole.subarray(2 * page)]),
  )
  copyFileSync(vitrine.backup, join(folder, 'open'))
  writeFileSync(join(folder, 'open-wal'), '')
  symlinkSync('vitrine.db', join(folder, 'itself'))
  const refusals: Record<string, RegExp> = {
    missing: /^vitrine: missing: no such file$/,
    'a-folder': /^vitrine: a-folder: is not a file$/,
    empty: /^vitrine: empty: is not a Vitrine database$/,
    text: /^vitrine: text: is damaged, or is not a SQLite database; choose another backup$/,
    foreign: /^vitrine: foreign: is not a Vitrine database$/,
    newer:
      /^vitrine: newer: was written by a newer Vitrine \(schema 999, this program knows \d+\); update the program$/,
    short: /^vitrine: short: is damaged, or is not a SQLite database; choose another backup$/,
    torn: /^vitrine: torn: is damaged, or is not a SQLite database; choose another backup$/,
    open: /^vitrine: open: is in use, or was not closed cleanly: open-wal is next to it; back it up with 'vitrine backup' first$/,
    itself: /^vitrine: itself: is the database itself; name a backup of it$/,
  }
  const before = readFileSync(vitrine.file)
  for (const [name, line] of Object.entries(refusals)) {
    const { code, stderr } = await vitrine.run('restore', name)
    assert.equal(code, 1, name)
    assert.match(stderr.trimEnd(), line)
  }
  assert.deepEqual(readFileSync(vitrine.file), before)
  assert.deepEqual(vitrine.files(), ['vitrine.db', 'vitrine.db-lock'])
})

test('a restored session signs no one in, and no sign-in link comes back', async (t) => {
  const vitrine = await withBackup(t)
  await vitrine.ok('member', 'add', '--workspace', 'acme', '--email', 'ana@acme.example', '--role', 'owner')
  await vitrine.ok('member', 'link', '--email', 'ana@acme.example')
  await vitrine.ok('backup', 'with-link.db')
  await vitrine.ok('restore', 'with-link.db')
  const db = new DatabaseSync(vitrine.file)
  t.after(() => db.close())
  assert.equal(db.prepare('SELECT (SELECT count(*) FROM sessions) + (SELECT count(*) FROM tickets) AS n').get()?.n, 0)
})

test('a restored database continues with revisions that the replaced one never had', async (t) => {
  const vitrine = await withBackup(t)
  const revision = (change = '') => {
    const db = new DatabaseSync(vitrine.file)
    try {
      db.exec(change)
      return Number(db.prepare('SELECT max(number) AS n FROM revisions').get()?.n)
    } finally {
      db.close()
    }
  }
  for (let i = 0; i < 2; i++) {
    const highest = revision('UPDATE revisions SET number = number + 1000')
    await vitrine.ok('restore', 'backup.db')
    assert.ok(revision() > highest, `${revision()} after ${highest}`)
    assert.ok(Number.isSafeInteger(revision()))
  }
})

test('the next start removes what a killed restore left behind', async (t) => {
  const vitrine = await withBackup(t)
  writeFileSync(`${vitrine.file}.restoring-1`, 'half a copy')
  linkSync(vitrine.file, `${vitrine.file}.replaced-20260101T000000Z`)
  writeFileSync(`${vitrine.file}.replaced-20250101T000000Z`, 'kept from another day')
  assert.equal(await (await vitrine.start('serve')).stop(), 0)
  assert.deepEqual(vitrine.files(), ['vitrine.db', 'vitrine.db-lock', 'vitrine.db.replaced-20250101T000000Z'])
  assert.deepEqual(await vitrine.slugs(), ['acme', 'later'])
})

test('on PostgreSQL restore names the tool to use', async (t) => {
  const vitrine = program(t, { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' })
  assert.deepEqual(await vitrine.run('restore', 'x'), {
    code: 1,
    stdout: '',
    stderr: 'vitrine: a PostgreSQL database is restored with its own tools: pg_restore\n',
  })
})

test('a backup removes what a killed one left in the same file, and is not disturbed by another', async (t) => {
  const vitrine = await withBackup(t)
  const partials = ['b.db.partial', 'b.db.partial-journal', 'c.db.partial']
  for (const name of partials) writeFileSync(join(vitrine.folder, name), 'half a backup')
  const other = lockName(join(vitrine.folder, 'b.db'), 'backup')
  assert.match((await vitrine.run('backup', 'b.db')).stderr, /another backup is writing to it/)
  other?.release()
  await vitrine.ok('backup', 'b.db')
  assert.deepEqual(slugsIn(join(vitrine.folder, 'b.db')), ['acme', 'later'])
  const left = readdirSync(vitrine.folder).filter((name) => /^[bc]\.db/.test(name))
  assert.deepEqual(left.sort(), ['b.db', 'c.db.partial'])
})
