import { closeSync, existsSync, linkSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { StorageError } from '../../errors.ts'
import { connectAsIs, ensureFile } from '../connect.ts'
import { explained } from '../faults.ts'
import { lockFile, lockName } from './file-lock.ts'

export async function backup(path: string, file: string): Promise<void> {
  ensureFile(path, { create: false })
  using _lock = lockFile(path, 'command')
  using db = await connectAsIs(path)
  explained(file, () => writeBackup(db, file))
}

/** The file appears only when it is complete. */
function writeBackup(db: DatabaseSync, file: string): void {
  if (existsSync(file))
    throw new StorageError(`${file}: already exists; a backup never overwrites a file, choose another name`)
  if (!existsSync(dirname(file))) throw new StorageError(`${dirname(file)}: no such folder; create it first`)
  using lock = lockName(file, 'backup')
  if (lock === undefined) throw new StorageError(`${file}: another backup is writing to it; choose another name`)
  const partial = `${file}.partial`
  const removePartial = () => {
    for (const end of ['', '-journal']) rmSync(partial + end, { force: true })
  }
  try {
    // A killed backup may have left this file. The lock ensures that no other backup is writing it.
    removePartial()
    closeSync(openSync(partial, 'wx', 0o600))
    db.prepare('VACUUM INTO ?').run(partial)
    linkSync(partial, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new StorageError(`${file}: was just created by another process; choose another name`, { cause: error })
    throw error
  } finally {
    removePartial()
  }
}
