import { readFileSync } from 'node:fs'
import { StorageError } from './errors.ts'

/**
 * A new database gets all of these files, of its engine's folder. Each creates a version of the schema and records its number. Later ones
 * only add, so that servers of two releases can share a database.
 */
const FILES = ['schema.sql']

/** The version of the first file. */
const FIRST = 100
const NEWEST = FIRST + FILES.length - 1
/** That of release 0.2.0. */
const OLDEST = 13

export const isNewest = (version: number): boolean => version === NEWEST

/** Too old for further files: see upgrade.ts. */
export const needsUpgrade = (version: number): boolean => version > 0 && version < FIRST

export const schemaFilesAfter = (version: number, folder: URL): string[] =>
  FILES.slice(Math.max(version - FIRST + 1, 0)).map((file) => readFileSync(new URL(file, folder), 'utf8'))

export function checkKnown(version: number, database: string): void {
  if (version > NEWEST)
    throw new StorageError(
      `${database} was written by a newer Vitrine (schema ${version}, this program knows ${NEWEST}); update the program`,
    )
  if (version > 0 && version < OLDEST)
    throw new StorageError(
      `${database} has schema ${version}, which this program cannot upgrade; run 'vitrine migrate' of release 0.2.0 first`,
    )
}
