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
import { createLastRelease } from '../support/last-release.ts'
import { acmeProgram } from '../support/program.ts'

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

const described = ({ kind, table, name }: CatalogueObject) =>
  describeObject({ object: { kind, table, name, definition: '' }, fault: 'missing' })

/** Of the two engines, only PostgreSQL has schemas. */
const placed = (name: string | null) => (engine === 'sqlite' ? `"${name}"` : `vitrine."${name}"`)

/** An object that depends on an earlier dropped one may already be gone. */
function dropSql({ kind, table, name }: CatalogueObject): string {
  if (engine === 'sqlite')
    return kind === 'column'
      ? `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE "${table}" (other TEXT)' WHERE name = '${table}'`
      : `DROP ${kind} "${name}"`
  if (kind === 'column' || kind === 'constraint')
    return `ALTER TABLE ${placed(table)} DROP ${kind} IF EXISTS "${name}" CASCADE`
  return kind === 'trigger'
    ? `DROP TRIGGER "${name}" ON ${placed(table)}`
    : `DROP ${kind} IF EXISTS ${placed(name)} CASCADE`
}

/** By kind, without those that a statement cannot drop by their name. */
async function droppable({ catalogue }: Examined) {
  const left = engine === 'sqlite' ? ['constraint'] : ['schema', 'grant']
  // Without these, no program opens the database.
  const areRecords = ({ kind, table }: CatalogueObject) =>
    ['table', 'column'].includes(kind) && ['stored_lists', 'declared_resources'].includes(table ?? '')
  const objects = (await catalogue()).filter((object) => !left.includes(object.kind) && !areRecords(object))
  assert.ok(objects.length > 100)
  return Map.groupBy(objects, ({ kind }) => kind)
}

/** SQLite names the table that a trigger is on, which is not always the one that it belongs to. */
const withoutTable = (fault: string) => fault.replace(/ of [^:]*/, '')

const everyFault = (objects: CatalogueObject[], fault: SchemaDifference['fault']) =>
  objects.map(({ kind, name }) => `${kind} ${name}: ${fault}`).sort()

