// On both engines: each engine has its own schema.
/** Whether the schema is what the program expects, object by object; once more on PostgreSQL. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { expectedPostgresSchema } from '../../scripts/expected-schema.ts'
import { openOperatorStore, parseDatabaseUrl } from '../../src/database/open.ts'
import {
  readCatalogue as postgresCatalogue,
  schemaDifferences as postgresDifferences,
} from '../../src/database/postgres/catalogue.ts'
import {
  readCatalogue as sqliteCatalogue,
  schemaDifferences as sqliteDifferences,
} from '../../src/database/sqlite/schema.ts'
import {
  type CatalogueObject,
  describeObject,
  type SchemaDifference,
} from '../../src/database/tables/schema-difference.ts'
import { resources } from '../resources/books/index.ts'
import { changeElsewhere, connectElsewhere, engineUnderTest, freshDatabaseUrl, testOnly } from '../support/database.ts'
import { acmeProgram } from '../support/program.ts'
import { createLastRelease } from './last-release.ts'

const engine = engineUnderTest()

interface Examined {
  run(sql: string): Promise<unknown>
  catalogue(): Promise<CatalogueObject[]>
  differences(): Promise<SchemaDifference[]>
}

/** The database with all tables, on one connection, so that a change can be undone by a rollback. */
async function examined(t: TestContext, create: (url: string) => Promise<void> = async () => {}): Promise<Examined> {
  const url = await freshDatabaseUrl(t)
  await create(url)
  const store = await openOperatorStore(parseDatabaseUrl(url), resources, { create: true })
  await store.close()
  if (engine === 'sqlite') {
    const db = new DatabaseSync(url.replace('sqlite:', ''), { defensive: false })
    t.after(() => db.close())
    return {
      run: async (sql) => db.exec(sql),
      catalogue: async () => sqliteCatalogue(db),
      differences: async () => sqliteDifferences(db),
    }
  }
  const client = new pg.Client({ connectionString: url, options: '-c search_path=vitrine' })
  await client.connect()
  t.after(() => client.end())
  return {
    run: (sql) => client.query(sql),
    catalogue: () => postgresCatalogue(client),
    differences: () => postgresDifferences(client),
  }
}

const faultsOf = (differences: SchemaDifference[]) =>
  differences.map((difference) => `${describeObject(difference)}: ${difference.fault}`)

/** The differences after a statement, which is then rolled back. */
async function faultsAfter({ run, differences }: Examined, sql: string): Promise<string[]> {
  await run(`BEGIN; ${sql}`)
  try {
    return faultsOf(await differences())
  } finally {
    await run('ROLLBACK')
  }
}

const origins: [string, ((url: string) => Promise<void>)?][] = [
  ['a new database'],
  ['a database of the last release', createLastRelease],
]
for (const [origin, create] of origins)
  test(`${origin}, once migrated, has the expected schema`, async (t) =>
    assert.deepEqual(faultsOf(await (await examined(t, create)).differences()), []))

/** Of the two engines, only PostgreSQL has schemas. */
const placed = (name: string | null) => (engine === 'sqlite' ? `"${name}"` : `vitrine."${name}"`)

/** An object that depends on an earlier dropped one may already be gone. */
function dropSql({ kind, table, name }: CatalogueObject): string {
  if (engine === 'sqlite') return `DROP ${kind} "${name}"`
  if (kind === 'column' || kind === 'constraint')
    return `ALTER TABLE ${placed(table)} DROP ${kind} IF EXISTS "${name}" CASCADE`
  return kind === 'trigger'
    ? `DROP TRIGGER "${name}" ON ${placed(table)}`
    : `DROP ${kind} IF EXISTS ${placed(name)} CASCADE`
}

