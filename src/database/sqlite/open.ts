import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type {
  Differences,
  MigrationPlan,
  OnFailedAttempt,
  OperatorOptions,
  PublicStoreOptions,
  StoredResource,
} from '../store.ts'
import type { HasList } from '../tables/declared-lists.ts'
import { definitionDifferences, newDefinitions, rememberedResources } from '../tables/declared-lists.ts'
import type { OperatorUse } from './operator-store.ts'

/** Modules are imported on demand, because each one slows the start of every command. */
export function sqliteEngine(path: string) {
  const operatorStore = async (resources: readonly HasList[], use: OperatorUse, options: OperatorOptions) => {
    const { SqliteOperatorStore } = await import('./operator-store.ts')
    return SqliteOperatorStore.open(path, resources, use, options)
  }
  return {
    async openPublicStore(resources: readonly StoredResource[], options: PublicStoreOptions) {
      const { connectForWriting } = await import('./connect.ts')
      const db = await connectForWriting(path, resources, { ...options, create: true })
      try {
        options.onDifferences?.(await readDifferences(db, resources))
      } catch (error) {
        db.close()
        throw error
      }
      const { SqlitePublicStore } = await import('./public-store.ts')
      return new SqlitePublicStore(path, db, resources, options)
    },
    openOperatorStore: (resources: readonly HasList[], options: OperatorOptions) =>
      operatorStore(resources, 'command', options),
    openReadingStore: (resources: readonly HasList[]) => operatorStore(resources, 'reading', { create: false }),
    openSettingsStore: (resources: readonly HasList[], onFailedAttempt?: OnFailedAttempt) =>
      operatorStore(resources, 'settings', { create: true, onFailedAttempt }),
    async backup(file: string) {
      const { backup } = await import('./files/backup.ts')
      return backup(path, file)
    },
    async addBackup(folder: string, kept: { keep: number; resources: readonly HasList[] }) {
      const { addBackup } = await import('./files/kept-backups.ts')
      return addBackup(path, folder, kept)
    },
    async restore(resources: readonly HasList[], backup: string) {
      const { restore } = await import('./files/restore.ts')
      return restore(path, resources, backup)
    },
    async planMigration(resources: readonly HasList[]): Promise<MigrationPlan> {
      if (!existsSync(path))
        return { migration: { from: 0, definitions: newDefinitions(resources), reshaped: [] }, ...NOTHING_YET }
      const { connectAsIs } = await import('./connect.ts')
      const { pendingMigration } = await import('../migrate.ts')
      const { openDatabase } = await import('./migrate.ts')
      const db = await connectAsIs(path)
      try {
        const migration = await pendingMigration(openDatabase(db, path), resources, { isMigration: true })
        return { migration, ...(migration?.from === undefined ? await readState(db) : NOTHING_YET) }
      } finally {
        db.close()
      }
    },
  }
}

/** Of a database without this program's schema. */
const NOTHING_YET = { differences: [], remembered: [] }

async function readState(db: DatabaseSync): Promise<Pick<MigrationPlan, 'differences' | 'remembered'>> {
  const { schemaDifferences } = await import('./schema.ts')
  const { SqliteTransaction } = await import('./transaction.ts')
  const remembered = await rememberedResources(new SqliteTransaction(db, 0))
  return { differences: schemaDifferences(db), remembered }
}

async function readDifferences(db: DatabaseSync, resources: readonly HasList[]): Promise<Differences> {
  const { differences, remembered } = await readState(db)
  return { schema: differences, definitions: definitionDifferences(resources, remembered) }
}
