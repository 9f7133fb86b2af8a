import type { DatabaseSync } from 'node:sqlite'
import type { Differences, OperatorOptions, PublicStoreOptions, StoredResource } from '../store.ts'
import type { HasList } from '../tables/declared-lists.ts'
import { definitionDifferences, rememberedResources } from '../tables/declared-lists.ts'
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
    openSettingsStore: (resources: readonly HasList[]) => operatorStore(resources, 'settings', { create: true }),
    async backup(file: string) {
      const { backup } = await import('./files/backup.ts')
      return backup(path, file)
    },
    async restore(resources: readonly HasList[], backup: string, onPhase: (phase: string) => void) {
      const { restore } = await import('./files/restore.ts')
      return restore(path, resources, backup, onPhase)
    },
    examineFiles: async () => (await import('./examine.ts')).examineFiles(path),
  }
}

async function readDifferences(db: DatabaseSync, resources: readonly HasList[]): Promise<Differences> {
  const { schemaDifferences } = await import('./schema.ts')
  const { SqliteTransaction } = await import('./transaction.ts')
  const remembered = await rememberedResources(new SqliteTransaction(db, 0))
  return { schema: schemaDifferences(db), definitions: definitionDifferences(resources, remembered) }
}
