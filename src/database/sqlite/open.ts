import type { StoredResource } from '../lists/reader.ts'
import type { OperatorOptions, PublicStoreOptions } from '../store.ts'
import type { Table } from '../table.ts'

/** Modules are imported on demand, because each one slows the start of every command. */
export const sqliteEngine = (path: string) => ({
  async openPublicStore(resources: readonly StoredResource[], options: PublicStoreOptions) {
    const { SqlitePublicStore } = await import('./public-store.ts')
    return new SqlitePublicStore(path, resources, options)
  },

  async openOperatorStore(tables: readonly Table[], options: OperatorOptions) {
    const { SqliteOperatorStore } = await import('./operator-store.ts')
    return new SqliteOperatorStore(path, tables, 'command', options)
  },

  async openReadingStore(tables: readonly Table[]) {
    const { SqliteOperatorStore } = await import('./operator-store.ts')
    return new SqliteOperatorStore(path, tables, 'reading', { create: false })
  },

  async openSettingsStore(tables: readonly Table[]) {
    const { SqliteOperatorStore } = await import('./operator-store.ts')
    return new SqliteOperatorStore(path, tables, 'settings', { create: true })
  },

  async restore(tables: readonly Table[], backup: string, onPhase: (phase: string) => void) {
    const { restore } = await import('./files/restore.ts')
    return restore(path, tables, backup, new Date(), onPhase)
  },

  async examineFiles() {
    const { examineFiles } = await import('./examine.ts')
    return examineFiles(path)
  },
})
