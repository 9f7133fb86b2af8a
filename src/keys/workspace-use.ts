import type { Transaction } from '../database/store.ts'
import { type LocalTime, lastDates } from '../lib/local-dates.ts'
import { type DailySum, type KeyDay, toDays } from './history.ts'

const WEEK_DAYS = 7
const MONTH_DAYS = 30

/** The last 30 days in the workspace's timezone, oldest first. */
export async function readWorkspaceDays(tx: Transaction, workspaceId: string, time: LocalTime): Promise<KeyDay[]> {
  const days = lastDates(time, MONTH_DAYS)
  const sums = await tx.all<DailySum>(
    `SELECT u.day, u.refused, sum(u.count) AS count FROM api_keys k JOIN key_use u ON u.key_id = k.id
     WHERE k.workspace_id = ? AND u.day >= ? GROUP BY u.day, u.refused`,
    ...[workspaceId, days[0] ?? ''],
  )
  return toDays(sums, days)
}

/** The ids of the keys with the most requests in the last seven days. */
export async function busiestKeys(tx: Transaction, workspaceId: string, time: LocalTime, most: number) {
  const rows = await tx.all<{ id: string }>(
    `SELECT k.id FROM api_keys k JOIN key_use u ON u.key_id = k.id
     WHERE k.workspace_id = ? AND u.day >= ? GROUP BY k.id ORDER BY sum(u.count) DESC, k.id LIMIT ?`,
    ...[workspaceId, lastDates(time, WEEK_DAYS)[0] ?? '', most],
  )
  return rows.map(({ id }) => id)
}
