import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { verifyEveryChain } from '../../src/audit/verify.ts'
import type { TableChunk } from '../../src/database/copied-tables.ts'
import { openOperatorStore, openPublicStore, openReadingStore, parseDatabaseUrl } from '../../src/database/open.ts'
import type { ReadingStore } from '../../src/database/store.ts'
import { creation, type HasTable, integer, mark, type Table, tablesOf, text } from '../../src/database/table.ts'
import { addMember } from '../../src/members/members.ts'
import { resources } from '../../src/resources/index.ts'
import { defineList } from '../../src/resources/list.ts'
import { connectElsewhere, type Elsewhere, engineUnderTest, freshDatabaseUrl } from '../support/database.ts'
import { createLastMain, createSchema8 } from '../support/last-main.ts'
import { program } from '../support/program.ts'
import { startService } from '../support/service.ts'

const AT = '2026-01-01T00:00:00.000Z'

async function start(t: TestContext) {
  const url = await freshDatabaseUrl(t)
  const open = async (known: readonly HasTable[] = resources) => {
    const store = await openOperatorStore(parseDatabaseUrl(url), known, { create: true })
    await store.close()
  }
  const connect = async () => {
    const elsewhere = await connectElsewhere(url)
    t.after(() => elsewhere.close())
    return elsewhere
  }
  return { url, open, connect }
}

/** All that a schema consists of, but for the order of columns and the layout of statements. */
async function schemaOf(elsewhere: Elsewhere): Promise<string[]> {
  if (engineUnderTest() === 'sqlite') {
    const rows = await elsewhere.all<{ type: string; name: string; sql: string | null }>(
      'SELECT type, name, sql FROM sqlite_schema',
    )
    return rows.map(({ type, name, sql }) => `${type} ${name} ${normalized(type, sql ?? '')}`).sort()
  }
  const rows = await elsewhere.all<{ what: string }>(
    `SELECT 'column ' || concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default, is_identity) AS what
         FROM information_schema.columns WHERE table_schema = 'vitrine'
         UNION SELECT 'index ' || indexdef FROM pg_indexes WHERE schemaname = 'vitrine'
         UNION SELECT 'constraint ' || conrelid::regclass || conname || pg_get_constraintdef(oid) FROM pg_constraint
               WHERE connamespace = 'vitrine'::regnamespace AND contype <> 'n'
         UNION SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
         UNION SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'vitrine'::regnamespace`,
  )
  return rows.map(({ what }) => normalized('', what)).sort()
}

