import { mkdtempDisposableSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StorageError } from '../../errors.ts'
import type { KeptBackup } from '../../store.ts'
import type { HasList } from '../../tables/declared-lists.ts'
import { backup } from './backup.ts'
import { createFile, lockName } from './file-lock.ts'
import { restore, sync } from './restore.ts'
import { backupRecordOf } from './space.ts'

const NAME = /^vitrine-\d{8}T\d{6}Z\.db$/
const UNVERIFIED = '.vitrine-unverified-'

/** Adds a dated backup to the folder once it was restored into a temporary file, and removes all but the newest. */
export async function addBackup(
  path: string,
  folder: string,
  { keep, resources }: { keep: number; resources: readonly HasList[] },
): Promise<KeptBackup> {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new StorageError(`${folder}: no such folder; create it first, readable only by this user`)
  using lock = lockName(join(folder, 'vitrine'), 'backups')
  if (lock === undefined) throw new StorageError(`${folder}: another backup is being written there; try again later`)
  // What a killed backup left. The lock ensures that no other backup is using it.
  for (const name of readdirSync(folder).filter((each) => each.startsWith(UNVERIFIED)))
    rmSync(join(folder, name), { recursive: true })
  using unverified = mkdtempDisposableSync(join(folder, UNVERIFIED))
  const name = `vitrine-${new Date().toISOString().replace(/\.\d+|[-:]/g, '')}.db`
  const written = join(unverified.path, name)
  await backup(path, written)
  await restore(join(unverified.path, 'restored.db'), resources, written).catch((error) => {
    const reason = (error as Error).message.replace(`${written}: `, '')
    throw new StorageError(`${path}: its backup cannot be restored, so it was not added: ${reason}`, { cause: error })
  })
  const file = join(folder, name)
  renameSync(written, file)
  sync(file)
  sync(folder)
  const removed = readdirSync(folder)
    .filter((each) => NAME.test(each))
    .sort()
    .slice(0, -keep)
  for (const each of removed) rmSync(join(folder, each))
  createFile(backupRecordOf(path), path)
  writeFileSync(backupRecordOf(path), `${new Date().toISOString()}\n`)
  return { file, removed }
}
