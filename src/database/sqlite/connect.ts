import { closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { StorageError } from '../errors.ts'
import type { Table } from '../table.ts'
import { explained } from './faults.ts'
import { checkVersion, migrate, versionOf } from './migrate.ts'

const OPERATOR_WAIT_MS = 30_000

/** A connection that can only read. The file must be there and in shape: see `connectForWriting`. */
export function connectForReading(path: string): DatabaseSync {
  // Without mmap_size: SQLite drops the mapping at every change, and to fault its pages in again is slower than to read them.
  return explained(path, () => new DatabaseSync(path, { readOnly: true, timeout: 1000 }))
}

/** A connection that can write, to a database brought up to date first, and created if `create` allows. */
export function connectForWriting(
  path: string,
  tables: readonly Table[],
  { create }: { create: boolean },
): DatabaseSync {
  ensureFile(path, { create })
  return connect(path, (db) => {
    versionOf(db, path)
    // Not before it is known to be ours: this is kept in the file.
    db.exec('PRAGMA journal_mode = WAL')
    // FULL: once a revocation is reported done, not even a power cut may undo it.
    db.exec('PRAGMA synchronous = FULL')
    migrate(db, path, tables)
  })
}

/**
 * A connection for what only reads: it waits for no writer. It could write all the same, because the last one to leave
 * a database must fold its write-ahead log into the file, which a read-only connection cannot do.
 */
export function connectForLooking(path: string, tables: readonly Table[]): DatabaseSync {
  ensureFile(path, { create: false })
  return connect(path, (db) => checkVersion(db, path, tables))
}

function connect(path: string, prepare: (db: DatabaseSync) => void): DatabaseSync {
  return explained(path, () => {
    const db = new DatabaseSync(path, { timeout: OPERATOR_WAIT_MS })
    try {
      prepare(db)
    } catch (error) {
      db.close()
      throw error
    }
    return db
  })
}

/** How long one that is done waits for readers at the least, so that its changes end up in the database file. */
export const FOLD_WAIT_MS = 500
/** SQLite waits without letting anything else run, such as a second signal to stop. */
const FOLD_TRY_MS = 100

/**
 * Closes a connection that has written. Whoever leaves last has SQLite fold the write-ahead log into the file and remove
 * it; but two that leave at once may each take the other for the last one, and a server may stay. So it is folded in first.
 * Gives whether the one file holds all then.
 */
export async function closeAfterWriting(db: DatabaseSync, waitMs = FOLD_WAIT_MS): Promise<boolean> {
  const log = `${db.location()}-wal`
  const deadline = performance.now() + waitMs
  let isFolded = false
  try {
    db.exec(`PRAGMA busy_timeout = ${FOLD_TRY_MS}`)
    const fold = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)')
    for (;;) {
      isFolded = fold.get()?.busy === 0
      if (isFolded || performance.now() >= deadline) break
      await setImmediate()
    }
  } catch {
    // On a full or failed disk everything stays in the log, from where the next start takes it.
  } finally {
    db.close()
  }
  return isFolded || (statSync(log, { throwIfNoEntry: false })?.size ?? 0) === 0
}

/** For the operator, who may be about to copy or move the file. */
export const LEFT_IN_LOG =
  'the database file alone is not the whole database, because another program uses it or the disk failed: ' +
  'the -wal file beside it belongs to it, and must stay there until the next start'

/** Sees to it that there is a file to open, and creates an empty one if it may. */
export function ensureFile(path: string, { create }: { create: boolean }): void {
  if (isThere(path)) {
    if (statSync(path).isDirectory())
      throw new StorageError(`${path}: is a folder, not a database file; check DATABASE_URL`)
    return
  }
  if (!create)
    throw new StorageError(
      `${path}: no database there yet; make one with 'vitrine workspace create', or check DATABASE_URL`,
    )
  ensureFolder(dirname(path))
  createFile(path)
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

/** Before SQLite does: what it creates itself anyone on the machine could read. */
function createFile(path: string) {
  try {
    closeSync(openSync(path, 'a', 0o600))
  } catch (error) {
    throw new StorageError(`${path}: the database cannot be made there; check DATABASE_URL`, { cause: error })
  }
}

export function ensureFolder(folder: string) {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new StorageError(`${folder}: the database's folder cannot be made; check DATABASE_URL`, { cause: error })
  }
}
