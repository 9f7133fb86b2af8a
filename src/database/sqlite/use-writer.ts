import type { DatabaseSync } from 'node:sqlite'
import type { WriteUses } from '../use-recorder.ts'
import { writeNowOrNever } from './write-now.ts'

export function useWriter(db: DatabaseSync): WriteUses {
  const upsert = db.prepare(`
    INSERT INTO key_use (key_id, day, count, first_at, first_client, last_at, last_client)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET
      count = count + excluded.count,
      first_at = coalesce(first_at, excluded.first_at),
      first_client = CASE WHEN first_at IS NULL THEN excluded.first_client ELSE first_client END,
      last_at = max(last_at, excluded.last_at),
      last_client = CASE WHEN excluded.last_at >= last_at THEN excluded.last_client ELSE last_client END`)
  return async (uses) =>
    writeNowOrNever(db, () => {
      for (const { keyId, day, count, firstAt, firstClient, lastAt, lastClient } of uses)
        upsert.run(keyId, day, count, firstAt, firstClient, lastAt, lastClient)
    })
}
