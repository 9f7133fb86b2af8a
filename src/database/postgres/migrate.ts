import type { PoolClient, QueryResult } from 'pg'
import { StorageError } from '../errors.ts'
import { migrationsIn } from '../migrations.ts'
import { moveStatements, type OldList, ONE_TABLE_OF_ROWS } from '../old-lists.ts'
import { areListsCurrent, bringListsUpToDate, type HasList, type MigrationOptions } from '../tables/declared-lists.ts'
import type { SessionPool } from './pool/session-pool.ts'
import { PostgresTransaction, takeLock } from './transaction.ts'

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
export async function migrate(pool: SessionPool, resources: readonly HasList[], options: MigrationOptions = {}) {
  if (await pool.snapshot((client) => isCurrent(client, resources, options))) return
  await locked(pool, async (client) => {
    // Another program may have migrated while this one waited for the lock.
    if (!(await isCurrent(client, resources, options))) await bringUpToDate(client, resources, options)
  })
}

/** Runs one transaction while no other program migrates. */
export const locked = <T>(pool: SessionPool, work: (client: PoolClient) => Promise<T>): Promise<T> =>
  pool.with(async (client) => {
    await client.query(pool.begin(client, 'READ COMMITTED'))
    const held = await takeLock(client, LOCK, LOCK_WAIT_MS)
    if (held !== undefined) throw new StorageError(held)
    const value = await work(client)
    await client.query('COMMIT')
    return value
  })

async function bringUpToDate(client: PoolClient, resources: readonly HasList[], options: MigrationOptions) {
  const from = await schemaVersionOf(client)
  await client.query(`
    DO $$ BEGIN IF to_regnamespace('vitrine') IS NULL THEN CREATE SCHEMA vitrine; END IF; END $$;
    CREATE TABLE IF NOT EXISTS vitrine.migrations (number integer PRIMARY KEY, run_at timestamptz NOT NULL DEFAULT now())`)
  for (const { version, sql } of migrations.after(from)) {
    if (version === ONE_TABLE_OF_ROWS) await moveOldLists(client)
    await client.query(sql())
    await client.query('INSERT INTO vitrine.migrations (number) VALUES ($1)', [version])
  }
  await bringListsUpToDate(new PostgresTransaction(client, Date.now()), resources, DATABASE, options)
  // PostgreSQL lets everyone execute a new function; docs/sql/ grants those that other roles need.
  await client.query('REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA vitrine FROM PUBLIC')
}

async function moveOldLists(client: PoolClient): Promise<void> {
  const { rows } = await client.query<OldList>('SELECT name, columns, objects FROM vitrine.resource_tables')
  for (const list of rows) await client.query(moveStatements('postgres', list).join(';\n'))
}

async function isCurrent(client: PoolClient, resources: readonly HasList[], options: MigrationOptions = {}) {
  if ((await schemaVersionOf(client)) !== migrations.newest) return false
  return areListsCurrent(new PostgresTransaction(client, Date.now()), resources, DATABASE, options)
}

export const checkVersion = (pool: SessionPool, resources: readonly HasList[]): Promise<void> =>
  pool.snapshot(async (client) => {
    if (await isCurrent(client, resources)) return
    const version = await schemaVersionOf(client)
    const lacks = version === migrations.newest ? 'lacks the current definitions of lists' : 'is of an older version'
    const state = version === 0 ? 'has no tables of Vitrine yet' : lacks
    throw new StorageError(`${DATABASE} ${state}; run 'vitrine migrate' with the operator's role first`)
  })

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
