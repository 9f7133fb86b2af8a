import type { QueryResult } from 'pg'
import { StorageError } from '../errors.ts'
import type { Table } from '../table.ts'
import {
  areCurrent,
  changesTo,
  migrationsIn,
  type RecordedTable,
  recordOf,
  type TableSchema,
} from '../table-changes.ts'
import { createSearchIndexes } from './search-index.ts'
import type { SessionPool } from './session-pool.ts'
import { tableSchema } from './table-schema.ts'
import { takeLock } from './transaction.ts'

const migrations = migrationsIn(new URL('./migrations/', import.meta.url))

/** All replicas must take the same number. */
const LOCK = 0x5654524e
/** A migration may take this long; a supervisor restarts the others. */
const LOCK_WAIT_MS = 60_000
const DATABASE = 'the database'

export interface Connection {
  query(text: string, values?: unknown[]): Promise<QueryResult>
}

/** Of several programs that start at once, one migrates and the others wait for it. */
export async function migrate(pool: SessionPool, tables: readonly Table[]): Promise<void> {
  const schemas = tables.map(tableSchema)
  if (await isCurrent(pool, schemas)) return
  await locked(pool, async (client) => {
    // Another program may have migrated while this one waited for the lock.
    if (!(await isCurrent(client, schemas))) await bringUpToDate(client, schemas, tables)
  })
}

/** Runs one transaction while no other program migrates. */
export async function locked<T>(pool: SessionPool, work: (client: Connection) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query(`BEGIN${pool.localSettings(client)}`)
    const held = await takeLock(client, LOCK, LOCK_WAIT_MS)
    if (held !== undefined) throw new StorageError(held)
    const value = await work(client)
    await client.query('COMMIT')
    client.release()
    return value
  } catch (error) {
    client.release(true)
    throw error
  }
}

async function bringUpToDate(client: Connection, schemas: TableSchema[], tables: readonly Table[]): Promise<void> {
  const from = await versionOf(client)
  await client.query(`
    DO $$ BEGIN IF to_regnamespace('vitrine') IS NULL THEN CREATE SCHEMA vitrine; END IF; END $$;
    CREATE TABLE IF NOT EXISTS vitrine.migrations (number integer PRIMARY KEY, run_at timestamptz NOT NULL DEFAULT now())`)
  for (const { version, sql } of migrations.after(from)) {
    await client.query(sql())
    await client.query('INSERT INTO vitrine.migrations (number) VALUES ($1)', [version])
  }
  const recorded = await recordedTables(client)
  for (const schema of schemas) {
    const found = recorded.find(({ name }) => name === schema.name)
    const statements = changesTo(schema, found, DATABASE)
    if (statements.length > 0) await client.query(statements.join(';\n'))
    await record(client, recordOf(schema))
  }
  await createSearchIndexes(client, tables)
  // PostgreSQL lets everyone execute a new function; docs/sql/ grants those that other roles need.
  await client.query('REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA vitrine FROM PUBLIC')
  await client.query(GRANT_MARKS)
}

/** A role that may set a mark in one table may set them in all, so a new table needs no grant by hand. */
const GRANT_MARKS = `
  DO $$ DECLARE missing record; BEGIN
    FOR missing IN
      WITH marks AS (SELECT format('vitrine.%I', name)::regclass AS marked, key AS mark
                     FROM vitrine.resource_tables, json_each_text(columns::json) WHERE value LIKE 'mark:%'),
        roles AS (SELECT DISTINCT grantee::regrole AS role
                  FROM marks JOIN pg_attribute ON attrelid = marked AND attname = mark, aclexplode(attacl)
                  WHERE privilege_type = 'UPDATE' AND grantee <> 0)
      SELECT * FROM marks, roles WHERE NOT has_column_privilege(role, marked, mark, 'UPDATE')
    LOOP
      EXECUTE format('GRANT UPDATE (%I) ON %s TO %s', missing.mark, missing.marked, missing.role);
    END LOOP;
  END $$`

const record = (client: Connection, { name, version, columns, objects }: RecordedTable) =>
  client.query(
    `INSERT INTO vitrine.resource_tables VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO UPDATE
     SET version = excluded.version, columns = excluded.columns, objects = excluded.objects`,
    [name, version, columns, objects],
  )

const recordedTables = async (connection: Connection): Promise<RecordedTable[]> =>
  (await connection.query('SELECT name, version, columns, objects FROM vitrine.resource_tables')).rows

const isCurrent = async (connection: Connection, schemas: TableSchema[]): Promise<boolean> =>
  (await versionOf(connection)) === migrations.newest && areCurrent(schemas, await recordedTables(connection), DATABASE)

export async function checkVersion(pool: SessionPool, tables: readonly Table[]): Promise<void> {
  if (await isCurrent(pool, tables.map(tableSchema))) return
  const state = (await versionOf(pool)) === 0 ? 'has no tables of Vitrine yet' : 'is of an older version'
  throw new StorageError(`${DATABASE} ${state}; run 'vitrine migrate' with the operator's role first`)
}

async function versionOf(connection: Connection): Promise<number> {
  // Not to_regclass(): it may use a cache that is older than the lock just taken.
  const { rowCount } = await connection.query(
    `SELECT 1 FROM pg_tables WHERE schemaname = 'vitrine' AND tablename = 'migrations'`,
  )
  if (rowCount === 0) return 0
  const { rows: newest } = await connection.query('SELECT coalesce(max(number), 0) AS number FROM vitrine.migrations')
  const version: number = newest[0]?.number ?? 0
  migrations.check(version, DATABASE)
  return version
}
