import { readdirSync, readFileSync } from 'node:fs'
import { StorageError } from './errors.ts'

/** The number that a file name begins with is the version of the schema. */
export function migrationsIn(folder: URL) {
  const migrations = readdirSync(folder)
    .sort()
    .map((file) => ({ version: Number.parseInt(file, 10), sql: () => readFileSync(new URL(file, folder), 'utf8') }))
  const [oldest = 0, newest = 0] = [migrations[0]?.version, migrations.at(-1)?.version]
  return {
    newest,
    after: (version: number) => migrations.filter((migration) => migration.version > version),
    check(version: number, database: string): void {
      if (version > newest)
        throw new StorageError(
          `${database} was written by a newer Vitrine (schema ${version}, this program knows ${newest}); update the program`,
        )
      if (version > 0 && version < oldest)
        throw new StorageError(
          `${database} has schema ${version}, which this program cannot upgrade; run 'vitrine migrate' of release 0.2.0 first`,
        )
    },
  }
}
