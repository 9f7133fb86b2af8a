import { closeSync, existsSync, linkSync, openSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StorageError } from '../errors.ts'
import { isBusy } from './faults.ts'

/** Writes a consistent copy of the database while others use it. The file appears only when it is complete. */
export function backup(db: DatabaseSync, file: string): void {
  if (existsSync(file))
    throw new StorageError(`${file}: exists already; a backup never overwrites, choose another name`)
  if (!existsSync(dirname(file))) throw new StorageError(`${dirname(file)}: no such folder; create it first`)
  clearPartial(file)
  const partial = `${file}.partial-${process.pid}`
  try {
    closeSync(openSync(partial, 'wx', 0o600))
    db.prepare('VACUUM INTO ?').run(partial)
    linkSync(partial, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new StorageError(`${file}: was created by another process meanwhile; choose another name`, { cause: error })
    throw error
  } finally {
    rmSync(partial, { force: true })
  }
}

/** A backup locks its file right after creating it. An empty file that is older and not locked was abandoned. */
const JUST_BEGUN_MS = 60_000

/** Removes what killed backups to the same file left behind. If that fails, the backup still goes on. */
function clearPartial(file: string): void {
  const mark = `${basename(file)}.partial-`
  for (const name of namesIn(dirname(file))) {
    const pid = Number(name.slice(mark.length))
    if (!name.startsWith(mark) || !Number.isInteger(pid) || isOther(pid)) continue
    const partial = join(dirname(file), name)
    try {
      if (isGivenUp(partial)) for (const end of ['', '-journal']) rmSync(partial + end, { force: true })
    } catch {
      // It may belong to another user.
    }
  }
}

/** None if the folder may be written to but not listed. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function isOther(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** A process in another container cannot be found by its id, but while it works it holds SQLite's lock on the file. */
function isGivenUp(partial: string): boolean {
  const stats = statSync(partial, { throwIfNoEntry: false })
  if (stats === undefined) return false
  // If it has a journal, it was locked before.
  const isNew = stats.size === 0 && Date.now() - stats.mtimeMs < JUST_BEGUN_MS && !existsSync(`${partial}-journal`)
  if (isNew) return false
  const db = new DatabaseSync(partial, { timeout: 0 })
  try {
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE')
    return true
  } catch (error) {
    return !isBusy(error)
  } finally {
    db.close()
  }
}
