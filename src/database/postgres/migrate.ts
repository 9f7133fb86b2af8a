import type { QueryResult } from 'pg'
import { StorageError } from '../errors.ts'
import { quoted, type Table } from '../table.ts'
import { draftHasRowsError, type MigrationOptions, searchDiffers } from '../tables/declared-tables.ts'
import {
  isUpToDate,
  migrationsIn,
  RECORDED_COLUMNS,
  type RecordedTable,
  tableMigrations,
} from '../tables/table-changes.ts'
import { createSearchIndexes } from './lists/search-index.ts'
import type { SessionPool } from './pool/session-pool.ts'
import { sqlFile } from './sql-file.ts'
import { tableSchema } from './table-schema.ts'
import { numbered, takeLock } from './transaction.ts'

const migrations = migrationsIn(new URL('./migrations/', import.meta.url))

/** The advisory lock of all programs that migrate. */
const LOCK = 0x5654524e
/** How long programs that start meanwhile wait. After that they exit, and a supervisor restarts them. */
const LOCK_WAIT_MS = 60_000
const DATABASE = 'the database'

export interface Connection {
  query(text: string, values?: unknown[]): Promise<QueryResult>
}

/** If several programs start at once, one migrates and the others wait for it. */
export async function migrate(pool: SessionPool, tables: readonly Table[], options: MigrationOptions = {}) {
  if (await isCurrent(pool, tables, options)) return
  await locked(pool, async (client) => {
    // Another program may have migrated while this one waited for the lock.
    if (!(await isCurrent(client, tables, options))) await bringUpToDate(client, tables, options)
  })
}

/** Runs one transaction while no other program migrates. */
export const locked = <T>(pool: SessionPool, work: (client: Connection) => Promise<T>): Promise<T> =>
  pool.with(async (client) => {
    await client.query(pool.begin(client, 'READ COMMITTED'))
    const held = await takeLock(client, LOCK, LOCK_WAIT_MS)
    if (held !== undefined) throw new StorageError(held)
    const value = await work(client)
    await client.query('COMMIT')
    return value
  })

async function bringUpToDate(client: Connection, tables: readonly Table[], options: MigrationOptions): Promise<void> {
  const from = await schemaVersionOf(client)
  await client.query(`
    DO $$ BEGIN IF to_regnamespace('vitrine') IS NULL THEN CREATE SCHEMA vitrine; END IF; END $$;
    CREATE TABLE IF NOT EXISTS vitrine.migrations (number integer PRIMARY KEY, run_at timestamptz NOT NULL DEFAULT now())`)
  for (const { version, sql } of migrations.after(from)) {
    await client.query(sql())
    await client.query('INSERT INTO vitrine.migrations (number) VALUES ($1)', [version])
  }
  const migration = { tables, recorded: await recordedTables(client), database: DATABASE, options, tableSchema }
  const inUse: Table[] = []
  for (const { table, before, replaced, statements, records } of tableMigrations(migration)) {
    inUse.push(table)
    if (replaced !== undefined && (await hasRows(client, table))) throw draftHasRowsError(table, replaced)
    // Search indexes are not part of the schema; they are created again below.
    if (searchDiffers(table, before)) statements.push(`DROP INDEX IF EXISTS vitrine.${table.name}_search`)
    if (statements.length > 0) await client.query(statements.join(';\n'))
    for (const [sql, ...values] of records) await client.query(numbered(sql), values)
  }
  await createSearchIndexes(client, inUse)
  // PostgreSQL lets everyone execute a new function; docs/sql/ grants those that other roles need.
  await client.query('REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA vitrine FROM PUBLIC')
  await client.query(sqlFile('grant-marks'))
}

/** The lock keeps other programs from adding rows before the table is dropped. */
async function hasRows(client: Connection, { name }: Table): Promise<boolean> {
  await client.query(`LOCK TABLE vitrine.${quoted(name)} IN ACCESS EXCLUSIVE MODE`)
  return (await client.query(`SELECT 1 FROM vitrine.${quoted(name)} LIMIT 1`)).rowCount !== 0
}

export const recordedTables = async (connection: Connection): Promise<RecordedTable[]> => {
  const { rows } = await connection.query(
    `SELECT ${RECORDED_COLUMNS} FROM vitrine.resource_tables LEFT JOIN vitrine.declared_resources USING (name)`,
  )
  return rows
}

async function isCurrent(connection: Connection, tables: readonly Table[], options: MigrationOptions = {}) {
  if ((await schemaVersionOf(connection)) !== migrations.newest) return false
  const recorded = await recordedTables(connection)
  return isUpToDate({ tables, recorded, database: DATABASE, options, tableSchema })
}

export async function checkVersion(pool: SessionPool, tables: readonly Table[]): Promise<void> {
  if (await isCurrent(pool, tables)) return
  const version = await schemaVersionOf(pool)
  const lacks = version === migrations.newest ? 'lacks tables or columns of the resources' : 'is of an older version'
  const state = version === 0 ? 'has no tables of Vitrine yet' : lacks
  throw new StorageError(`${DATABASE} ${state}; run 'vitrine migrate' with the operator's role first`)
}

async function schemaVersionOf(connection: Connection): Promise<number> {
  // Not to_regclass(): it may use a cache that is older than the lock just taken. Not pg_tables: a start would take 10 ms longer.
  const { rowCount } = await connection.query(
    `SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'vitrine' AND c.relname = 'migrations'`,
  )
  if (rowCount === 0) return 0
  const { rows: newest } = await connection.query('SELECT coalesce(max(number), 0) AS number FROM vitrine.migrations')
  const version: number = newest[0]?.number ?? 0
  migrations.check(version, DATABASE)
  return version
}
