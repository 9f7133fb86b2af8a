import { lastDaysIn } from '../database/days.ts'
import type { Transaction } from '../database/store.ts'
import { daysOfUse } from './history.ts'
import { type JudgedKey, judgeKeys } from './judged.ts'
import { findKeys } from './records.ts'

/** A key as its managers see it. */
export interface KeyOverview extends Omit<JudgedKey, 'workspaceId' | 'revokedAt'> {
  /** Requests on each of the last 14 days, oldest first, today last. */
  dailyUse: number[]
}

/** The time, and the timezone whose days are counted: the workspace's, UTC if it has none. */
export interface OverviewClock {
  nowMs: number
  timezone: string | null
}

const DAYS_SHOWN = 14

/** Of given keys of a workspace, in the order of their creation. */
export async function readOverviews(
  tx: Transaction,
  workspaceId: string,
  ids: readonly string[],
  { nowMs, timezone }: OverviewClock,
): Promise<KeyOverview[]> {
  if (ids.length === 0) return []
  const days = lastDaysIn(timezone, nowMs, DAYS_SHOWN)
  const keys = await judgeKeys(tx, workspaceId, await findKeys(tx, workspaceId, ids), nowMs)
  const uses = Map.groupBy(await daysOfUse(tx, { workspaceId, ids }, days), ({ keyId }) => keyId)
  return keys.map(({ workspaceId: _, revokedAt: __, ...key }) => {
    const counts = new Map<string, number>()
    for (const { day, count } of uses.get(key.id) ?? []) counts.set(day, (counts.get(day) ?? 0) + count)
    return { ...key, dailyUse: days.map((day) => counts.get(day) ?? 0) }
  })
}
