import { StorageError } from '../errors.ts'
import type { StoredResource } from '../lists/reader.ts'
import type { PublicStoreOptions } from '../store.ts'
import { type Table, tablesOf } from '../table.ts'
import { definitionDifferences, type MigrationOptions } from '../tables/declared-tables.ts'
import { explained } from './faults.ts'
import { checkVersion, migrate, recordedTables } from './migrate.ts'
import { PostgresOperatorStore } from './operator-store.ts'
import { createPool } from './pool/connect.ts'
import { Hosts, type PostgresDatabase } from './pool/hosts.ts'
import type { SessionPool } from './pool/session-pool.ts'
import { PostgresPublicStore } from './public-store.ts'

export const postgresEngine = (database: PostgresDatabase) => ({
  async openPublicStore(resources: readonly StoredResource[], options: PublicStoreOptions) {
    await upToDate(database, tablesOf(resources), {}, options.onDifferences)
    return new PostgresPublicStore(database, resources, options)
  },

  async openOperatorStore(tables: readonly Table[], options: MigrationOptions) {
    await upToDate(database, tables, options)
    return new PostgresOperatorStore(database, tables)
  },

  async openReadingStore(tables: readonly Table[]) {
    await withPool(database, (pool) => checkVersion(pool, tables))
    return new PostgresOperatorStore(database, tables)
  },

  /** Undefined if the role lacks what docs/sql/settings-writes.sql grants. The public store has already migrated. */
  async openSettingsStore(tables: readonly Table[]) {
    const store = new PostgresOperatorStore(database, tables, { forSettings: true })
    let isUsable = false
    try {
      isUsable = await store.mayWriteSettings()
    } finally {
      if (!isUsable) await store.close()
    }
    return isUsable ? store : undefined
  },

  async restore(): Promise<never> {
    throw new StorageError('a PostgreSQL database is restored with its own tools: pg_restore')
  },

  examineFiles: async () => [],
})

/** The server's role may lack the privilege to migrate. Then the schema must already be up to date. */
async function upToDate(
  database: PostgresDatabase,
  tables: readonly Table[],
  options: MigrationOptions,
  onDifferences?: PublicStoreOptions['onDifferences'],
): Promise<void> {
  await withPool(database, async (pool) => {
    await migrateOrCheck(pool, tables, options)
    if (onDifferences === undefined) return
    const { schemaDifferences } = await import('./schema.ts')
    await pool.with(async (client) => {
      // PostgreSQL locks tables to print their definitions; the timeout makes the server report a long wait.
      await client.query(`${pool.begin(client, 'READ COMMITTED READ ONLY')}; SET LOCAL lock_timeout = '5s'`)
      const definitions = definitionDifferences(tables, await recordedTables(client))
      onDifferences({ schema: await schemaDifferences(client, tables), definitions })
      await client.query('COMMIT')
    })
  })
}

async function withPool(database: PostgresDatabase, work: (pool: SessionPool) => Promise<void>): Promise<void> {
  const pool = createPool(new Hosts(database), { purpose: 'migration', max: 1, isForCommands: true })
  try {
    await explained(() => work(pool))
  } finally {
    await pool.end()
  }
}

async function migrateOrCheck(pool: SessionPool, tables: readonly Table[], options: MigrationOptions): Promise<void> {
  try {
    await migrate(pool, tables, options)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== INSUFFICIENT_PRIVILEGE) throw error
    await checkVersion(pool, tables)
  }
}

const INSUFFICIENT_PRIVILEGE = '42501'
