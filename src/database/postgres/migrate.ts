import type { PoolClient, QueryResult } from 'pg'
import { defined } from '../../lib/defined.ts'
import { NoDatabaseYet, StorageError } from '../errors.ts'
import { checkKnown, isNewest, needsUpgrade, schemaFilesAfter } from '../schema-files.ts'
import {
  bringListsUpToDate,
  definitionChanges,
  type HasList,
  listChanges,
  type Migration,
  type MigrationOptions,
  type Upgrade,
} from '../tables/declared-lists.ts'
import type { SessionPool } from './pool/session-pool.ts'
import { PostgresTransaction, takeLock } from './transaction.ts'

const FOLDER = new URL('./', import.meta.url)

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
  const isCurrent = async (client: PoolClient) => (await pendingMigration(client, resources, options)) === undefined
  if (await pool.snapshot(isCurrent)) return
  const migration = await locked(pool, async (client) => {
    // Another program may have migrated while this one waited for the lock.
    const pending = await pendingMigration(client, resources, options)
    if (pending === undefined) return undefined
    const { from } = pending
    const upgrade = from === undefined ? undefined : await bringSchemaUpToDate(client, from)
    const changes = await bringListsUpToDate(new PostgresTransaction(client, Date.now()), resources, DATABASE, options)
    return { ...defined({ from }), ...upgrade, ...changes }
  })
  if (migration !== undefined) options.onMigrated?.(migration)
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

async function bringSchemaUpToDate(client: PoolClient, version: number): Promise<Upgrade | undefined> {
  if (needsUpgrade(version)) {
    const { upgradePostgres } = await import('./upgrade.ts')
    return upgradePostgres(client, version, () => createSchema(client))
  }
  await createSchema(client, version)
  return undefined
}

/** What a database of the given version lacks. */
async function createSchema(client: PoolClient, version = 0): Promise<void> {
  for (const sql of schemaFilesAfter(version, FOLDER)) await client.query(sql)
}

/** Undefined if there is nothing to do. What an upgrade changes for lists is not known before. */
export async function pendingMigration(
  client: PoolClient,
  resources: readonly HasList[],
  options: MigrationOptions = {},
): Promise<Migration | undefined> {
  const from = await schemaVersionOf(client)
  if (!isNewest(from)) return { from, definitions: from === 0 ? definitionChanges(resources) : [], reshaped: [] }
  return listChanges(new PostgresTransaction(client, Date.now()), resources, DATABASE, options)
}

export const checkVersion = (pool: SessionPool, resources: readonly HasList[]): Promise<void> =>
  pool.snapshot(async (client) => {
    if ((await pendingMigration(client, resources)) === undefined) return
    const version = await schemaVersionOf(client)
    const fix = "run 'vitrine migrate' with the operator's role first"
    if (version === 0) throw new NoDatabaseYet(`${DATABASE} has no tables of Vitrine yet; ${fix}`)
    const lacks = isNewest(version) ? 'lacks the current definitions of lists' : 'is of an older version'
    throw new StorageError(`${DATABASE} ${lacks}; ${fix}`)
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
  checkKnown(version, DATABASE)
  return version
}
