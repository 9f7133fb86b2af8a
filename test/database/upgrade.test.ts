// On both engines: each engine has its own schema.
/** A database from before version 100 of the schema is upgraded in one step, as docs/upgrading.md describes it. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { lockForServing, openOperatorStore, openReadingStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { listsOf } from '../../src/lists/definition.ts'
import { compileDefinition } from '../../src/resources/declared/compile.ts'
import { resources } from '../../src/resources/index.ts'
import {
  columnOf,
  connectElsewhere,
  type Elsewhere,
  engineUnderTest,
  freshDatabaseUrl,
  testOnly,
} from '../support/database.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { program } from '../support/program.ts'
import { getFrom } from '../support/replicas.ts'
import { storedRows } from '../support/written-lists.ts'
import { createOldDatabase, oldVersions, RELEASE_KEY } from './last-release.ts'
import { schemaOf } from './schema-of.ts'

type Version = (typeof oldVersions)[number]

async function start(t: TestContext, version: Version) {
  const url = await freshDatabaseUrl(t)
  await createOldDatabase(url, version)
  const elsewhere = await connectElsewhere(url, t)
  const vitrine = program(t, { DATABASE_URL: url })
  const definitions =
    version === '0.2.0' ? [] : await elsewhere.all<{ definition: string }>('SELECT definition FROM declared_resources')
  if (definitions.length > 0) vitrine.env.RESOURCES = vitrine.folder
  for (const { definition } of definitions) vitrine.writeFile('orders.json', definition)
  const declared = definitions.map(({ definition }) => compileDefinition(JSON.parse(definition)))
  return { url, elsewhere, vitrine, known: [...resources, ...declared] }
}

const TABLES =
  engineUnderTest() === 'sqlite'
    ? `SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`
    : `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'vitrine' ORDER BY name`

type Tables = Map<string, readonly object[]>

async function readTables({ all }: Elsewhere): Promise<Tables> {
  const tables: Tables = new Map()
  for (const { name } of await all<{ name: string }>(TABLES))
    tables.set(name, await all<object>(`SELECT * FROM "${name}"`))
  return tables
}

/** What 0.2.0 kept of requests is kept in another form, and so are the rows of lists. */
const isOther = (table: string, version: Version) =>
  ['migrations', 'list_items', 'stored_lists'].includes(table) || (version === '0.2.0' && table === 'key_use')

const withNewNames = (row: object) =>
  Object.fromEntries(Object.entries(row).map(([column, value]) => [column === 'table_name' ? 'list' : column, value]))

/** A session that reaches one workspace without a creator of its link ended in the versions after 0.2.0. */
const isKept = (table: string, row: object) => table !== 'sessions' || Reflect.get(row, 'hash') !== 'c'.repeat(64)

for (const version of oldVersions)
  test(`a database of ${version} keeps everything, and gets the schema of a new one`, async (t) => {
    const { url, elsewhere, known } = await start(t, version)
    const before = await readTables(elsewhere)
    const refusal = /is of an older version; run 'vitrine migrate'/
    await assert.rejects(openReadingStore(parseDatabaseUrl(url), known), refusal)

    await (await openOperatorStore(parseDatabaseUrl(url), known, { create: false })).close()
    const gone: string[] = []
    for (const [table, rows] of await readTables(elsewhere)) {
      const old = (before.get(table) ?? []).map(withNewNames)
      if (isOther(table, version) || old[0] === undefined) continue
      const columns = Object.keys(rows[0] ?? assert.fail(`${table} is empty`))
      // Storing rows for a definition moves the revision of their workspace.
      const isMoved = (column: string) => table === 'revisions' && column === 'number'
      const common = Object.keys(old[0]).filter((column) => columns.includes(column) && !isMoved(column))
      gone.push(...Object.keys(old[0]).flatMap((column) => (columns.includes(column) ? [] : `${table}.${column}`)))
      const sorted = (all: readonly object[]) =>
        all.map((row) => JSON.stringify(common.map((column) => Reflect.get(row, column)))).sort()
      assert.deepEqual(sorted(rows), sorted(old.filter((row) => isKept(table, row))), table)
    }
    // Only an application's own tables gave a workspace a source, and snapshots are fetched whole.
    const validators = ['etag', 'last_modified', 'question', 'revision'].map((name) => `sources.${name}`)
    assert.deepEqual(gone, version === '0.2.0' ? [...validators, 'workspaces.source'] : validators)
    for (const list of listsOf(known)) {
      const columns = list.fields.map(({ name, kind }) => ({ name, kind, column: columnOf(name) }))
      const old = (before.get(list.name) ?? []).toSorted(
        (a, b) => Number(Reflect.get(a, 'seq')) - Number(Reflect.get(b, 'seq')),
      )
      assert.deepEqual(
        await storedRows(elsewhere, list),
        old.map((row) => ({
          ...Object.fromEntries(
            columns.map(({ name, kind, column }) => [name, jsonOf(kind, Reflect.get(row, column))]),
          ),
          source: Reflect.get(row, 'source'),
        })),
      )
    }
    const fresh = await connectElsewhere(await migratedDatabaseUrl(t), t)
    assert.deepEqual(await schemaOf(elsewhere), await schemaOf(fresh))
  })