test('every table, column, constraint, index, function and trigger that is dropped is named', async (t) => {
  const database = await examined(t)
  // Those that a statement cannot drop by their name.
  const left = engine === 'sqlite' ? [] : ['schema', 'grant']
  const objects = (await database.catalogue()).filter(({ kind }) => !left.includes(kind))
  assert.ok(objects.length > 50)
  for (const [kind, dropped] of Map.groupBy(objects, (object) => object.kind)) {
    const faults = await faultsAfter(database, dropped.map(dropSql).join(';'))
    // SQLite names the table that a trigger is on, which is not always the one that it belongs to.
    const found = faults.map((fault) => fault.replace(/ of [^:]*/, '')).filter((fault) => !fault.endsWith(': foreign'))
    const expected = dropped.map(({ name }) => `${kind} ${name}: missing`)
    assert.deepEqual(found.filter((fault) => fault.startsWith(`${kind} `)).sort(), expected.sort())
  }
})

for (const records of ['stored_lists', 'declared_resources'])
  test(`a database without ${records} is refused`, async (t) => {
    const url = await freshDatabaseUrl(t)
    const open = () => openOperatorStore(parseDatabaseUrl(url), resources, { create: true })
    await (await open()).close()
    await changeElsewhere(url, `DROP TABLE ${records}`)
    await assert.rejects(open, { name: 'StorageError', message: /the database is missing a (table|part)/ })
  })

const edited = (table: string, from: string, to: string) =>
  `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '${from}', '${to}') WHERE name = '${table}'`

const OWN_FUNCTION =
  'CREATE FUNCTION vitrine.own() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$; REVOKE EXECUTE ON FUNCTION vitrine.own FROM PUBLIC;'
const ownTrigger = (table: string, name = 'spy') =>
  `CREATE TRIGGER ${name} AFTER INSERT ON ${table} EXECUTE FUNCTION vitrine.own()`

