import { lazily } from '../../lib/lazily.ts'
import type { Database } from '../open.ts'
import type { TableDatabase } from './table-database.ts'

/** Opens each database once, when it is first read. `addressOf` throws a UserError if the setting cannot be used. */
export function tableDatabases(addressOf: (setting: string) => Database) {
  const opened = new Map<string, () => Promise<TableDatabase>>()
  return (setting: string): Promise<TableDatabase> => {
    const open =
      opened.get(setting) ??
      lazily(async () => {
        const database = addressOf(setting)
        return database.engine === 'sqlite'
          ? (await import('./sqlite.ts')).sqliteTables(setting, database.path)
          : (await import('./postgres.ts')).postgresTables(setting, database)
      })
    opened.set(setting, open)
    return open()
  }
}
