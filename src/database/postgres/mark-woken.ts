import type { MarkWoken } from '../waking.ts'
import type { SessionPool } from './session-pool.ts'

/** Waits for no lock: replicas that mark at once take different tasks, and one that a writer holds is left for later. */
export const wokenMarker =
  (pool: SessionPool): MarkWoken =>
  async (workspaceId, by, atMost) => {
    const { rowCount } = await pool.query({
      name: 'mark woken',
      text: `
        UPDATE vitrine.tasks SET woken = true WHERE seq = ANY (ARRAY (
          SELECT seq FROM vitrine.tasks
          WHERE workspace_id = $1 AND status = 'open' AND snoozed_until IS NOT NULL AND NOT woken
            AND snoozed_until <= $2::timestamptz
          LIMIT $3::int FOR UPDATE SKIP LOCKED))`,
      values: [workspaceId, new Date(by).toISOString(), atMost],
    })
    return rowCount ?? 0
  }