/** What each statement makes of the schema. */
const CHANGES: [sql: string, ...faults: string[]][] = [
  [`DROP TABLE ${placed('tickets')}`, 'table tickets: missing'],
  ['CREATE UNIQUE INDEX spy ON audit (actor)', 'index spy of audit: foreign'],
  [
    'DROP INDEX members_by_email; CREATE UNIQUE INDEX members_by_email ON members (email)',
    'index members_by_email of members: altered',
  ],
  [
    `CREATE INDEX own_index ON ${placed('sources')} (location, name); CREATE TABLE ${placed('own')} (id TEXT PRIMARY KEY);
     CREATE VIEW ${placed('own_sources')} AS SELECT name FROM ${placed('sources')}`,
  ],
  ...((engine === 'sqlite'
    ? [
        ['ANALYZE'],
        [edited('audit', ',\n  UNIQUE (workspace_id, number)', ''), 'table audit: altered'],
        [edited('members', " CHECK (role IN (''owner'', ''admin'', ''member''))", ''), 'table members: altered'],
        [edited('sources', 'STRICT', ''), 'table sources: altered'],
        [edited('revisions', 'number ', 'number_ '), 'table revisions: altered'],
        [
          'DROP TRIGGER audit_unchanging; CREATE TRIGGER audit_unchanging BEFORE UPDATE ON audit BEGIN SELECT 1; END',
          'trigger audit_unchanging of audit: altered',
        ],
        ['CREATE TRIGGER spy AFTER INSERT ON AUDIT BEGIN SELECT 1; END', 'trigger spy of AUDIT: foreign'],
        [
          'CREATE TABLE own (x); CREATE TRIGGER spy AFTER INSERT ON own BEGIN SELECT 1; END',
          'trigger spy of own: foreign',
        ],
        ['CREATE INDEX spy ON sources (hex(name))', 'index spy of sources: foreign'],
        ['CREATE INDEX spy ON sources (name) WHERE name > 1', 'index spy of sources: foreign'],
        ['ALTER TABLE sources ADD COLUMN spy TEXT AS (hex(name))', 'table sources: altered'],
      ]
    : [
        ['CREATE TABLE own (); GRANT SELECT ON own TO PUBLIC'],
        [
          `${OWN_FUNCTION} DROP TRIGGER audit_following ON audit; ${ownTrigger('audit', 'audit_following')}`,
          'trigger audit_following of audit: altered',
          'function own: foreign',
        ],
        ...['DISABLE', 'ENABLE REPLICA'].map((state) => [
          `ALTER TABLE audit ${state} TRIGGER audit_following`,
          'trigger audit_following of audit: disabled',
        ]),
        [
          'ALTER TABLE list_items DISABLE TRIGGER ALL',
          'constraint list_items_workspace_exists of list_items: disabled',
        ],
        ["ALTER FUNCTION keep_key SET work_mem = '1MB'", 'function keep_key: altered'],
        ['ALTER FUNCTION keep_key SECURITY DEFINER', 'function keep_key: altered'],
        [
          'CREATE OR REPLACE FUNCTION keep_key() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$ BEGIN RETURN NEW; END $$',
          'function keep_key: altered',
        ],
        ['ALTER TABLE api_keys ALTER COLUMN prefix DROP NOT NULL', 'column prefix of api_keys: altered'],
        [
          'ALTER TABLE audit_heads ALTER COLUMN trimmed_number DROP DEFAULT',
          'column trimmed_number of audit_heads: altered',
        ],
        ['ALTER TABLE audit ALTER COLUMN id DROP IDENTITY', 'column id of audit: altered'],
        ['ALTER TABLE key_use ALTER COLUMN count TYPE integer', 'column count of key_use: altered'],
        ['GRANT CREATE ON SCHEMA vitrine TO PUBLIC', 'privilege of PUBLIC CREATE of vitrine: foreign'],
        ['GRANT DELETE ON members TO PUBLIC', 'privilege of PUBLIC DELETE of members: foreign'],
        ['GRANT UPDATE (role) ON members TO PUBLIC', 'privilege of PUBLIC UPDATE (role) of members: foreign'],
        ['GRANT EXECUTE ON FUNCTION keep_key TO PUBLIC', 'privilege of PUBLIC EXECUTE of keep_key: foreign'],
        [`${OWN_FUNCTION} ${ownTrigger('audit')}`, 'function own: foreign', 'trigger spy of audit: foreign'],
        [
          `CREATE TABLE own (); ${OWN_FUNCTION} ${ownTrigger('own')}`,
          'function own: foreign',
          'trigger spy of own: foreign',
        ],
        ['CREATE INDEX spy ON sources (upper(name))', 'index spy of sources: foreign'],
        [`CREATE INDEX spy ON sources (name) WHERE name > 'x'`, 'index spy of sources: foreign'],
        ['ALTER TABLE sources ADD COLUMN spy text', 'column spy of sources: foreign'],
        [
          'ALTER TABLE sources ADD CONSTRAINT spy CHECK (upper(name) IS NOT NULL)',
          'constraint spy of sources: foreign',
        ],
        [
          `CREATE RULE spy AS ON INSERT TO audit DO ALSO UPDATE members SET role = 'owner'`,
          'rule spy of audit: foreign',
        ],
        ['CREATE POLICY spy ON members USING (false)', 'policy spy of members: foreign'],
        ['ALTER TABLE members ENABLE ROW LEVEL SECURITY', 'policy row level security of members: foreign'],
        ['CREATE TABLE public.spy () INHERITS (members)', 'child table public.spy of members: foreign'],
        ['CREATE AGGREGATE vitrine.spy (int) (SFUNC = int4pl, STYPE = int)', 'function spy: foreign'],
        ['CREATE OPERATOR vitrine.=== (FUNCTION = int4eq, LEFTARG = int, RIGHTARG = int)', 'operator ===: foreign'],
      ]) as [string, ...string[]][]),
]

test('whatever is missing, altered, disabled or not part of the schema is named, but for an operator’s own tables', async (t) => {
  const database = await examined(t)
  for (const [sql, ...faults] of CHANGES) {
    const found = await faultsAfter(database, sql)
    const relevant = faults.some((fault) => fault.startsWith('function spy')) ? found.slice(0, 1) : found
    assert.deepEqual(relevant.toSorted(), faults.toSorted(), sql)
  }
})

