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
 * Who may use a database at the same time: any number of commands and at most one server, but no one during a restore. The
 * locks are SQLite's own (shared, reserved, exclusive) on an empty file beside the database. The system releases them when
 * the process ends, however it ends, so locks never go stale and the file is never removed.
 */
const holds = {
  command: 'BEGIN; SELECT 1 FROM sqlite_schema',
  server: 'BEGIN IMMEDIATE',
  restore: 'BEGIN EXCLUSIVE',
} as const

/** A restore of large files takes long; a check for a server takes no time at all. */
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

/** Whether a server has it open, in this process or another. */
export function isServed(path: string): boolean {
  const free = tryLock(path, 'server', 0)
  free?.release()
  return free === undefined && isShared(path)
}

/** Commands may run beside a server, but not beside a restore. */
function isShared(path: string): boolean {
  const shared = tryLock(path, 'command', 0)
  shared?.release()
  return shared !== undefined
}

/**
 * A lock of its own for a name, such as that of a source: another empty file, which is removed when the lock is released. Undefined if
 * another process has it.
 */
export function lockName(path: string, name: string): FileLock | undefined {
  const file = `${realPath(path)}-sync-${hash('sha256', name, 'hex').slice(0, 16)}`
  for (;;) {
    createFile(file, path)
    const before = identityOf(statSync(file, { throwIfNoEntry: false }))
    const lock = tryLockFile(file, holds.restore, 0)
    if (lock === undefined) return undefined
    // Its last holder may have removed it meanwhile: then this is a lock that no one else can see.
    if (identityOf(statSync(file, { throwIfNoEntry: false })) === before)
      return {
        release() {
          // While it is still held: a file that others may have locked already must not be removed.
          rmSync(file, { force: true })
          lock.release()
        },
      }
    lock.release()
  }
}

/** Undefined if another process holds a conflicting lock. */
function tryLock(path: string, purpose: keyof typeof holds, waitMs: number): FileLock | undefined {
  const file = `${realPath(path)}-lock`
  createFile(file, path)
  return tryLockFile(file, holds[purpose], waitMs)
}

function tryLockFile(file: string, hold: string, waitMs: number): FileLock | undefined {
  return explained(file, () => {
    const db = new DatabaseSync(file, { timeout: waitMs })
    try {
      // Without a journal on disk nothing is written: only the lock is taken.
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

/** Only if it is missing: closing a file that SQLite has open in this process would drop SQLite's locks on it. */
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

/** As SQLite does with its own files: who may write the database may lock it, even after a command run by root. */
function giveAccess(handle: number, database: Stats | undefined): void {
  if (database === undefined) return
  if (process.getuid?.() === 0) fchownSync(handle, database.uid, database.gid)
  fchmodSync(handle, database.mode & 0o666)
}

/** The path by which SQLite names its files, however it is spelled. The file need not exist yet. */
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