/** A column that was added later stands behind the others, and SQLite quotes what it has renamed. */
function normalized(type: string, sql: string): string {
  const plain = sql
    .replaceAll(/--.*/g, '')
    .replaceAll('"', '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([(),]) ?/g, '$1')
  if (type !== 'table') return plain
  const [open, close] = [plain.indexOf('('), plain.lastIndexOf(')')]
  const parts = plain.slice(open + 1, close).split(/,(?![^(]*\))/)
  return `${plain.slice(0, open)}(${parts.sort().join(', ')})${plain.slice(close + 1)}`
}

/** What a database in use holds: tasks in all states, keys and their use, an incident, members and the audit log. */
async function usedDatabase(t: TestContext): Promise<Map<string, TableChunk['rows']>> {
  const { operator, keys, key, get, url, createKey, addTasks, stop } = await startService(t, { realClock: true })
  await addTasks([
    { id: 'never', title: 'A', details: 'x', dueAt: AT, status: 'completed' },
    { id: 'ended', title: 'B', snoozedUntil: '2001-01-01T00:00:00.000Z' },
    { id: 'snoozed', title: 'C', snoozedUntil: '2099-01-01T00:00:00.000Z' },
  ])
  const { id } = await createKey({ label: 'revoked', quota: { limit: 5, windowSeconds: 60 } })
  await keys.revoke(id)
  await addMember(operator, 'acme', { email: 'ana@x.example', role: 'owner' }, 'test', AT)
  assert.equal((await get('/tasks')).status, 200)
  assert.equal((await fetch(`${url}/tasks?key=${key}`)).status, 401)
  await stop()
  return rowsOf(operator)
}

async function rowsOf(store: ReadingStore): Promise<Map<string, TableChunk['rows']>> {
  const found = new Map<string, TableChunk['rows']>()
  for await (const { table, rows } of store.dump())
    found.set(
      table,
      rows.map((row) => ({ ...row })),
    )
  return found
}

/** Columns that the last main did not have: tasks had no source yet, keys could not be paused, and members had no last sign-in. */
const ADDED_SINCE = ['source', 'paused_at', 'retires_at', 'refused', 'signed_in_at', 'key_incidents.workspace_id']

async function insertRows(elsewhere: Elsewhere, tables: Map<string, TableChunk['rows']>): Promise<void> {
  const literal = (value: string | number | null) =>
    typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
  for (const [table, rows] of tables)
    for (const whole of rows) {
      const row = Object.fromEntries(
        Object.entries(whole).filter(
          ([column]) => ![column, `${table}.${column}`].some((name) => ADDED_SINCE.includes(name)),
        ),
      )
      await elsewhere.run(
        `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${Object.values(row).map(literal).join(', ')})`,
      )
    }
}

test('a database of the last main is brought over with all it holds, and has the schema of a new one', async (t) => {
  const { url, open, connect } = await start(t)
  await createLastMain(url)
  const elsewhere = await connect()
  const rows = await usedDatabase(t)
  for (const table of [
    'workspaces',
    'tasks',
    'api_keys',
    'key_use',
    'key_incidents',
    'members',
    'audit',
    'audit_heads',
  ])
    assert.ok(rows.get(table)?.length, `${table} has no rows to bring over`)
  // Nor did it know who called.
  rows.set('key_callers', [])
  await insertRows(elsewhere, rows)
  const readRest = () =>
    Promise.all(['SELECT * FROM revisions', 'SELECT count(*) FROM timezones'].map((sql) => elsewhere.all(sql)))
  const before = await readRest()
  await assert.rejects(
    openReadingStore(parseDatabaseUrl(url), resources),
    /is of an older version; run 'vitrine migrate'/,
  )

  await open()
  assert.deepEqual(await readRest(), before)
  const upgraded = await openReadingStore(parseDatabaseUrl(url), resources)
  t.after(() => upgraded.close())
  assert.deepEqual(await rowsOf(upgraded), rows)
  const chains = await upgraded.read((tx) => verifyEveryChain(tx, []))
  assert.deepEqual(
    chains.map(({ entries, fault }) => ({ entries, fault })),
    [{ entries: rows.get('audit')?.length, fault: null }],
  )
  const marks = await elsewhere.all<{ id: string; snooze_expired: number }>(
    'SELECT id, snooze_expired FROM tasks ORDER BY seq',
  )
  assert.deepEqual(
    marks.map(({ snooze_expired }) => Boolean(snooze_expired)),
    [false, true, false],
  )
  const other = await start(t)
  await other.open()
  assert.deepEqual(await schemaOf(elsewhere), await schemaOf(await other.connect()))

  const store = await openPublicStore(parseDatabaseUrl(url), resources, { onUseFailure: () => assert.fail() })
  await store.ping()
  await store.close()
  await open()
})

test('a database of schema 8 keeps its tasks, which then have no source, and gets the schema of a new one', async (t) => {
  const { url, open, connect } = await start(t)
  await createSchema8(url)
  const elsewhere = await connect()
  await elsewhere.run(`
    INSERT INTO workspaces (id, slug, name, created_at) VALUES ('w', 'w', 'W', '${AT}');
    INSERT INTO tasks (workspace_id, id, title, due_at, created_at) VALUES ('w', 'a', 'A', '${AT}', '${AT}'), ('w', 'b', 'B', NULL, '${AT}')`)
  await elsewhere.run(`
    INSERT INTO members VALUES ('w', 'ana@x.example', 'owner', '2000-01-01T00:00:00.000Z'), ('w', 'bo@x.example', 'member', '${AT}');
    INSERT INTO audit (at, workspace_id, actor, action, subject, detail, number, previous_hash, hash)
    VALUES ('2000-01-02T00:00:00.000Z', 'w', 'ana@x.example', 'session.started', 'ana@x.example', '{}', 1, '', '1'),
           ('${AT}', 'w', 'ana@x.example', 'session.started', 'ana@x.example', '{}', 2, '1', '2'),
           ('${AT}', 'w', 'ana@x.example', 'member.added', 'bo@x.example', '{}', 3, '2', '3')`)
  const readTasks = () =>
    elsewhere.all('SELECT seq, workspace_id, id, title, due_at, status, created_at FROM tasks ORDER BY seq')
  const [tasks, revisions] = [await readTasks(), await elsewhere.all('SELECT * FROM revisions')]
  assert.equal(tasks.length, 2)
  await open()
  assert.deepEqual(await readTasks(), tasks)
  assert.deepEqual(await elsewhere.all('SELECT * FROM revisions'), revisions)
  assert.equal((await elsewhere.all('SELECT 1 FROM tasks WHERE source IS NULL')).length, 2)
  const signedIn = await elsewhere.all<{ email: string }>(`SELECT email FROM members WHERE signed_in_at = '${AT}'`)
  assert.deepEqual(
    signedIn.map(({ email }) => email),
    ['ana@x.example'],
    'the last sign-in is in the audit log',
  )
  const fresh = await start(t)
  await fresh.open()
  assert.deepEqual(await schemaOf(elsewhere), await schemaOf(await fresh.connect()))
})

test('a database from before that is refused, with the way to carry it over', async (t) => {
  const { url, open } = await start(t)
  await createLastMain(url, 3)
  const last = engineUnderTest() === 'sqlite' ? 7 : 6
  const refusal = {
    name: 'StorageError',
    message: new RegExp(
      `has schema 3, which this program cannot upgrade; bring it to schema ${last} with 'vitrine migrate' of the version before$`,
    ),
  }
  await assert.rejects(open(), refusal)
  await assert.rejects(openReadingStore(parseDatabaseUrl(url), resources), refusal)
})

test('a database with a later schema is refused', async (t) => {
  const { open, connect } = await start(t)
  await open()
  const elsewhere = await connect()
  const isSqlite = engineUnderTest() === 'sqlite'
  await elsewhere.run(isSqlite ? 'PRAGMA user_version = 999' : 'INSERT INTO migrations (number) VALUES (999)')
  await assert.rejects(
    open(),
    /was written by a newer Vitrine \(schema 999, this program knows \d+\); update the program$/,
  )
})

const columns = {
  id: text({ maxLength: 10, description: '' }),
  title: text({ maxLength: 10, description: '' }),
  createdAt: creation({ hidden: true, description: '' }),
}
const shelves = (version: number, more: Partial<Table['columns']> = {}, order = ['title']) =>
  defineList(
    { name: 'shelves', singular: 'shelf', version, columns: { ...columns, ...more } as typeof columns },
    { order: order as 'title'[], filters: [], limit: 10 },
  )
const nullable = { level: integer({ nullable: true, maximum: 9, description: '' }) }

test('a table gets a new column, with its limits and its revision, and keeps its rows', async (t) => {
  const { open, connect } = await start(t)
  await open([...resources, shelves(1)])
  const elsewhere = await connect()
  await elsewhere.run(`
    INSERT INTO workspaces (id, slug, name, created_at) VALUES ('w', 'w', 'W', '${AT}');
    INSERT INTO shelves (workspace_id, id, title, created_at) VALUES ('w', 'a', 'A', '${AT}')`)
  const marked = { ...nullable, seen: mark({ description: '' }) }
  await open([...resources, shelves(2, marked, ['level', 'title'])])
  const fresh = await start(t)
  await fresh.open([...resources, shelves(2, marked, ['level', 'title'])])
  assert.deepEqual(await schemaOf(elsewhere), await schemaOf(await fresh.connect()))

  const revision = async () => JSON.stringify(await elsewhere.all('SELECT number FROM revisions'))
  const before = await revision()
  await elsewhere.run(`UPDATE shelves SET seen = '1'`)
  assert.equal(await revision(), before)
  await elsewhere.run(`UPDATE shelves SET level = 5`)
  assert.notEqual(await revision(), before)
  await assert.rejects(elsewhere.run(`UPDATE shelves SET level = 10`), /shelves_level_in_range: level must be from/)
  assert.equal((await elsewhere.all('SELECT * FROM shelves')).length, 1)
  await assert.rejects(
    open([...resources, shelves(1)]),
    /was written by a newer Vitrine \(table shelves 2, this program knows 1\); update the program$/,
  )
  await assert.rejects(
    open(),
    /has the table shelves, and this program has no resource with that table; run one that has it$/,
  )
})

const refused: [change: string, known: HasTable, message: RegExp][] = [
  [
    'without a new version',
    shelves(1, nullable),
    /has another table shelves of version 1; raise the version in its definition$/,
  ],
  [
    'a new column that every row must have',
    shelves(2, { level: integer({ description: '' }) }),
    /cannot get the column level of shelves: a new one must be nullable or have a default$/,
  ],
  [
    'another type',
    shelves(2, { title: integer({ description: '' }) } as Partial<Table['columns']>),
    /has the column title of shelves as .*, and its definition as .*; a column is only ever added$/,
  ],
]
for (const [change, known, message] of refused)
  test(`a table is refused a change that is not additive: ${change}`, async (t) => {
    const { open, connect } = await start(t)
    await open([...resources, shelves(1)])
    const elsewhere = await connect()
    const before = await schemaOf(elsewhere)
    await assert.rejects(open([...resources, known]), { name: 'StorageError', message })
    assert.deepEqual(await schemaOf(elsewhere), before)
    await open([...resources, shelves(1)])
  })

const taken: [what: string, sql: string, known: HasTable, name: RegExp][] = [
  ['table', 'CREATE TABLE shelves (id text)', shelves(1), /shelves"? already exists/],
  ['column', 'ALTER TABLE shelves ADD COLUMN level text', shelves(2, nullable), /level/],
]
for (const [what, statement, known, name] of taken)
  test(`a ${what} of somebody else is left alone, and named`, async (t) => {
    const { open, connect } = await start(t)
    await open(what === 'table' ? resources : [...resources, shelves(1)])
    const elsewhere = await connect()
    await elsewhere.run(statement)
    const before = await schemaOf(elsewhere)
    await assert.rejects(open([...resources, known]), (error: Error) => {
      assert.equal(error.name, 'StorageError')
      assert.match(error.message, name)
      assert.match(error.message, /\); Vitrine did not create it, so rename it first$/)
      return true
    })
    assert.deepEqual(await schemaOf(elsewhere), before)
  })

test('an index that somebody dropped does not stand in the way of its successor', async (t) => {
  const { open, connect } = await start(t)
  await open([...resources, shelves(1)])
  const elsewhere = await connect()
  await elsewhere.run('DROP INDEX shelves_in_order')
  await open([...resources, shelves(2, {}, ['id'])])
  const fresh = await start(t)
  await fresh.open([...resources, shelves(2, {}, ['id'])])
  assert.deepEqual(await schemaOf(elsewhere), await schemaOf(await fresh.connect()))
})

for (const from of ['an empty database', 'a database of the last main'])
  test(`programs that start at once on ${from} create one schema`, async (t) => {
    const { url, connect } = await start(t)
    if (from !== 'an empty database') await createLastMain(url)
    const vitrine = program(t, { DATABASE_URL: url })
    await Promise.all(Array.from({ length: 4 }, () => vitrine.ok('migrate')))
    const elsewhere = await connect()
    const recorded = await elsewhere.all<{ name: string; version: number }>('SELECT name, version FROM resource_tables')
    assert.deepEqual(
      recorded.map((row) => ({ ...row })).sort((a, b) => a.name.localeCompare(b.name)),
      tablesOf(resources)
        .map(({ name, version }) => ({ name, version }))
        .sort((a, b) => a.name.localeCompare(b.name)),
    )
    const fresh = await start(t)
    await fresh.open()
    assert.deepEqual(await schemaOf(elsewhere), await schemaOf(await fresh.connect()))
  })
