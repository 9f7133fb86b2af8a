import { hash } from 'node:crypto'
import { fchmodSync, fchownSync, lstatSync, readlinkSync, realpathSync, rmSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openedFile } from '../../../lib/small-file.ts'
import { StorageError } from '../../errors.ts'
import { explained, isBusy } from '../faults.ts'

/**
 * Any number of commands and one server may use a database at the same time; a restore needs exclusive access. The locks
 * are SQLite's own, on an empty file that stays next to the database. They end with the process, so they never go stale.
 */
const LOCK_SQL = {
  command: 'BEGIN; SELECT 1 FROM sqlite_schema',
  server: 'BEGIN IMMEDIATE',
  restore: 'BEGIN EXCLUSIVE',
} as const

/** A command waits for a restore, which can take a while. Checking for a server is quick. */
const WAIT_MS = { command: 30_000, server: 1000, restore: 1000 }

export interface FileLock extends Disposable {
  release(): void
}

const fileLock = (release: () => void): FileLock => ({ release, [Symbol.dispose]: release })

export function lockFile(path: string, purpose: keyof typeof LOCK_SQL): FileLock {
  const lock = tryLock(path, purpose, WAIT_MS[purpose])
  if (lock !== undefined) return lock
  if (purpose === 'command') throw new StorageError(`${path}: is being restored; try again when it is finished`)
  throw new StorageError(`${path}: ${MESSAGES[purpose][isServed(path) ? 'served' : 'busy']}`)
}

const MESSAGES = {
  server: {
    served: 'a server already has this database open; stop it first, or set DATABASE_URL to another file',
    busy: 'is being restored; start the server when the restore has finished',
  },
  restore: {
    served: 'a server has this database open; stop it first, then restore',
    busy: 'another command has this database open; try again when it has finished',
  },
}

/** Commands can run alongside a server, but not during a restore. */
export const isServed = (path: string): boolean => !isFree(path, 'server') && isFree(path, 'command')

function isFree(path: string, purpose: keyof typeof LOCK_SQL): boolean {
  using lock = tryLock(path, purpose, 0)
  return lock !== undefined
}

/** Locks a separate file for each name, such as that of a source. Undefined if another process holds the lock. */
export function lockName(path: string, name: string): FileLock | undefined {
  const file = `${realPath(path)}-sync-${hash('sha256', name, 'hex').slice(0, 16)}`
  for (;;) {
    createFile(file, path)
    const before = fileIdentity(file)
    const lock = tryLockFile(file, LOCK_SQL.restore, 0)
    if (lock === undefined) return undefined
    // If the previous holder removed the file in the meantime, other processes do not see this lock.
    if (fileIdentity(file) === before)
      return fileLock(() => {
        // Remove the file before releasing the lock: afterwards, another process may have locked it.
        rmSync(file, { force: true })
        lock.release()
      })
    lock.release()
  }
}

function tryLock(path: string, purpose: keyof typeof LOCK_SQL, waitMs: number): FileLock | undefined {
  const file = `${realPath(path)}-lock`
  createFile(file, path)
  return tryLockFile(file, LOCK_SQL[purpose], waitMs)
}

function tryLockFile(file: string, lockSql: string, waitMs: number): FileLock | undefined {
  return explained(file, () => {
    const db = new DatabaseSync(file, { timeout: waitMs })
    try {
      // Without a journal on disk, this takes only the lock and writes nothing.
      db.exec('PRAGMA journal_mode = MEMORY')
      db.exec(lockSql)
      return fileLock(() => db.close())
    } catch (error) {
      db.close()
      if (isBusy(error)) return undefined
      throw error
    }
  })
}

/** Never opens an existing file: closing it would drop the locks that SQLite holds on it in this process. */
export function createFile(file: string, path: string): void {
  try {
    using created = openedFile(file, 'wx', 0o600)
    giveAccess(created.fd, statSync(path, { throwIfNoEntry: false }))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    throw new StorageError(`${file}: cannot be created (${code}); check the permissions of its folder`, {
      cause: error,
    })
  }
}

/** As with SQLite's own files, users who can write the database can lock it, even if root created the lock file. */
function giveAccess(fd: number, database: Stats | undefined): void {
  if (database === undefined) return
  if (process.getuid?.() === 0) fchownSync(fd, database.uid, database.gid)
  fchmodSync(fd, database.mode & 0o666)
}

/** The path from which SQLite derives the names of its other files. The file need not exist yet. */
export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      return realPath(resolve(dirname(path), readlinkSync(path)))
    return join(realPath(dirname(resolve(path))), basename(path))
  }
}

/** A replacement file has the same name but a different inode. */
export function fileIdentity(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats === undefined ? 'none' : `${stats.dev} ${stats.ino}`
}

/** Tells whether the path still leads to the files that are open: SQLite keeps using those that were deleted or replaced. */
export function fileCheck(path: string): () => boolean {
  // SQLite's own files stay next to the first target of a link.
  const real = realPath(path)
  const files = [path, `${real}-wal`, `${real}-shm`]
  const identities = () => files.map(fileIdentity).join()
  const opened = identities()
  return () => identities() === opened
}
