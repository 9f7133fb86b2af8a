// On both engines: each engine fails in its own way.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { connectElsewhere, engineUnderTest, freshDatabaseUrl } from '../support/database.ts'
import { acmeProgram, program } from '../support/program.ts'

const engine = engineUnderTest()

/** A database with the workspace acme, which is then changed. */
async function spoiled(t: TestContext, ...statements: string[]): Promise<string> {
  const { env } = await acmeProgram(t)
  const url = env.DATABASE_URL ?? ''
  const elsewhere = await connectElsewhere(url)
  for (const statement of statements) await elsewhere.run(statement)
  await elsewhere.close()
  return url
}

type Case = [what: string, databaseUrl: (t: TestContext) => Promise<string>, complaint: RegExp]

const fileCases: Case[] = [
  ['that is not there', async () => 'sqlite:none.db', /^none\.db: no database there yet; create one with/],
  ['that is a folder', async () => 'sqlite:folder.db', /^folder\.db: is a folder, not a database file/],
  ['within a file', async () => 'sqlite:text.db/v.db', /^text\.db\/v\.db: no database there yet/],
  ['that is no database', async () => 'sqlite:text.db', /^text\.db: the file is not a SQLite database/],
  ['of a newer version', (t) => spoiled(t, 'PRAGMA user_version = 999'), /was written by a newer Vitrine \(schema 999/],
  ['of another program', (t) => spoiled(t, 'PRAGMA application_id = 1'), /belongs to another program/],
]

const serverCases: Case[] = [
  [
    'of a newer version',
    (t) => spoiled(t, 'INSERT INTO migrations (number) VALUES (999)'),
    /^the database was written by a newer Vitrine \(schema 999/,
  ],
  [
    'that does not exist',
    async (t) => (await freshDatabaseUrl(t)).replace(/\w+$/, 'none'),
    /^the database in DATABASE_URL does not exist; create it with createdb$/,
  ],
  [
    'with options that are none',
    async (t) => `${await freshDatabaseUrl(t)}?options=-c%20none%3D1`,
    /^PostgreSQL does not accept a setting in the options of DATABASE_URL/,
  ],
  [
    'of a role that does not exist',
    async (t) => (await freshDatabaseUrl(t)).replace(/\/\/[^@]*@/, '//none@'),
    /^PostgreSQL rejects the user/,
  ],
  [
    'at a port where nobody listens',
    async () => 'postgres://u:hunter2@127.0.0.1:1/d',
    /^PostgreSQL refuses connections at/,
  ],
  ['at an address of something else', webServer, /^PostgreSQL closed the connection; check its log/],
]

async function webServer(t: TestContext): Promise<string> {
  const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  return `postgres://u@127.0.0.1:${(server.address() as AddressInfo).port}/d`
}

const incomplete: Case = [
  'that lacks a table',
  (t) => spoiled(t, engine === 'sqlite' ? 'DROP TABLE members' : 'DROP TABLE members CASCADE'),
  /the database is missing a .*; restore a backup/,
]

for (const [what, databaseUrl, complaint] of [...(engine === 'sqlite' ? fileCases : serverCases), incomplete])
  test(`${engine}: with a database ${what} each command exits with one line that explains it`, async (t) => {
    const url = await databaseUrl(t)
    const vitrine = program(t, { DATABASE_URL: url })
    mkdirSync(join(vitrine.folder, 'folder.db'))
    vitrine.writeFile('text.db', 'a text of some length, which is not a database at all')
    for (const args of [
      ['member', 'list', '--workspace', 'acme'],
      ['member', 'add', '--workspace', 'acme', '--email', 'a@b.example', '--role', 'owner'],
      ['copy', '--from', url, '--to', 'sqlite:target.db'],
    ]) {
      const { code, stdout, stderr } = await vitrine.run(...args)
      assert.deepEqual({ code, stdout }, { code: 1, stdout: '' }, stderr)
      assert.match(stderr, /^vitrine: [^\n]+\n$/)
      assert.doesNotMatch(stderr, /unexpected failure|hunter2/)
      // A copy has two databases, and names the one at fault by its option.
      if (args[0] !== 'copy') assert.match(stderr.slice('vitrine: '.length, -1), complaint)
      else assert.doesNotMatch(stderr, /DATABASE_URL/)
    }
    const { code, stdout, stderr } = await vitrine.run('doctor')
    assert.equal(code, 1)
    assert.equal(stderr, '')
    assert.match(stdout, /^FAIL {2}(database|rows): /m)
    assert.doesNotMatch(stdout, /unexpected failure|hunter2/)
  })