test('every table, column, constraint, index, function and trigger that is dropped is named', async (t) => {
  const database = await examined(t)
  for (const [kind, objects] of await droppable(database)) {
    const faults = (await faultsAfter(database, objects.map(dropSql).join(';'))).map(withoutTable)
    assert.deepEqual(
      faults.filter((fault) => fault.startsWith(`${kind} `) && !fault.endsWith(': foreign')).sort(),
      everyFault(objects, 'missing'),
    )
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

test('a dropped table is named, and not again with each of its columns', async (t) => {
  const database = await examined(t)
  assert.deepEqual(await faultsAfter(database, `DROP TABLE ${placed('tickets')}`), ['table tickets: missing'])
})

testOnly('sqlite')('sqlite: a table without one of its constraints, or with another column, is named', async (t) => {
  const database = await examined(t)
  const edited = (table: string, from: string, to: string) =>
    faultsAfter(
      database,
      `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '${from}', '${to}') WHERE name = '${table}'`,
    )
  assert.deepEqual(await edited('audit', ',\n  UNIQUE (workspace_id, number)', ''), [
    'constraint UNIQUE(workspace_id,number) of audit: missing',
  ])
  assert.deepEqual(await edited('members', " CHECK (role IN (''owner'', ''admin'', ''member''))", ''), [
    'column role of members: altered',
  ])
  assert.deepEqual(await edited('sources', 'STRICT', ''), ['table sources: altered'])
  assert.deepEqual(await edited('revisions', 'number ', 'number_ '), [
    'column number of revisions: missing',
    'column number_ of revisions: foreign',
  ])
})

/** The same object with another effect. */
function alteredSql({ kind, name, definition }: CatalogueObject): string {
  if (kind === 'index') return definition.replace('CREATE INDEX', 'CREATE UNIQUE INDEX')
  return engine === 'sqlite'
    ? definition.replace(/BEGIN[\s\S]*END/, 'BEGIN SELECT 1; END')
    : definition.replace(/EXECUTE FUNCTION .*\)/, 'EXECUTE FUNCTION vitrine.own_nothing()').replace(name, `"${name}"`)
}

const OWN_FUNCTION =
  'CREATE FUNCTION vitrine.own_nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;'

test('a trigger or index that has another effect under the same name is named', async (t) => {
  const database = await examined(t)
  if (engine === 'postgres') await database.run(OWN_FUNCTION)
  const byKind = await droppable(database)
  for (const objects of [byKind.get('trigger') ?? [], byKind.get('index') ?? []]) {
    const statements = objects.flatMap((object) => [dropSql(object), alteredSql(object)])
    const faults = (await faultsAfter(database, statements.join(';'))).filter((fault) => !/own_nothing/.test(fault))
    assert.deepEqual(faults.map(withoutTable).sort(), everyFault(objects, 'altered'))
  }
})

testOnly('postgres')('postgres: a trigger that is disabled is named', async (t) => {
  const database = await examined(t)
  const triggers = (await droppable(database)).get('trigger') ?? []
  for (const state of ['DISABLE', 'ENABLE REPLICA']) {
    const statements = triggers.map(({ table, name }) => `ALTER TABLE ${placed(table)} ${state} TRIGGER "${name}"`)
    const faults = await faultsAfter(database, statements.join(';'))
    assert.deepEqual(faults.map(withoutTable).sort(), everyFault(triggers, 'disabled'))
  }
  const all = await faultsAfter(database, 'ALTER TABLE vitrine.list_items DISABLE TRIGGER ALL')
  assert.ok(all.includes('constraint list_items_workspace_exists of list_items: disabled'), all.join(', '))
})

testOnly('postgres')('postgres: a function with another body, security mode or setting is named', async (t) => {
  const database = await examined(t)
  const functions = (await droppable(database)).get('function') ?? []
  assert.ok(functions.length > 3)
  const change = async (statementOf: (object: CatalogueObject) => string) => {
    const statements = functions.map(statementOf).filter((statement) => statement !== '')
    return (await faultsAfter(database, statements.join(';'))).sort()
  }
  assert.deepEqual(
    await change(({ name }) => `ALTER FUNCTION ${placed(name)} SET work_mem = '1MB'`),
    everyFault(functions, 'altered'),
  )
  const otherRights = ({ definition }: CatalogueObject) =>
    definition.includes('SECURITY DEFINER') ? 'INVOKER' : 'DEFINER'
  assert.deepEqual(
    await change((object) => `ALTER FUNCTION ${placed(object.name)} SECURITY ${otherRights(object)}`),
    everyFault(functions, 'altered'),
  )
  const withBody = functions.filter(({ definition }) => definition.includes('AS $'))
  assert.ok(withBody.length > 3)
  assert.deepEqual(
    await change((object) =>
      withBody.includes(object) ? object.definition.replace(/AS (\$\w*\$)/, 'AS $1 --\n') : '',
    ),
    everyFault(withBody, 'altered'),
  )
})

testOnly('postgres')('postgres: an altered column is named', async (t) => {
  const database = await examined(t)
  const alter = (table: string, change: string) =>
    faultsAfter(database, `ALTER TABLE vitrine.${table} ALTER COLUMN ${change}`)
  assert.deepEqual(await alter('api_keys', 'prefix DROP NOT NULL'), ['column prefix of api_keys: altered'])
  assert.deepEqual(await alter('audit_heads', 'trimmed_number DROP DEFAULT'), [
    'column trimmed_number of audit_heads: altered',
  ])
  assert.deepEqual(await alter('audit', 'id DROP IDENTITY'), ['column id of audit: altered'])
  assert.deepEqual(await alter('key_use', 'count TYPE integer'), ['column count of key_use: altered'])
})

testOnly('postgres')(
  'postgres: every privilege of PUBLIC on a table, a column, a function or the schema is named',
  async (t) => {
    const database = await examined(t)
    const byKind = await droppable(database)
    const isPublic = new Set(
      (await database.catalogue()).flatMap(({ kind, table }) => (kind === 'grant' ? [table] : [])),
    )
    const functions = byKind.get('function')?.filter(({ name }) => !isPublic.has(name)) ?? []
    const faults = await faultsAfter(
      database,
      [
        'GRANT CREATE ON SCHEMA vitrine TO PUBLIC',
        ...(byKind.get('table') ?? []).map(({ name }) => `GRANT DELETE ON ${placed(name)} TO PUBLIC`),
        ...(byKind.get('column') ?? []).map(
          ({ table, name }) => `GRANT UPDATE ("${name}") ON ${placed(table)} TO PUBLIC`,
        ),
        ...functions.map(({ name }) => `GRANT EXECUTE ON FUNCTION ${placed(name)} TO PUBLIC`),
      ].join(';'),
    )
    assert.deepEqual(
      faults.map((fault) => fault.replaceAll('"', '')).sort(),
      [
        'CREATE on vitrine',
        ...(byKind.get('table') ?? []).map(({ name }) => `DELETE on ${name}`),
        ...(byKind.get('column') ?? []).map(({ table, name }) => `UPDATE (${name}) on ${table}`),
        ...functions.map(({ name }) => `EXECUTE on ${name}`),
      ]
        .map((grant) => `${grant} for PUBLIC: granted`)
        .sort(),
    )
  },
)

test('the operator’s own tables, views and plain indexes are not reported', async (t) => {
  const own = `CREATE INDEX own_index ON ${placed('sources')} (location, name); CREATE TABLE ${placed('own')} (id TEXT PRIMARY KEY);
    CREATE VIEW ${placed('own_sources')} AS SELECT name FROM ${placed('sources')};`
  const more =
    engine === 'sqlite' ? 'ANALYZE' : 'GRANT SELECT ON vitrine.own TO PUBLIC; SET search_path = vitrine, public'
  assert.deepEqual(await faultsAfter(await examined(t), own + more), [])
})

const FOREIGN: [sql: string, named: string][] =
  engine === 'sqlite'
    ? [
        ['CREATE TRIGGER spy AFTER INSERT ON AUDIT BEGIN SELECT 1; END', 'trigger spy of AUDIT'],
        ['CREATE TABLE own (x); CREATE TRIGGER spy AFTER INSERT ON own BEGIN SELECT 1; END', 'trigger spy of own'],
        ['CREATE INDEX spy ON sources (hex(name))', 'index spy of sources'],
        ['CREATE INDEX spy ON sources (name) WHERE name > 1', 'index spy of sources'],
        ['CREATE UNIQUE INDEX spy ON audit (actor)', 'index spy of audit'],
        ['ALTER TABLE sources ADD COLUMN spy TEXT AS (hex(name))', 'column spy of sources'],
        ['ALTER TABLE sources ADD COLUMN spy TEXT', 'column spy of sources'],
      ]
    : [
        [`${OWN_FUNCTION} ${ownTrigger('vitrine.audit')}`, 'function own_nothing, trigger spy of audit'],
        [`CREATE TABLE own (x int); ${OWN_FUNCTION} ${ownTrigger('own')}`, 'function own_nothing, trigger spy of own'],
        ['CREATE INDEX spy ON sources (upper(name))', 'index spy of sources'],
        [`CREATE INDEX spy ON sources (name) WHERE name > 'x'`, 'index spy of sources'],
        ['CREATE UNIQUE INDEX spy ON audit (actor)', 'index spy of audit'],
        ['ALTER TABLE sources ADD COLUMN spy text', 'column spy of sources'],
        ['ALTER TABLE sources ADD CONSTRAINT spy CHECK (upper(name) IS NOT NULL)', 'constraint spy of sources'],
        [`CREATE RULE spy AS ON INSERT TO audit DO ALSO UPDATE members SET role = 'owner'`, 'rule spy of audit'],
        ['CREATE POLICY spy ON members USING (false)', 'policy spy of members'],
        ['ALTER TABLE members ENABLE ROW LEVEL SECURITY', 'policy row level security of members'],
        ['CREATE TABLE public.spy () INHERITS (members)', 'child table public.spy of members'],
        ['CREATE AGGREGATE vitrine.spy (int) (SFUNC = int4pl, STYPE = int)', 'function spy'],
        ['CREATE OPERATOR vitrine.=== (FUNCTION = int4eq, LEFTARG = int, RIGHTARG = int)', 'operator ==='],
      ]

function ownTrigger(table: string): string {
  return `CREATE TRIGGER spy AFTER INSERT ON ${table} EXECUTE FUNCTION vitrine.own_nothing()`
}

test('whatever Vitrine’s statements would run, and is not of its schema, is named', async (t) => {
  const database = await examined(t)
  for (const [sql, named] of FOREIGN) {
    const faults = (await faultsAfter(database, sql)).filter((fault) => !fault.endsWith(' for PUBLIC: granted'))
    assert.deepEqual(
      faults.sort(),
      named.split(', ').map((object) => `${object}: foreign`),
      sql,
    )
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

const KEPT = engine === 'sqlite' ? 'key_stays_revoked' : 'key_kept'

test(`a server does not start without a trigger that keeps revoked keys revoked, until migrate has restored it`, async (t) => {
  const { vitrine, elsewhere } = await acme(t)
  await elsewhere.run(`DROP TRIGGER ${KEPT}${engine === 'sqlite' ? '' : ' ON api_keys'}`)
  await assert.rejects(vitrine.start('serve'), ({ message }: Error) =>
    message.includes(
      `vitrine: the database's schema was changed: trigger ${KEPT} of api_keys is missing; run 'vitrine migrate' to restore this`,
    ),
  )
  const { stderr: said } = await vitrine.run('migrate')
  assert.equal(said, `Restored trigger ${KEPT} of api_keys.\nThe database is up to date.\n`)
  const server = await vitrine.start('serve')
  assert.equal(await server.stop(), 0)
})

test('a server without an index starts with a warning', async (t) => {
  const { vitrine, elsewhere } = await acme(t)
  await elsewhere.run('DROP INDEX list_items_in_order')
  const server = await vitrine.serve()
  await server.stop()
  assert.match(
    server.output(),
    /"level":40,.*"msg":"the database's schema was changed: index list_items_in_order of list_items is missing; run 'vitrine migrate'/,
  )
})

test('migrate restores everything possible at once', async (t) => {
  const { vitrine, elsewhere } = await acme(t)
  const objects =
    engine === 'sqlite'
      ? await elsewhere.all<CatalogueObject>(
          `SELECT type AS kind, name, tbl_name AS "table" FROM sqlite_schema WHERE type IN ('trigger', 'index') AND sql IS NOT NULL`,
        )
      : (await postgresObjects(vitrine.env.DATABASE_URL ?? '')).filter(
          ({ kind, name }) =>
            ['trigger', 'index', 'constraint', 'function'].includes(kind) && name !== 'workspaces_pkey',
        )
  const kinds = engine === 'sqlite' ? ['index', 'trigger'] : ['constraint', 'index', 'trigger', 'function']
  for (const kind of kinds)
    for (const object of objects.filter((each) => each.kind === kind)) await elsewhere.run(dropSql(object))
  const { restored } = JSON.parse(await vitrine.ok('migrate', '--json')) as { restored: string[] }
  for (const object of objects)
    assert.ok(
      restored.some((name) => name.startsWith(`${object.kind} ${object.name}`)),
      described(object),
    )
  assert.match((await vitrine.run('doctor')).stdout, /^ok {4}schema: complete$/m)
})

async function postgresObjects(url: string): Promise<CatalogueObject[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await postgresCatalogue(client)
  } finally {
    await client.end()
  }
}

test('migrate fails if a column is missing, names it, and restores the rest', async (t) => {
  const { vitrine, elsewhere } = await acme(t)
  await elsewhere.run('ALTER TABLE sources DROP COLUMN question; DROP INDEX members_by_email')
  const fault =
    "column question of sources is missing; restore a backup, or copy what is left into a new database with 'vitrine copy'"
  for (const [options, restored] of [
    [['--dry-run'], 'Would restore'],
    [[], 'Restored'],
  ] as const)
    assert.equal(
      await vitrine.fails(1, 'migrate', ...options),
      `${restored} index members_by_email of members.\nvitrine: ${fault}\n`,
    )
  await assert.rejects(
    vitrine.start('serve'),
    /vitrine: the database's schema was changed: column question of sources is missing; restore a backup/,
  )
})

testOnly('postgres')(
  'postgres: migrate names a constraint that rows would break, and then changes nothing',
  async (t) => {
    const { vitrine, elsewhere } = await acme(t)
    await elsewhere.run(
      `ALTER TABLE revisions DROP CONSTRAINT revisions_pkey; INSERT INTO revisions VALUES ('w', 1), ('w', 1)`,
    )
    await elsewhere.run('DROP INDEX members_by_email')
    const { code, stderr } = await vitrine.run('migrate')
    assert.deepEqual(
      [code, stderr],
      [
        1,
        'vitrine: constraint revisions_pkey of revisions cannot be restored: could not create unique index "revisions_pkey"\n',
      ],
    )
  },
)
