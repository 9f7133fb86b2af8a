import type { Transaction } from '../database/store.ts'
import { HOUR_MS } from '../lib/duration.ts'
import { type LocalTime, lastDates, localDate, zoneNamed } from '../lib/local-dates.ts'
import { type KeyDay, sumOfUses, type UseCount } from './history.ts'

export interface WorkspaceUse {
  /** Up to and including the current hour. */
  lastDay: UseCount
  lastWeek: UseCount
  lastMonth: UseCount
  /** The last 30 days in the workspace's timezone, oldest first. */
  days: KeyDay[]
}

const DAY_HOURS = 24
const WEEK_DAYS = 7
const MONTH_DAYS = 30

/** Reads one row per hour: a trigger keeps 31 days of them. */
export async function readWorkspaceUse(tx: Transaction, workspaceId: string, time: LocalTime): Promise<WorkspaceUse> {
  const now = Math.floor(time.nowMs / HOUR_MS)
  // The first day may have begun up to a day before the last 30 days.
  const sql = 'SELECT hour, count, refused FROM workspace_use WHERE workspace_id = ? AND hour > ? AND hour <= ?'
  const hours = await tx.all<UseCount & { hour: number }>(sql, workspaceId, now - (MONTH_DAYS + 1) * DAY_HOURS, now)
  const within = (last: number) => sumOfUses(hours.filter(({ hour }) => hour > now - last))
  const zone = zoneNamed(time.timezone)
  const byDay = Map.groupBy(hours, ({ hour }) => localDate(zone, hour * HOUR_MS))
  return {
    lastDay: within(DAY_HOURS),
    lastWeek: within(WEEK_DAYS * DAY_HOURS),
    lastMonth: within(MONTH_DAYS * DAY_HOURS),
    days: lastDates(time, MONTH_DAYS).map((day) => {
      const { count, refused } = sumOfUses(byDay.get(day) ?? [])
      return { day, served: count - refused, refused: { any: refused } }
    }),
  }
}

const BUSIEST_PER_DAY = 10

/** The ids of the keys used most in the last seven days. Only the busiest of each day are compared, because an index has those. */
export async function busiestKeys(tx: Transaction, workspaceId: string, time: LocalTime, most: number) {
  const days = lastDates(time, WEEK_DAYS)
  const busiest = `SELECT * FROM (SELECT key_id FROM key_use WHERE workspace_id = ? AND day = ? ORDER BY count DESC LIMIT ${BUSIEST_PER_DAY}) AS busiest`
  const rows = await tx.all<{ id: string }>(
    `SELECT key_id AS id FROM key_use WHERE day >= ? AND key_id IN (${days.map(() => busiest).join(' UNION ')})
     GROUP BY key_id ORDER BY sum(count) DESC, key_id LIMIT ?`,
    ...[days[0] ?? '', ...days.flatMap((day) => [workspaceId, day]), most],
  )
  return rows.map(({ id }) => id)
}
