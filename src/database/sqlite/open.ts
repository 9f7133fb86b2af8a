import type { StoredResource } from '../lists/reader.ts'
import type { OperatorOptions, PublicStoreOptions } from '../store.ts'
import type { Table } from '../table.ts'
import type { OperatorUse } from './operator-store.ts'

/** Modules are imported on demand, because each one slows the start of every command. */
export function sqliteEngine(path: string) {
  const operatorStore = async (tables: readonly Table[], use: OperatorUse, options: OperatorOptions) => {
    const { SqliteOperatorStore } = await import('./operator-store.ts')
    return new SqliteOperatorStore(path, tables, use, options)
  }
  return {
    async openPublicStore(resources: readonly StoredResource[], options: PublicStoreOptions) {
      const { SqlitePublicStore } = await import('./public-store.ts')
      return new SqlitePublicStore(path, resources, options)
    },
    openOperatorStore: (tables: readonly Table[], options: OperatorOptions) =>
      operatorStore(tables, 'command', options),
    openReadingStore: (tables: readonly Table[]) => operatorStore(tables, 'reading', { create: false }),
    openSettingsStore: (tables: readonly Table[]) => operatorStore(tables, 'settings', { create: true }),
    async restore(tables: readonly Table[], backup: string, onPhase: (phase: string) => void) {
      const { restore } = await import('./files/restore.ts')
      return restore(path, tables, backup, onPhase)
    },
    examineFiles: async () => (await import('./examine.ts')).examineFiles(path),
  }
}
