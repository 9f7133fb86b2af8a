import { chmodSync, existsSync, linkSync, mkdtempDisposableSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { StorageError } from '../../errors.ts'
import { connectAsIs, ensureFile } from '../connect.ts'
import { explained } from '../faults.ts'
import { lockFile } from './file-lock.ts'

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
  // What a killed backup left.
  const partial = `${file}.partial-`
  for (const name of readdirSync(dirname(file)))
    if (name.startsWith(basename(partial))) rmSync(join(dirname(file), name), { recursive: true })
  using folder = mkdtempDisposableSync(partial)
  const written = join(folder.path, 'backup.db')
  db.prepare('VACUUM INTO ?').run(written)
  chmodSync(written, 0o600)
  linkSync(written, file)
}
