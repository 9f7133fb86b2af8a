import { DatabaseSync } from 'node:sqlite'
import { explained } from './sqlite/faults.ts'

/** Large enough for the rows of most commands. More of them move to a file. */
const CACHE_KIB = 65_536

/** For the rows of one process, which others do not see. SQLite deletes its file, if it has one, as soon as it is created. */
export function openTemporaryDatabase(): DatabaseSync {
  const db = new DatabaseSync('')
  // Nothing is rolled back, or outlives the process.
  db.exec(`PRAGMA journal_mode = OFF; PRAGMA cache_size = -${CACHE_KIB}; BEGIN`)
  return db
}

/** Explains what may fail, such as a full disk. */
export const inTemporaryDatabase = <T>(work: () => T): T => explained('the temporary files', work)
