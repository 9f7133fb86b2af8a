import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openOperatorStore, openReadingStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { resources } from '../../src/resources/index.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { columnOf, connectElsewhere, type Elsewhere, engineUnderTest, freshDatabaseUrl } from '../support/database.ts'
import { createLastRelease } from '../support/last-release.ts'
import { program } from '../support/program.ts'
import { storedRows } from '../support/written-lists.ts'

const AT = '2026-01-01T00:00:00.000Z'

async function start(t: TestContext) {
  const url = await freshDatabaseUrl(t)
  const open = async () => {
    const store = await openOperatorStore(parseDatabaseUrl(url), resources, { create: true })
    await store.close()
  }
  return { url, open, connect: () => connectElsewhere(url, t) }
}

/** A whole schema, except the order of columns and the layout of statements. */
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

/** A column that was added later comes after the others, and SQLite quotes renamed objects. */
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

test('a database of the last release keeps all its data, and gets the schema of a new one', async (t) => {
  const { url, open, connect } = await start(t)
  await createLastRelease(url)
  const elsewhere = await connect()
  await elsewhere.run(`
    INSERT INTO members (workspace_id, email, role, added_at) SELECT id, 'bo@x.example', 'member', '${AT}' FROM workspaces`)
  const signIn = `SELECT 6, '${AT}', id, 'bo@x.example', 'session.started', 'bo@x.example', '{}', 6, '', '1' FROM workspaces`
  await elsewhere.run(
    `INSERT INTO audit (id, at, workspace_id, actor, action, subject, detail, number, previous_hash, hash) ${signIn}`,
  )
  await elsewhere.run(`
    INSERT INTO key_use (key_id, day, count, last_at) SELECT id, '2026-01-01', 1, '${AT}' FROM api_keys;
    INSERT INTO key_incidents (key_id, day, kind, count, first_at, last_at) SELECT id, '2026-01-01', 'url', 1, '${AT}', '${AT}' FROM api_keys;
    INSERT INTO key_incidents (key_id, day, kind, count, first_at, last_at) SELECT id, '2026-01-01', 'unknown', 2, '${AT}', '${AT}' FROM api_keys`)
  const held = ['workspaces', 'api_keys', 'members', 'audit', 'audit_heads', 'revisions', 'timezones']
  const before = new Map<string, object[]>()
  for (const table of held) before.set(table, await elsewhere.all<object>(`SELECT * FROM ${table}`))
  const sorted = (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).sort()
  const tasks = await elsewhere.all<object>('SELECT * FROM tasks ORDER BY seq')
  await assert.rejects(
    openReadingStore(parseDatabaseUrl(url), resources),
    /is of an older version; run 'vitrine migrate'/,
  )

  await open()
  for (const [table, rows] of before) {
    const first = rows[0] ?? assert.fail(`${table} has no rows to keep`)
    // Only an application's tables gave a workspace a source.
    const columns = Object.keys(first).filter((column) => table !== 'workspaces' || column !== 'source')
    const kept = rows.map((row) => Object.fromEntries(columns.map((column) => [column, Reflect.get(row, column)])))
    assert.deepEqual(sorted(await elsewhere.all(`SELECT ${columns.join(', ')} FROM ${table}`)), sorted(kept))
  }
  const isoOf = (value: unknown) => (value instanceof Date ? value.toISOString() : value)
  const columns = currentTasks.fields.map(({ name }) => [name, columnOf(name)] as const)
  assert.deepEqual(
    await storedRows(elsewhere),
    tasks.map((row) => ({
      ...Object.fromEntries(columns.map(([name, column]) => [name, isoOf(Reflect.get(row, column))])),
      source: Reflect.get(row, 'source') ?? null,
    })),
  )
  const signedIn = await elsewhere.all<{ email: string }>(`SELECT email FROM members WHERE signed_in_at = '${AT}'`)
  assert.deepEqual(
    signedIn.map(({ email }) => email),
    ['bo@x.example'],
    'the last sign-in is in the audit log',
  )
  const state = `last_used_at = '${AT}' AND last_refused_at = '${AT}' AND last_refusal = 'damaged' AND leaked_at = '${AT}' AND leaked_in = 'url'`
  assert.deepEqual(await elsewhere.all(`SELECT 1 FROM api_keys WHERE NOT (${state})`), [])
  const sums = await elsewhere.all<{ day: string; refused: string; count: number | string }>(
    'SELECT DISTINCT day, refused, count FROM key_use ORDER BY refused',
  )
  assert.deepEqual(
    sums.map(({ day, refused, count }) => `${day} ${refused} ${count}`),
    ['2026-01-01  1', '2026-01-01 damaged 2'],
  )
  const fresh = await start(t)
  await fresh.open()
  assert.deepEqual(await schemaOf(elsewhere), await schemaOf(await fresh.connect()))
  await open()
})

test('a database from before the first release is refused, with the way to upgrade it', async (t) => {
  const { url, open, connect } = await start(t)
  await open()
  const isSqlite = engineUnderTest() === 'sqlite'
  const older = isSqlite
    ? 'PRAGMA user_version = 7'
    : 'DELETE FROM migrations; INSERT INTO migrations (number) VALUES (7)'
  await (await connect()).run(older)
  const refusal = {
    name: 'StorageError',
    message: /has schema 7, which this program cannot upgrade; run 'vitrine migrate' of release 0\.2\.0 first$/,
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

test("another program's table is left alone, and named", async (t) => {
  const { url, open, connect } = await start(t)
  await createLastRelease(url)
  const elsewhere = await connect()
  await elsewhere.run('CREATE TABLE list_items (id text)')
  const before = await schemaOf(elsewhere)
  await assert.rejects(open(), (error: Error) => {
    assert.equal(error.name, 'StorageError')
    assert.match(error.message, /list_items"? already exists\); Vitrine did not create it, so rename it first$/)
    return true
  })
  assert.deepEqual(await schemaOf(elsewhere), before)
})

for (const from of ['an empty database', 'a database of the last release'])
  test(`programs that start at once on ${from} create one schema`, async (t) => {
    const { url, connect } = await start(t)
    if (from !== 'an empty database') await createLastRelease(url)
    const vitrine = program(t, { DATABASE_URL: url })
    await Promise.all(Array.from({ length: 4 }, () => vitrine.ok('migrate')))
    const elsewhere = await connect()
    const fresh = await start(t)
    await fresh.open()
    assert.deepEqual(await schemaOf(elsewhere), await schemaOf(await fresh.connect()))
  })