/** Never ends. */
const BACKDOOR =
  engine === 'sqlite'
    ? `CREATE TRIGGER spy AFTER UPDATE ON revisions BEGIN
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n; END`
    : `CREATE FUNCTION vitrine.spy() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN LOOP END LOOP; END';
       CREATE TRIGGER spy AFTER UPDATE ON vitrine.revisions EXECUTE FUNCTION vitrine.spy()`

test('neither serve nor migrate runs a foreign trigger, and doctor names it', async (t) => {
  const { vitrine, elsewhere } = await acme(t)
  await vitrine.ok('task', 'import', '--workspace', 'acme', vitrine.writeFile('tasks.json', TASKS))
  await elsewhere.run(BACKDOOR)
  const named = /trigger spy of revisions is not part of Vitrine's schema; .*restore a backup from before/
  await assert.rejects(vitrine.start('serve'), named)
  assert.match(await vitrine.fails(1, 'migrate'), named)
  assert.match(
    (await vitrine.run('doctor')).stdout,
    /^FAIL {2}schema: .*trigger spy of revisions is not part of Vitrine's/m,
  )
  // The definition of a list has changed, so its rows are to be stored again.
  await elsewhere.run(`UPDATE stored_lists SET shape = 'other'`)
  await assert.rejects(vitrine.start('serve'), named)
  assert.match(await vitrine.fails(1, 'migrate'), named)
})

const TASKS = JSON.stringify([{ id: 'one', title: 'One' }])

test('a view in place of a table is named, and never read', async (t) => {
  const { vitrine, elsewhere } = await acme(t)
  // SQLite's names are case-insensitive.
  const name = engine === 'sqlite' ? 'DECLARED_resources' : 'declared_resources'
  await elsewhere.run(`DROP TABLE declared_resources;
    CREATE VIEW ${name} AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
      SELECT '' AS name, '' AS state, '' AS definition, '' AS file, '' AS sunset FROM n WHERE i < 0`)
  const named = new RegExp(`has something else in place of the table ${name}; restore a backup`)
  await assert.rejects(vitrine.start('serve'), named)
  assert.match(await vitrine.fails(1, 'migrate'), named)
  assert.match((await vitrine.run('doctor')).stdout, named)
  if (engine === 'postgres') return
  await elsewhere.run(`VACUUM INTO '${join(vitrine.folder, 'backup.db')}'`)
  assert.match(await vitrine.fails(1, 'restore', 'backup.db'), named)
})

testOnly('postgres')(
  'contract/schema.postgres.json is what schema.sql creates (`npm run contract` writes it)',
  async (t) =>
    assert.equal(
      readFileSync(new URL('../../contract/schema.postgres.json', import.meta.url), 'utf8'),
      await expectedPostgresSchema(await freshDatabaseUrl(t)),
    ),
)

/** The program over a database with a workspace, and another connection to it. */
async function acme(t: TestContext) {
  const vitrine = await acmeProgram(t)
  const elsewhere = await connectElsewhere(vitrine.env.DATABASE_URL ?? '', t)
  return { vitrine, elsewhere }
}

test('a server starts only with a complete schema, but for an index, and both it and migrate name the fix', async (t) => {
  const { vitrine, elsewhere } = await acme(t)
  await elsewhere.run('DROP INDEX members_by_email')
  const server = await vitrine.serve()
  await server.stop()
  const index =
    /the database's schema was changed: index members_by_email of members is missing; run CREATE INDEX members_by_email ON (vitrine\.)?members .*\(email\)/
  assert.match(server.output(), index)
  await elsewhere.run('CREATE INDEX members_by_email ON members (email); ALTER TABLE sources DROP COLUMN row_count')
  const what = engine === 'sqlite' ? 'table sources is altered' : 'column row_count of sources is missing'
  const fix = `${what}; restore a backup, or copy what is left into a new database with 'vitrine copy'`
  for (const options of [['--dry-run'], []])
    assert.equal(await vitrine.fails(1, 'migrate', ...options), `vitrine: ${fix}\n`)
  await assert.rejects(vitrine.start('serve'), ({ message }: Error) =>
    message.includes(`vitrine: the database's schema was changed: ${fix}`),
  )
})
