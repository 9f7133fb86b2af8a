import type { Pool } from 'pg'
import type { WriteUses } from '../use-recorder.ts'

export const useWriter =
  (pool: Pool): WriteUses =>
  async (uses) => {
    await pool.query({
      name: 'write uses',
      text: `
        INSERT INTO vitrine.key_use AS u (key_id, day, count, last_at)
        SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::timestamptz[]) AS used (key_id, day, count, last_at)
        ORDER BY key_id -- replicas that write the same keys lock them in the same order
        ON CONFLICT (key_id, day) DO UPDATE
        SET count = u.count + excluded.count, last_at = greatest(u.last_at, excluded.last_at)`,
      values: [
        uses.map(({ keyId }) => keyId),
        uses.map(({ day }) => day),
        uses.map(({ count }) => count),
        uses.map(({ lastAt }) => lastAt),
      ],
    })
    return true
  }
