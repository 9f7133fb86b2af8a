import type { Transaction } from '../database/store.ts'
import { HOUR_MS } from '../lib/duration.ts'
import { isoOf } from '../lib/instant.ts'
import { type LocalTime, lastDates, zoneNamed } from '../lib/local-dates.ts'
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

const HOURS = 24

/** The last 24 hours of a key or of its workspace, oldest first. The request log is bounded, so there may have been more. */
export async function readHours(
  tx: Transaction,
  { workspaceId, keyId }: { workspaceId: string; keyId?: string | undefined },
  { nowMs, timezone }: LocalTime,
): Promise<KeyDay[]> {
  const [of, id] = keyId === undefined ? ['workspace_id', workspaceId] : ['key_id', keyId]
  const first = Math.floor(nowMs / HOUR_MS) - HOURS + 1
  const hours: KeyDay[] = []
  // A range of an index for each count.
  for (let hour = first; hour < first + HOURS; hour++) {
    const [from, to] = [hour, hour + 1].map((each) => isoOf(each * HOUR_MS))
    const within = `FROM request_log WHERE ${of} = ? AND at >= ? AND at < ?`
    const [counts] = await tx.all<{ total: number; refused: number }>(
      `SELECT (SELECT count(*) ${within}) AS total, (SELECT count(*) ${within} AND outcome = 'refused' AND outcome <> 'ok') AS refused`,
      ...[id, from, to, id, from, to].map(String),
    )
    const [total, refused] = [Number(counts?.total), Number(counts?.refused)]
    const day = isoOf(zoneNamed(timezone).wallTime(hour * HOUR_MS)).slice(0, 'YYYY-MM-DDTHH:MM'.length)
    hours.push({ day, served: total - refused, refused: { some_reason: refused } })
  }
  return hours
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
