import {
  chmodSync,
  chownSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdtempDisposableSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  unlinkSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openedFile } from '../../../lib/small-file.ts'
import { StorageError } from '../../errors.ts'
import { isCurrent } from '../../migrate.ts'
import { FORGET_CHANGES, revisionAt } from '../../statements.ts'
import type { RestoreResult } from '../../store.ts'
import type { HasList } from '../../tables/declared-lists.ts'
import { refuseForeign, refuseUnservable } from '../../tables/schema-difference.ts'
import { ensureFile, ensureFolder } from '../connect.ts'
import { explain, explainedAsync, isBusy, isDamage } from '../faults.ts'
import { isOurs, migrate, schemaVersionOf } from '../migrate.ts'
import { schemaDifferences } from '../schema.ts'
import { type FileLock, fileIdentity, lockFile, realPath } from './file-lock.ts'

/** A single rename puts the new file in place, so a killed restore leaves either the complete old database or the new one. */
export async function restore(path: string, resources: readonly HasList[], backup: string): Promise<RestoreResult> {
  checkBackupFile(path, backup)
  ensureFolder(dirname(path))
  using _lock = lockFile(path, 'restore')
  try {
    const target = realPath(path)
    clearHalfRestored(target)
    // Other users cannot read it, regardless of the backup's permissions.
    using folder = mkdtempDisposableSync(`${target}.restoring-`)
    const fresh = join(folder.path, 'restored.db')
    const contents = await prepare(fresh, resources, backup, target)
    const replaced = putInPlace(fresh, target)
    return { database: target, from: backup, replaced, ...contents }
  } catch (error) {
    // No database came of it.
    if (!existsSync(path)) rmSync(`${realPath(path)}-lock`, { force: true })
    const { code, syscall } = error as NodeJS.ErrnoException
    if (syscall === undefined) throw error
    throw new StorageError(`${path}: cannot copy the backup there (${code}); check the folder and its free space`, {
      cause: error,
    })
  }
}

/** Held by a server until it stops, so that no restore replaces the file meanwhile. */
export function lockForServing(path: string): FileLock {
  ensureFile(path, { create: true })
  const lock = lockFile(path, 'server')
  clearHalfRestored(realPath(path))
  return lock
}

/** The caller holds the lock, so no other restore is running. */
function clearHalfRestored(target: string): void {
  const current = fileIdentity(target)
  for (const name of readdirSync(dirname(target))) {
    const file = join(dirname(target), name)
    if (name.startsWith(`${basename(target)}.restoring-`)) rmSync(file, { recursive: true, force: true })
    // This is a second link to a file that was not replaced after all.
    else if (name.startsWith(`${basename(target)}.replaced-`) && fileIdentity(file) === current) unlinkSync(file)
  }
}

/** SQLite keeps part of the data in these files. */
const BESIDE = ['-wal', '-journal']

function checkBackupFile(path: string, backup: string): void {
  const stats = statSync(backup, { throwIfNoEntry: false })
  if (stats === undefined) throw new StorageError(`${backup}: no such file`)
  if (!stats.isFile()) throw new StorageError(`${backup}: is not a file`)
  if (fileIdentity(path) === fileIdentity(backup))
    throw new StorageError(`${backup}: is the database itself; name a backup of it`)
  for (const end of BESIDE)
    if (existsSync(backup + end))
      throw new StorageError(
        `${backup}: is in use, or was not closed cleanly: ${basename(backup)}${end} is next to it; back it up with 'vitrine backup' first`,
      )
}

async function prepare(
  fresh: string,
  resources: readonly HasList[],
  backup: string,
  target: string,
): Promise<{ workspaces: number; keys: number }> {
  copy(backup, fresh, statSync(target, { throwIfNoEntry: false }))
  const contents = await explainedAsync(backup, async () => {
    using db = new DatabaseSync(fresh)
    checkIntegrity(db, backup)
    await migrate(db, backup, resources)
    refuseUnservable(schemaDifferences(db), `${backup}:`)
    // People who signed out since the backup must stay signed out, and no link may work twice.
    db.exec('DELETE FROM sessions; DELETE FROM tickets')
    // Clients hold etags with the original's revisions. No database has had as many changes as there have been microseconds since 1970.
    db.exec(`UPDATE revisions SET number = max(number + 1, ${revisionAt(Date.now())}); ${FORGET_CHANGES}`)
    const count = (table: string) => Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n)
    // One file must hold everything, regardless of the backup's journal mode.
    db.exec('PRAGMA journal_mode = DELETE')
    return { workspaces: count('workspaces'), keys: count('api_keys') }
  })
  sync(fresh)
  return contents
}

function checkIntegrity(db: DatabaseSync, backup: string): void {
  try {
    if (!isOurs(db)) throw new StorageError(`${backup}: is not a Vitrine database`)
    // First, because checking the integrity evaluates expressions. An older schema is compared once it is migrated.
    if (isCurrent(schemaVersionOf(db, backup))) refuseForeign(schemaDifferences(db), `${backup}:`)
    const [result] = db.prepare('PRAGMA integrity_check(1)').all().flatMap(Object.values)
    if (result === 'ok') return
  } catch (error) {
    if (!isDamage(error)) throw error
  }
  throw new StorageError(`${backup}: is damaged, or is not a SQLite database; choose another backup`)
}

/** Returns the new name of the replaced database; null if there was none. */
function putInPlace(fresh: string, target: string): string | null {
  using _old = existsSync(target) ? lockExclusively(target) : undefined
  const aside = setAside(target)
  renameSync(fresh, target)
  sync(dirname(target))
  return aside
}

/** Merges the old database into one file, and locks it until it is replaced. Undefined if it is damaged. */
function lockExclusively(target: string): DatabaseSync | undefined {
  const db = new DatabaseSync(target, { timeout: 1000 })
  try {
    // Leaving WAL mode needs exclusive access. The second mode keeps this connection's journal off the disk.
    db.exec('PRAGMA journal_mode = DELETE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return db
  } catch (error) {
    db.close()
    if (isDamage(error)) return undefined
    if (isBusy(error))
      throw new StorageError(`${target}: another program has this database open; stop it first`, { cause: error })
    throw explain(target, error)
  }
}

/**
 * Links the file instead of renaming it, so that the target always exists. Only a damaged one still has a log, which must not be applied
 * to the new database.
 */
function setAside(target: string): string | null {
  const parts = ['', ...BESIDE].filter((end) => existsSync(target + end))
  rmSync(`${target}-shm`, { force: true })
  if (parts.length === 0) return null
  const aside = `${target}.replaced-${new Date().toISOString().replace(/[-:.]/g, '')}`
  for (const end of parts) {
    chmodSync(target + end, 0o600)
    if (end === '') linkSync(target, aside)
    else renameSync(target + end, aside + end)
  }
  sync(dirname(target))
  return aside
}

/** The copy is readable only by the owner of the file that it replaces. */
function copy(from: string, to: string, replaced: Stats | undefined): void {
  copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  chmodSync(to, 0o600)
  if (process.getuid?.() === 0 && replaced !== undefined) chownSync(to, replaced.uid, replaced.gid)
}

/** Flushes a file's contents, or a folder's entries, to disk. */
export function sync(path: string): void {
  using file = openedFile(path, 'r')
  fsyncSync(file.fd)
}
