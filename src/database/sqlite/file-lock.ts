import { hash } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fchownSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StorageError } from '../errors.ts'
import { explained, isBusy } from './faults.ts'

/**
 * Any number of commands and one server may use a database, but no one during a restore. The locks are SQLite's own, on
 * an empty file beside it. The system releases them when the process ends, so none goes stale and the file stays.
 */
const holds = {
  command: 'BEGIN; SELECT 1 FROM sqlite_schema',
  server: 'BEGIN IMMEDIATE',
  restore: 'BEGIN EXCLUSIVE',
} as const

/** A command waits for a restore, which may take long; checking for a server takes no time. */
const WAIT_MS = { command: 30_000, server: 1000, restore: 1000 }

export interface FileLock {
  release(): void
}

export function lockFile(path: string, purpose: keyof typeof holds): FileLock {
  const held = tryLock(path, purpose, WAIT_MS[purpose])
  if (held !== undefined) return held
  if (purpose === 'command') throw new StorageError(`${path}: is being restored; try again when that is done`)
  if (isServed(path)) throw new StorageError(`${path}: ${served[purpose]}`)
  throw new StorageError(`${path}: ${busy[purpose]}`)
}

const served = {
  server: 'a server has this database open already; stop it first, or set DATABASE_URL to another file',
  restore: 'a server has this database open; stop it first, then restore',
}

const busy = {
  server: 'is being restored; start the server when that is done',
  restore: 'another command has this database open; try again when it is done',
}

export function isServed(path: string): boolean {
  const free = tryLock(path, 'server', 0)
  free?.release()
  return free === undefined && isShared(path)
}

/** Commands run beside a server, but not beside a restore. */
function isShared(path: string): boolean {
  const shared = tryLock(path, 'command', 0)
  shared?.release()
  return shared !== undefined
}

/** Locks a file of its own for a name, such as a source's. Undefined if another process has it. */
export function lockName(path: string, name: string): FileLock | undefined {
  const file = `${realPath(path)}-sync-${hash('sha256', name, 'hex').slice(0, 16)}`
  for (;;) {
    createFile(file, path)
    const before = identityOf(statSync(file, { throwIfNoEntry: false }))
    const lock = tryLockFile(file, holds.restore, 0)
    if (lock === undefined) return undefined
    // If its last holder has removed it meanwhile, no one else can see this lock.
    if (identityOf(statSync(file, { throwIfNoEntry: false })) === before)
      return {
        release() {
          // Removed while still held: others may have locked the file after that.
          rmSync(file, { force: true })
          lock.release()
        },
      }
    lock.release()
  }
}

function tryLock(path: string, purpose: keyof typeof holds, waitMs: number): FileLock | undefined {
  const file = `${realPath(path)}-lock`
  createFile(file, path)
  return tryLockFile(file, holds[purpose], waitMs)
}

function tryLockFile(file: string, hold: string, waitMs: number): FileLock | undefined {
  return explained(file, () => {
    const db = new DatabaseSync(file, { timeout: waitMs })
    try {
      // Without a journal on disk only the lock is taken, and nothing written.
      db.exec('PRAGMA journal_mode = MEMORY')
      db.exec(hold)
      return { release: () => db.close() }
    } catch (error) {
      db.close()
      if (isBusy(error)) return undefined
      throw error
    }
  })
}

/** Never opens an existing file: closing it would drop the locks that SQLite holds on it in this process. */
function createFile(file: string, path: string): void {
  try {
    const handle = openSync(file, 'wx', 0o600)
    try {
      giveAccess(handle, statSync(path, { throwIfNoEntry: false }))
    } finally {
      closeSync(handle)
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    throw new StorageError(`${file}: cannot be created (${code}); check the permissions of its folder`, {
      cause: error,
    })
  }
}

/** As with SQLite's own files, whoever may write the database may lock it, even after a command run by root. */
function giveAccess(handle: number, database: Stats | undefined): void {
  if (database === undefined) return
  if (process.getuid?.() === 0) fchownSync(handle, database.uid, database.gid)
  fchmodSync(handle, database.mode & 0o666)
}

/** The path by which SQLite names its files. The file need not exist yet. */
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

/** A file that replaced another has the same name, but another inode. */
export const identityOf = (stats: Stats | undefined): string =>
  stats === undefined ? 'none' : `${stats.dev} ${stats.ino}`