/** A value of a list's own table. */
function jsonOf(kind: string, value: unknown): unknown {
  if (value instanceof Date) return kind === 'date' ? `${value.toLocaleDateString('sv')}` : value.toISOString()
  if (kind === 'boolean') return Boolean(value)
  if (kind === 'integer') return value === null ? null : Number(value)
  return kind === 'texts' && typeof value === 'string' ? JSON.parse(value) : value
}

test('what 0.2.0 recorded of requests and sessions is kept in the new form', async (t) => {
  const { elsewhere, vitrine } = await start(t, '0.2.0')
  await vitrine.ok('migrate')
  const sums = await elsewhere.all<{ day: string; refused: string; count: number | string }>(
    'SELECT DISTINCT day, refused, count FROM key_use ORDER BY refused',
  )
  assert.deepEqual(
    sums.map(({ day, refused, count }) => `${day} ${refused} ${count}`),
    ['2026-11-16  3', '2026-11-16 damaged 2'],
  )
  const at = '2026-11-16T09:00:00.000Z'
  const state = `last_used_at = '${at}' AND last_refused_at = '${at}' AND last_refusal = 'damaged' AND leaked_at = '${at}' AND leaked_in = 'url'`
  assert.deepEqual(await elsewhere.all(`SELECT 1 FROM api_keys WHERE NOT (${state})`), [])
  const sessions = await elsewhere.all<{ email: string; link_by: string | null }>(
    'SELECT email, link_by FROM sessions ORDER BY email',
  )
  assert.deepEqual(
    sessions.map(({ email, link_by }) => [email, link_by]),
    [
      ['bo@northwind.example', 'ines@northwind.example'],
      ['ines@northwind.example', null],
    ],
  )
})

for (const version of oldVersions)
  test(`migrate reports the upgrade of ${version} once, and nothing is wrong afterwards`, async (t) => {
    const { vitrine } = await start(t, version)
    const planned = (await vitrine.run('migrate', '--dry-run')).stderr
    assert.match(planned, /^Would upgrade the database from schema \d+\.\nDry run, nothing was changed\.$/m)
    const { stderr } = await vitrine.run('migrate')
    assert.match(stderr, /^Upgraded the database from schema \d+: \d\d+ rows\.$/m)
    assert.doesNotMatch((await vitrine.run('migrate')).stderr, /Upgraded/)
    const { checks } = JSON.parse((await vitrine.run('doctor', '--json')).stdout) as { checks: { state: string }[] }
    assert.deepEqual(
      checks.filter(({ state }) => state === 'failed'),
      [],
    )
  })

test('starting a server upgrades a database of the last release, logs it, and keeps serving its keys', async (t) => {
  const { vitrine } = await start(t, '0.2.0')
  const server = await vitrine.serve()
  const response = await getFrom(server, RELEASE_KEY)
  assert.equal(response.status, 200)
  const { tasks } = (await response.json()) as { tasks: { id: string }[] }
  assert.deepEqual(
    tasks.map(({ id }) => id),
    ['t-2', 't-1', 's-1', 't-3'],
  )
  await server.stop()
  assert.match(server.output(), /the database was upgraded from schema 13: \d\d+ rows/)
})

for (const version of oldVersions)
  test(`an upgrade of ${version} that is killed leaves the old database`, async (t) => {
    const { elsewhere, vitrine } = await start(t, version)
    const before = [await readTables(elsewhere), await schemaOf(elsewhere)]
    const kill = join(import.meta.dirname, './kill-at-statement.ts')
    let kills = 0
    for (let after = 1; ; after += 25) {
      Object.assign(vitrine.env, { NODE_OPTIONS: `--import=${kill}`, KILL_AFTER: String(after) })
      const { code, stderr } = await vitrine.run('migrate')
      assert.ok(code === 0 || code === null, stderr)
      const tables = await readTables(elsewhere)
      // Some statements follow the transaction; one that is killed among them has migrated.
      if (!tables.has('resource_tables')) break
      assert.equal(code, null, 'it ended without migrating')
      assert.deepEqual([tables, await schemaOf(elsewhere)], before, `killed after ${after} statements`)
      kills++
    }
    assert.ok(kills >= 3, `it was killed ${kills} times`)
  })

