import { closeSync, existsSync, linkSync, openSync, rmSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { StorageError } from '../store.ts'

/** A consistent copy of the whole database, made while others use it; the file appears only when it is whole. */
export function backup(db: DatabaseSync, file: string): void {
  if (existsSync(file))
    throw new StorageError(`${file}: exists already; a backup never overwrites, choose another name`)
  const partial = `${file}.partial-${process.pid}`
  try {
    closeSync(openSync(partial, 'wx', 0o600))
    db.prepare('VACUUM INTO ?').run(partial)
    linkSync(partial, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new StorageError(`${file}: was made by someone else meanwhile; choose another name`, { cause: error })
    throw error
  } finally {
    rmSync(partial, { force: true })
  }
}
