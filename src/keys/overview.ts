import type { Transaction } from '../database/store.ts'
import { lastDaysIn } from '../database/timezones.ts'
import { type EvaluatedKey, evaluate } from './evaluate.ts'
import { readDays, refusedOn } from './history.ts'
import { findKeys } from './records.ts'

export interface KeyOverview extends Omit<EvaluatedKey, 'workspaceId' | 'revokedAt' | 'neverExpires'> {
  /** All requests of the last 14 days, oldest first. */
  dailyUse: number[]
  /** The refused ones among them. */
  dailyRefused: number[]
}

/** Days are counted in the workspace's timezone, or in UTC if it has none. */
export interface OverviewClock {
  nowMs: number
  timezone: string | null
}

const DAYS_SHOWN = 14

/** In order of creation. */
export async function readOverviews(
  tx: Transaction,
  workspaceId: string,
  ids: readonly string[],
  { nowMs, timezone }: OverviewClock,
): Promise<KeyOverview[]> {
  const keys = await evaluate(tx, await findKeys(tx, workspaceId, ids), nowMs)
  const found = keys.map(({ id }) => id)
  const uses = await readDays(tx, found, lastDaysIn(timezone, nowMs, DAYS_SHOWN))
  return keys.map(({ workspaceId: _, revokedAt: __, neverExpires: ___, ...key }) => {
    const days = uses.get(key.id) ?? []
    const dailyUse = days.map((day) => day.served + refusedOn(day))
    return { ...key, dailyUse, dailyRefused: days.map(refusedOn) }
  })
}
