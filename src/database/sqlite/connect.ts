import { closeSync, mkdirSync, openSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { NoDatabaseYet, StorageError } from '../errors.ts'
import type { HasList } from '../tables/declared-lists.ts'
import { explain, explained } from './faults.ts'
import { checkVersion, migrate, type SqliteMigrationOptions, schemaVersionOf } from './migrate.ts'
import { OPERATOR_WAIT_MS } from './write-lock.ts'

/** The file must exist and be up to date: see `connectForWriting`. */
export function connectForReading(path: string): DatabaseSync {
  // Without mmap_size: SQLite drops the mapping after every change, and page faults are slower than reads.
  return explained(path, () => new DatabaseSync(path, { readOnly: true, timeout: 1000 }))
}

/**
 * For a file that another connection of this process has migrated. SQLite reads the schema with the first statement, so a start does
 * not wait for it. Node's SQLite syncs each commit by default; `PRAGMA synchronous` would read the schema.
 */
export function connectAgain(path: string): DatabaseSync {
  return explained(path, () => new DatabaseSync(path, { timeout: 0 }))
}

export function connectForWriting(
  path: string,
  resources: readonly HasList[],
  { create, ...options }: { create: boolean } & SqliteMigrationOptions,
): Promise<DatabaseSync> {
  ensureFile(path, { create })
  return connect(path, async (db) => {
    schemaVersionOf(db, path)
    // The mode is stored in the file, so set it only after checking that the database is ours.
    db.exec('PRAGMA journal_mode = WAL')
    // Even a power failure must not undo a revocation that was reported as done.
    db.exec('PRAGMA synchronous = FULL')
    await migrate(db, path, resources, options)
  })
}

/** Does not wait for writers. Not opened read-only, because the last connection to close must merge the write-ahead log. */
export function connectWithoutMigrating(path: string, resources: readonly HasList[]): Promise<DatabaseSync> {
  return connect(path, (db) => checkVersion(db, path, resources))
}

/** The database may have any version that can be upgraded. */
export const connectAsIs = (path: string): Promise<DatabaseSync> =>
  connect(path, async (db) => {
    schemaVersionOf(db, path)
  })

async function connect(path: string, prepare: (db: DatabaseSync) => Promise<void>): Promise<DatabaseSync> {
  const db = connectWaiting(path)
  try {
    await prepare(db)
  } catch (error) {
    db.close()
    throw explain(path, error)
  }
  return db
}

const connectWaiting = (path: string) => explained(path, () => new DatabaseSync(path, { timeout: OPERATOR_WAIT_MS }))

/** A closing connection waits at least this long for readers, so that its changes are merged into the database file. */
export const CHECKPOINT_WAIT_MS = 500
/** Short, because SQLite blocks the thread while it waits, and a second stop signal would go unnoticed. */
const MERGE_ATTEMPT_MS = 100

/**
 * SQLite merges the write-ahead log when the last connection closes. But when two close at once, each may assume that the
 * other is the last, and a server may stay open.
 */
export async function closeAfterWriting(db: DatabaseSync, waitMs = CHECKPOINT_WAIT_MS): Promise<void> {
  const deadline = performance.now() + waitMs
  try {
    db.exec(`PRAGMA busy_timeout = ${MERGE_ATTEMPT_MS}`)
    const checkpoint = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)')
    while (checkpoint.get()?.busy !== 0 && performance.now() < deadline) await setImmediate()
  } catch {
    // If the disk is full or failed, the data stays in the log, and the next start recovers it.
  } finally {
    db.close()
  }
}

export function ensureFile(path: string, { create }: { create: boolean }): void {
  const stats = statsOf(path)
  if (stats?.isDirectory()) throw new StorageError(`${path}: is a folder, not a database file; check DATABASE_URL`)
  if (stats !== undefined) return
  if (!create)
    throw new NoDatabaseYet(
      `${path}: no database there yet; create one with 'vitrine workspace create', or check DATABASE_URL`,
    )
  ensureFolder(dirname(path))
  createFile(path)
}

/** An unreadable folder does not mean that there is no database, and creating one there would fail too. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch (error) {
    if (!['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw new StorageError(`${path}: this user may not read that folder; check its permissions, or DATABASE_URL`, {
      cause: error,
    })
  }
}

/** SQLite would create a world-readable file. */
function createFile(path: string) {
  try {
    closeSync(openSync(path, 'a', 0o600))
  } catch (error) {
    throw new StorageError(`${path}: the database cannot be created there; check DATABASE_URL`, { cause: error })
  }
}

export function ensureFolder(folder: string) {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new StorageError(`${folder}: the database's folder cannot be created; check DATABASE_URL`, { cause: error })
  }
}
