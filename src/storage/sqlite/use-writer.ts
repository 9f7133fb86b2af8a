import type { DatabaseSync } from 'node:sqlite'
import type { WriteUses } from '../use-recorder.ts'
import { isBusy } from './faults.ts'

/** Writes use records; while another process holds the write lock it says "not now" rather than wait for it. */
export function useWriter(db: DatabaseSync): WriteUses {
  const upsert = db.prepare(`
    INSERT INTO key_use (key_id, day, count, last_at) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET count = count + excluded.count, last_at = max(last_at, excluded.last_at)`)
  return async (uses) => {
    try {
      db.exec('BEGIN IMMEDIATE')
      for (const { keyId, day, count, lastAt } of uses) upsert.run(keyId, day, count, lastAt)
      db.exec('COMMIT')
      return true
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK')
      if (isBusy(error)) return false
      throw error
    }
  }
}
