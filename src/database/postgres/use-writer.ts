import type { WriteUses } from '../use-recorder.ts'
import type { SessionPool } from './session-pool.ts'

export const useWriter =
  (pool: SessionPool): WriteUses =>
  async (uses) => {
    await pool.query({
      name: 'write uses',
      text: `
        INSERT INTO vitrine.key_use AS u (key_id, day, count, first_at, first_client, last_at, last_client)
        SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::timestamptz[], $5::text[], $6::timestamptz[], $7::text[])
          AS used (key_id, day, count, first_at, first_client, last_at, last_client)
        ORDER BY key_id -- replicas that write the same keys lock them in the same order
        ON CONFLICT (key_id, day) DO UPDATE SET
          count = u.count + excluded.count,
          first_at = least(u.first_at, excluded.first_at),
          first_client = CASE WHEN u.first_at <= excluded.first_at THEN u.first_client ELSE excluded.first_client END,
          last_at = greatest(u.last_at, excluded.last_at),
          last_client = CASE WHEN excluded.last_at >= u.last_at THEN excluded.last_client ELSE u.last_client END`,
      values: [
        uses.map(({ keyId }) => keyId),
        uses.map(({ day }) => day),
        uses.map(({ count }) => count),
        uses.map(({ firstAt }) => firstAt),
        uses.map(({ firstClient }) => firstClient),
        uses.map(({ lastAt }) => lastAt),
        uses.map(({ lastClient }) => lastClient),
      ],
    })
    return true
  }
