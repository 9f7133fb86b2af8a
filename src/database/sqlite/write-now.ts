import type { DatabaseSync } from 'node:sqlite'
import { isBusy } from './faults.ts'

/** Writes in one transaction. Returns false, instead of waiting, while another process holds the write lock. */
export function writeNowOrNever(db: DatabaseSync, write: () => void): boolean {
  try {
    db.exec('BEGIN IMMEDIATE')
    write()
    db.exec('COMMIT')
    return true
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    if (isBusy(error)) return false
    throw error
  }
}
