import { StorageError } from '../errors.ts'
import { pendingMigration } from '../migrate.ts'
import type { MigrationPlan, OnFailedAttempt, OperatorOptions, PublicStoreOptions, StoredResource } from '../store.ts'
import {
  type DeclaredResource,
  definitionDifferences,
  type HasList,
  listsInUse,
  type MigrationOptions,
  rememberedResources,
} from '../tables/declared-lists.ts'
import type { SchemaDifference } from '../tables/schema-difference.ts'
import { explained } from './faults.ts'
import { checkVersion, migrate, openDatabase } from './migrate.ts'
import { PostgresOperatorStore } from './operator-store.ts'
import { createPool } from './pool/connect.ts'
import type { SessionPool } from './pool/session-pool.ts'
import type { PostgresDatabase } from './pool/url.ts'
import { PostgresPublicStore } from './public-store.ts'
import { PostgresTransaction } from './transaction.ts'

async function backUpElsewhere(): Promise<never> {
  throw new StorageError('a PostgreSQL database is backed up with its own tools: pg_dump --schema=vitrine')
}

export const postgresEngine = (database: PostgresDatabase) => ({
  async openPublicStore(resources: readonly StoredResource[], options: PublicStoreOptions) {
    await upToDate(database, resources, options, options.onDifferences)
    return new PostgresPublicStore(database, resources, options)
  },

  async openOperatorStore(resources: readonly HasList[], options: OperatorOptions) {
    const remembered = await upToDate(database, resources, options)
    const { onFailedAttempt } = options
    return new PostgresOperatorStore(database, listsInUse(resources, remembered, options), { onFailedAttempt })
  },

  async openReadingStore(resources: readonly HasList[]) {
    const remembered = await withPool(database, async (pool) => {
      await checkVersion(pool, resources)
      return pool.snapshot((client) => rememberedResources(new PostgresTransaction(client, 0)))
    })
    return new PostgresOperatorStore(database, listsInUse(resources, remembered))
  },

  /** Undefined if the role lacks what docs/sql/settings-writes.sql grants. The public store has already migrated. */
  async openSettingsStore(resources: readonly HasList[], onFailedAttempt?: OnFailedAttempt) {
    const lists = resources.flatMap(({ list }) => list ?? [])
    const store = new PostgresOperatorStore(database, lists, { forSettings: true, onFailedAttempt })
    let isUsable = false
    try {
      isUsable = await store.mayWriteSettings()
    } finally {
      if (!isUsable) await store.close()
    }
    return isUsable ? store : undefined
  },

  backup: backUpElsewhere,
  addBackup: backUpElsewhere,

  async restore(): Promise<never> {
    throw new StorageError('a PostgreSQL database is restored with its own tools: pg_restore')
  },

  planMigration: (resources: readonly HasList[]): Promise<MigrationPlan> =>
    withPool(database, async (pool) => {
      const options = { isMigration: true }
      const migration = await pool.snapshot((client) => pendingMigration(openDatabase(client), resources, options))
      if (migration?.from !== undefined) return { migration, differences: [], remembered: [] }
      const remembered = await pool.snapshot((client) => rememberedResources(new PostgresTransaction(client, 0)))
      return { migration, differences: await readDifferences(pool), remembered }
    }),
})

async function readDifferences(pool: SessionPool): Promise<SchemaDifference[]> {
  const { schemaDifferences } = await import('./catalogue.ts')
  return pool.with(async (client) => {
    // PostgreSQL locks tables to print their definitions; the timeout makes the server report a long wait.
    await client.query(`${pool.begin(client, 'READ COMMITTED READ ONLY')}; SET LOCAL lock_timeout = '5s'`)
    const differences = await schemaDifferences(client)
    await client.query('COMMIT')
    return differences
  })
}

/** The server's role may lack the privilege to migrate. Then the schema must already be up to date. */
async function upToDate(
  database: PostgresDatabase,
  resources: readonly HasList[],
  options: MigrationOptions,
  onDifferences?: PublicStoreOptions['onDifferences'],
): Promise<DeclaredResource[]> {
  return withPool(database, async (pool) => {
    await migrateOrCheck(pool, resources, options)
    const remembered = await pool.snapshot((client) => rememberedResources(new PostgresTransaction(client, 0)))
    if (onDifferences === undefined) return remembered
    const schema = await readDifferences(pool)
    onDifferences({ schema, definitions: definitionDifferences(resources, remembered) })
    return remembered
  })
}

async function withPool<T>(database: PostgresDatabase, work: (pool: SessionPool) => Promise<T>): Promise<T> {
  const pool = createPool(database, { purpose: 'migration', max: 1, isForCommands: true })
  try {
    return await explained(() => work(pool))
  } finally {
    await pool.end()
  }
}

async function migrateOrCheck(pool: SessionPool, resources: readonly HasList[], options: MigrationOptions) {
  try {
    await migrate(pool, resources, options)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== INSUFFICIENT_PRIVILEGE) throw error
    await checkVersion(pool, resources)
  }
}

const INSUFFICIENT_PRIVILEGE = '42501'
