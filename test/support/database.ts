import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { withClient } from './postgres-server.ts'
import { temporaryFolder } from './temporary-folder.ts'

export const engines = ['sqlite', 'postgres'] as const
export type Engine = (typeof engines)[number]

/**
 * How often a property is tried: on PostgreSQL less often, because only the queries differ. CI tries a half, and
 * test/long/properties.test.ts all, with other seeds.
 */
export function runs(count: number): number {
  const tried = process.env.PROPERTY_RUNS === 'all' ? count : count / 2
  return Math.ceil(engineUnderTest() === 'postgres' ? tried / 3 : tried)
}

/** The engine that a file's tests run on; test/groups/postgres/ runs the same files again with the other. */
export const engineUnderTest = (): Engine => (process.env.TEST_ENGINE === 'postgres' ? 'postgres' : 'sqlite')

/** For a test that is meaningful on one engine only: on the other it does not exist, rather than being skipped. */
export const testOnly =
  (engine: Engine) =>
  (name: string, run: (t: TestContext) => Promise<void> | void, options: { skip?: string } = {}): void => {
    if (engineUnderTest() === engine) test(name, options, run)
  }

/** For a test that does not depend on the engine, or covers both itself: it is not repeated on the other. */
export const testOnce = testOnly('sqlite')

export const postgresUrl = (): string | undefined => process.env.TEST_DATABASE_URL

/** Explains why a test cannot run. */
export const skipWithoutPostgres = (): { skip?: string } =>
  postgresUrl() === undefined ? { skip: 'no PostgreSQL; set TEST_DATABASE_URL' } : {}

/** The `test` of files that are only about PostgreSQL. */
export const testWithPostgres = (name: string, run: (t: TestContext) => Promise<void> | void): void => {
  test(name, skipWithoutPostgres(), run)
}

/** A test on each engine. */
export const onEach = (name: string, body: (t: TestContext, engine: Engine) => Promise<void>): void => {
  for (const engine of engines)
    test(`${name} (${engine})`, engine === 'postgres' ? skipWithoutPostgres() : {}, (t) => body(t, engine))
}

/** A fresh database. */
export async function freshDatabaseUrl(t: TestContext, engine = engineUnderTest()): Promise<string> {
  return engine === 'sqlite' ? `sqlite:${join(temporaryFolder(t), 'vitrine.db')}` : createDatabase(t, 'template0')
}

const OBJECT_IN_USE = '55006'

/** Databases on the PostgreSQL server whose tests have ended. */
const finished: string[] = []

/** One connection for all tests of the process: to open one takes as long as half a copy. */
let administrator: pg.Pool | undefined

function administratorAt(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true })
  // If the connection breaks, the next query opens another; without a listener the test process would end.
  pool.on('error', () => {})
  return pool
}

