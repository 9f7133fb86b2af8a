import type { Transaction } from '../database/store.ts'
import { type LocalTime, lastDates } from '../lib/local-dates.ts'
import { type KeyDay, sumOfUses, type UseCount } from './history.ts'

export interface WorkspaceUse {
  today: UseCount
  lastWeek: UseCount
  lastMonth: UseCount
  /** The last 30 days in the workspace's timezone, oldest first. */
  days: KeyDay[]
}

const WEEK_DAYS = 7
const MONTH_DAYS = 30

export async function readWorkspaceUse(tx: Transaction, workspaceId: string, time: LocalTime): Promise<WorkspaceUse> {
  const dates = lastDates(time, MONTH_DAYS)
  const first = dates[0] ?? ''
  const rows = await tx.all<{ day: string; count: number; refused: number }>(
    `SELECT day, sum(count) AS count, sum(refused) AS refused FROM (
       SELECT day, count, refused FROM key_use WHERE workspace_id = ? AND day >= ?
       UNION ALL SELECT day, count, count FROM key_incidents
       WHERE workspace_id = ? AND day >= ? AND kind IN ('unknown', 'revoked', 'expired', 'paused', 'network', 'reused')
     ) AS uses GROUP BY day`,
    ...[workspaceId, first, workspaceId, first],
  )
  const byDay = new Map(
    rows.map(({ day, count, refused }) => [day, { count: Number(count), refused: Number(refused) }]),
  )
  const uses = dates.map((day) => ({ day, count: 0, refused: 0, ...byDay.get(day) }))
  return {
    today: sumOfUses(uses.slice(-1)),
    lastWeek: sumOfUses(uses.slice(-WEEK_DAYS)),
    lastMonth: sumOfUses(uses),
    days: uses.map(({ day, count, refused }) => ({ day, served: count - refused, refused: { any: refused } })),
  }
}

/** The ids of the keys used most in the last seven days. */
export async function busiestKeys(tx: Transaction, workspaceId: string, time: LocalTime, most: number) {
  const rows = await tx.all<{ id: string }>(
    `SELECT key_id AS id FROM key_use WHERE workspace_id = ? AND day >= ?
     GROUP BY key_id ORDER BY sum(count) DESC, key_id LIMIT ?`,
    ...[workspaceId, lastDates(time, WEEK_DAYS)[0] ?? '', most],
  )
  return rows.map(({ id }) => id)
}
