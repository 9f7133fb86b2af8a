import type { Transaction } from '../database/store.ts'
import { lastDaysIn } from '../database/timezones.ts'
import { type AttentionKind, evaluate } from './evaluate.ts'
import { type KeyWarning, lastWarnings, readDays, refusedOn } from './history.ts'
import { findKeys, type KeyRecord, type KeyUse, keysAfter } from './records.ts'
import { isOpen, type KeyState, replacementsAmong, stateOf } from './state.ts'

export interface KeyOverview extends Omit<KeyRecord, 'workspaceId' | 'revokedAt'>, KeyUse {
  /** All requests of the last 14 days, oldest first. */
  dailyUse: number[]
  /** Those of them that were refused. */
  dailyRefused: number[]
  state: KeyState
  warnings: KeyWarning[]
  attention: readonly AttentionKind[]
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
  if (ids.length === 0) return []
  const selection = { workspaceId, ids }
  const days = lastDaysIn(timezone, nowMs, DAYS_SHOWN)
  const keys = await findKeys(tx, workspaceId, ids)
  // The state of an ended key does not depend on its successors.
  const open = keys.filter((key) => isOpen(key, nowMs)).map(({ id }) => id)
  const replacements = replacementsAmong(await keysAfter(tx, workspaceId, open))
  const evaluated = new Map((await evaluate(tx, selection, nowMs)).map((each) => [each.id, each]))
  const uses = await readDays(tx, selection, days)
  const warnings = Map.groupBy(await lastWarnings(tx, selection), ({ keyId }) => keyId)
  return keys.map((key) => {
    const { workspaceId: _, revokedAt: __, ...shown } = key
    const used = uses.get(key.id) ?? []
    return {
      ...shown,
      dailyUse: used.map((day) => day.answered + refusedOn(day)),
      dailyRefused: used.map(refusedOn),
      state: stateOf(key, replacements, nowMs),
      warnings: (warnings.get(key.id) ?? []).map(({ seen, at }) => ({ seen, at })),
      attention: evaluated.get(key.id)?.attention ?? [],
    }
  })
}
