import type { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { StorageError } from '../../errors.ts'

const LOG_WAIT_MS = 30_000
const RETRY_MS = 100

/**
 * Rewrites the file without what was deleted. Deleted texts would otherwise stay in free pages, and in the
 * write-ahead log. Readers continue; writers wait while the file is rewritten.
 */
export async function compact(db: DatabaseSync, path: string): Promise<void> {
  db.exec('VACUUM')
  const checkpoint = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)')
  const deadline = performance.now() + LOG_WAIT_MS
  while (checkpoint.get()?.busy !== 0) {
    if (performance.now() >= deadline)
      throw new StorageError(
        `${path}: the -wal file may still contain what was deleted, because another program is reading; repeat the command later`,
      )
    await setTimeout(RETRY_MS)
  }
  // For what is deleted on this connection after this.
  db.exec('PRAGMA secure_delete = ON')
}