testOnly('sqlite')('an old database can be backed up and restored', async (t) => {
  const url = await freshDatabaseUrl(t)
  await createOldDatabase(url, '0.2.0')
  const vitrine = program(t, { DATABASE_URL: url })
  await vitrine.ok('backup', 'old.db')
  const backup = await connectElsewhere(`sqlite:${join(vitrine.folder, 'old.db')}`)
  assert.equal((await backup.all('SELECT * FROM tasks')).length, 6)
  await backup.close()
  await vitrine.ok('migrate')
  await vitrine.ok('restore', 'old.db')
  assert.match(await vitrine.ok('task', 'show', '--workspace', 'northwind', 't-2'), /Chase the signed terms/)
})

testOnly('sqlite')('no command upgrades a database under a running server', async (t) => {
  const { url, elsewhere, vitrine } = await start(t, '0.2.0')
  const before = await readTables(elsewhere)
  const served = await lockForServing(parseDatabaseUrl(url))
  assert.match(await vitrine.fails(1, 'migrate'), /a server has this database open; stop it first, then upgrade$/m)
  assert.deepEqual(await readTables(elsewhere), before)
  served[Symbol.dispose]()
  await vitrine.ok('migrate')
})

testOnly('sqlite')('a large change that was interrupted is undone', async (t) => {
  const { elsewhere, vitrine } = await start(t, 'schema-35')
  const other = (id: string, title: string) =>
    `INSERT INTO tasks (workspace_id, id, title) SELECT id, '${id}', '${title}' FROM workspaces WHERE slug = 'northwind'`
  await elsewhere.run(`
    INSERT INTO tasks (seq, workspace_id, id, title) SELECT seq - 4611686018427387904, workspace_id || '~', id, title FROM tasks;
    INSERT INTO frozen SELECT id, 'tasks', 1 FROM workspaces WHERE slug = 'northwind';
    UPDATE tasks SET title = 'Half-way' WHERE seq > 0; ${other('new', 'New')};
    UPDATE frozen SET is_writing = 0`)
  await vitrine.ok('migrate')
  const tasks = await storedRows(elsewhere)
  assert.deepEqual(
    tasks.map(({ id, title }) => [id, title === 'Half-way']),
    ['t-1', 't-2', 't-3', 't-4', 't-5', 's-1'].map((id) => [id, false]),
  )
})

testOnly('postgres')("an application's rows become a source's, and it continues to write its tables", async (t) => {
  const { elsewhere, vitrine } = await start(t, '0.2.0')
  await elsewhere.run(`
    CREATE TABLE public.orders (id text);
    CREATE TRIGGER followed AFTER INSERT ON public.orders REFERENCING NEW TABLE AS new_rows
      FOR EACH STATEMENT EXECUTE FUNCTION vitrine.follow('tasks', 'shop');
    UPDATE tasks SET source = 'own:shop'`)
  await vitrine.ok('migrate')
  await elsewhere.run(`INSERT INTO public.orders VALUES ('a')`)
  assert.deepEqual(await elsewhere.all('SELECT DISTINCT source FROM list_items'), [{ source: 'shop' }])
})

test("another program's table is left alone, and named", async (t) => {
  const { elsewhere, vitrine } = await start(t, '0.2.0')
  await elsewhere.run('CREATE TABLE list_items (id text)')
  const before = await schemaOf(elsewhere)
  assert.match(
    await vitrine.fails(1, 'migrate'),
    /list_items"? already exists\); Vitrine did not create it, so rename it first$/m,
  )
  assert.deepEqual(await schemaOf(elsewhere), before)
})

testOnly('postgres')("another program's view of a list's table is named, and nothing changes", async (t) => {
  const { elsewhere, vitrine } = await start(t, '0.2.0')
  await elsewhere.run('CREATE VIEW public.mine AS SELECT id FROM vitrine.tasks')
  const before = await readTables(elsewhere)
  assert.match(
    await vitrine.fails(1, 'migrate'),
    /cannot be migrated \(view public\.mine depends on table tasks\); drop/,
  )
  assert.deepEqual(await readTables(elsewhere), before)
})
