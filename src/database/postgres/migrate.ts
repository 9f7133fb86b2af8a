import type { PoolClient } from 'pg'
import { StorageError } from '../errors.ts'
import {
  checkKnown,
  checkMigrated,
  migrateLocked,
  type OpenDatabase,
  pendingMigration,
  refuseViews,
} from '../migrate.ts'
import type { HasList, MigrationOptions } from '../tables/declared-lists.ts'
import type { Connection } from './catalogue.ts'
import type { SessionPool } from './pool/session-pool.ts'
import { PostgresTransaction, takeLock } from './transaction.ts'

/** The advisory lock of all programs that migrate. */
const LOCK = 0x5654524e
/** How long programs that start meanwhile wait. After that they exit, and a supervisor restarts them. */
const LOCK_WAIT_MS = 60_000
const DATABASE = 'the database'

export const openDatabase = (client: PoolClient): OpenDatabase => ({
  engine: 'postgres',
  name: DATABASE,
  tx: new PostgresTransaction(client, Date.now()),
  version: () => schemaVersionOf(client),
  schemaDifferences: async () => (await import('./catalogue.ts')).schemaDifferences(client),
  runFile: (sql) => client.query(sql),
  async upgrade(version, createSchema) {
    const { upgradePostgres } = await import('./upgrade.ts')
    return upgradePostgres(client, version, createSchema)
  },
})

/** If several programs start at once, one migrates and the others wait for it. */
export async function migrate(pool: SessionPool, resources: readonly HasList[], options: MigrationOptions = {}) {
  const pending = await pool.snapshot((client) => pendingMigration(openDatabase(client), resources, options))
  if (pending === undefined) return
  const migration = await pool.with(async (client) => {
    await client.query(pool.begin(client, 'READ COMMITTED'))
    const held = await takeLock(client, LOCK, LOCK_WAIT_MS)
    if (held !== undefined) throw new StorageError(held)
    const done = await migrateLocked(openDatabase(client), resources, options)
    await client.query('COMMIT')
    return done
  })
  if (migration !== undefined) options.onMigrated?.(migration)
}

const FIX = "run 'vitrine migrate' with the operator's role first"

export const checkVersion = (pool: SessionPool, resources: readonly HasList[]): Promise<void> =>
  pool.snapshot((client) =>
    checkMigrated(openDatabase(client), resources, { empty: `has no tables of Vitrine yet; ${FIX}`, old: FIX }),
  )

async function schemaVersionOf(connection: Connection): Promise<number> {
  // Not to_regclass(): it may use a cache that is older than the lock just taken. Not pg_tables: a start would take 10 ms longer.
  const { rows } = await connection.query(
    `SELECT c.relname AS name, c.relkind AS kind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'vitrine' AND (c.relname = 'migrations' OR c.relkind IN ('v', 'm', 'f', 'p'))`,
  )
  refuseViews(
    rows.filter(({ kind }) => kind !== 'r'),
    DATABASE,
  )
  if (!rows.some(({ name }) => name === 'migrations')) return 0
  const { rows: newest } = await connection.query('SELECT coalesce(max(number), 0) AS number FROM vitrine.migrations')
  const version: number = newest[0]?.number ?? 0
  checkKnown(version, DATABASE)
  return version
}
