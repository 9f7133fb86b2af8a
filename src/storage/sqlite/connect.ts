import { closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StorageError } from '../store.ts'
import { explained } from './faults.ts'
import { migrate } from './migrate.ts'

const OPERATOR_WAIT_MS = 30_000

/** A connection that can only read. The file must be there and in shape: see `connectForWriting`. */
export function connectForReading(path: string): DatabaseSync {
  // Without mmap_size: SQLite drops the mapping at every change, and to fault its pages in again is slower than to read them.
  return explained(path, () => new DatabaseSync(path, { readOnly: true, timeout: 1000 }))
}

/** A connection that can write, to a database brought up to date first, and made if `create` allows. */
export function connectForWriting(path: string, options: { create: boolean; waitMs?: number }): DatabaseSync {
  if (!isThere(path)) {
    if (!options.create)
      throw new StorageError(
        `${path}: no database there yet; make one with 'vitrine workspace create', or check DATABASE_URL`,
      )
    makeFolder(dirname(path))
    makeFile(path)
  } else if (statSync(path).isDirectory()) {
    throw new StorageError(`${path}: is a folder, not a database file; check DATABASE_URL`)
  }
  return explained(path, () => {
    const db = new DatabaseSync(path, { timeout: options.waitMs ?? OPERATOR_WAIT_MS })
    try {
      db.exec('PRAGMA journal_mode = WAL')
      // FULL: once a revocation is reported done, not even a power cut may undo it.
      db.exec('PRAGMA synchronous = FULL')
      migrate(db, path)
    } catch (error) {
      db.close()
      throw error
    }
    return db
  })
}

/** A folder that may not be looked into is told from one without a database: to make one there would fail as well. */
function isThere(path: string): boolean {
  try {
    statSync(path)
    return true
  } catch (error) {
    if (!['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw new StorageError(`${path}: this user may not look into that folder; check its permissions, or DATABASE_URL`, {
      cause: error,
    })
  }
}

/** Before SQLite does: what it makes itself anyone on the machine could read. */
function makeFile(path: string) {
  try {
    closeSync(openSync(path, 'a', 0o600))
  } catch (error) {
    throw new StorageError(`${path}: the database cannot be made there; check DATABASE_URL`, { cause: error })
  }
}

function makeFolder(folder: string) {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new StorageError(`${folder}: the database's folder cannot be made; check DATABASE_URL`, { cause: error })
  }
}