/** A copy of a database on the run's PostgreSQL server; returns its URL. */
export async function createDatabase(t: TestContext, template: string): Promise<string> {
  const database = new URL(postgresUrl() ?? '')
  const name = `${databasePrefix()}${randomBytes(6).toString('hex')}`
  administrator ??= administratorAt(database.href)
  // Only now, because a test's other hooks may still use its database after the one below. PostgreSQL gives up if a session does not
  // end within five seconds, as on a busy machine.
  for (const ended of finished.splice(0))
    await administrator.query(`DROP DATABASE IF EXISTS ${ended} WITH (FORCE)`).catch((error) => {
      if (error.code !== OBJECT_IN_USE) throw error
      finished.push(ended)
    })
  // A fifth of the work of the other strategy, which writes each page to the log too. PostgreSQL 15 and newer know it.
  await administrator.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`)
  t.after(() => finished.push(name))
  database.pathname = name
  return database.href
}

/** A connection to the database of which the service knows nothing. */
export interface Elsewhere {
  run(sql: string): Promise<void>
  all<Row>(sql: string): Promise<Row[]>
  /** After many rows were written, as autovacuum would do it: without statistics, PostgreSQL may choose an index that reads all of them. */
  analyze(table: string): Promise<void>
  close(): Promise<void>
}

export async function connectElsewhere(url: string, t?: TestContext): Promise<Elsewhere> {
  const elsewhere = await connect(url)
  t?.after(() => elsewhere.close())
  return elsewhere
}

/** Runs one statement over a connection of its own. */
export async function changeElsewhere(url: string, sql: string): Promise<void> {
  const elsewhere = await connect(url)
  await elsewhere.run(sql).finally(() => elsewhere.close())
}

async function connect(url: string): Promise<Elsewhere> {
  if (url.startsWith('sqlite:')) {
    const db = new DatabaseSync(url.replace('sqlite:', ''), { timeout: 5000 })
    return {
      run: async (sql) => db.exec(sql),
      all: async <Row>(sql: string) => db.prepare(sql).all() as Row[],
      analyze: async () => {},
      close: async () => db.close(),
    }
  }
  const client = new pg.Client({ connectionString: url, options: '-c search_path=vitrine -c TimeZone=UTC' })
  // The running query rejects; without a listener the test process would end too.
  client.on('error', () => {})
  await client.connect()
  return {
    run: async (sql) => {
      await client.query(sql)
    },
    all: async <Row>(sql: string) => (await client.query(sql)).rows as Row[],
    analyze: async (table) => {
      await client.query(`ANALYZE ${table}`)
    },
    close: () => client.end(),
  }
}

type Literal = string | number | boolean | null | readonly string[]

/** A value in SQL, as the engine under test stores it. */
export function literal(value: Literal): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  if (value === null || typeof value !== 'object') return String(value)
  return engineUnderTest() === 'sqlite' ? literal(JSON.stringify(value)) : `ARRAY[${value.map(literal)}]::text[]`
}

export const columnOf = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The statement that inserts rows, whose members are named as in responses. Empty without rows. */
export function insertion(table: string, rows: readonly Readonly<Record<string, Literal>>[]): string {
  const names = Object.keys(rows[0] ?? {})
  const values = rows.map((row) => `(${names.map((name) => literal(row[name] ?? null))})`)
  return rows.length === 0 ? '' : `INSERT INTO ${table} (${names.map(columnOf)}) VALUES ${values};`
}

/** A table of the numbers n, for a statement that inserts many rows. */
export const numbers = (first: number, last: number): string =>
  engineUnderTest() === 'sqlite'
    ? `(WITH RECURSIVE s(n) AS (SELECT ${first} UNION ALL SELECT n + 1 FROM s WHERE n < ${last}) SELECT n FROM s) AS s`
    : `generate_series(${first}, ${last}) AS s(n)`

/** As if there were no triggers or foreign keys. */
export async function writeUnchecked(url: string, ...statements: string[]): Promise<void> {
  const elsewhere = await connectElsewhere(url)
  try {
    if (!url.startsWith('sqlite:'))
      return await elsewhere.run(`SET session_replication_role = replica; ${statements.join(';')}`)
    const triggers = await elsewhere.all<{ name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid",
    )
    const dropped = triggers.map(({ name }) => `DROP TRIGGER ${name}`)
    const script = [...dropped, ...statements, ...triggers.map(({ sql }) => sql)].join(';\n')
    await elsewhere.run(`BEGIN IMMEDIATE; ${script}; COMMIT`)
  } finally {
    await elsewhere.close()
  }
}

const databasePrefix = () => `vitrine_test_${process.env.TEST_RUN ?? 'lone'}_`

export const dropTestDatabases = (serverUrl: string): Promise<void> =>
  withClient(serverUrl, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      `SELECT datname FROM pg_database WHERE datname LIKE '${databasePrefix()}%'`,
    )
    for (const { datname } of rows) await client.query(`DROP DATABASE ${datname} WITH (FORCE)`)
  })

/** A function for tests that each get what `start` starts; `once` is for those that do not depend on the engine. */
export function testWith<Started>(start: (t: TestContext) => Promise<Started>) {
  type Run = (started: Started, t: TestContext) => Promise<void>
  const started = (run: Run) => async (t: TestContext) => run(await start(t), t)
  return Object.assign((name: string, run: Run) => void test(name, started(run)), {
    once: (name: string, run: Run) => testOnce(name, started(run)),
  })
}
