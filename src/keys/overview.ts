import type { IncidentKind, Transaction } from '../database/store.ts'
import { lastDaysIn } from '../database/timezones.ts'
import { type AttentionKind, evaluate } from './evaluate.ts'
import { lastIncidents, readDays, refusedOn, type WarningKind, warningKinds } from './history.ts'
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

/** The key was sent somewhere it must not be. That request was refused, and the key should be rotated. */
interface KeyWarning {
  seen: WarningKind
  at: string
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
  const incidents = Map.groupBy(await lastIncidents(tx, selection, warningKinds), ({ keyId }) => keyId)
  return keys.map((key) => {
    const { workspaceId: _, revokedAt: __, ...shown } = key
    const used = uses.get(key.id) ?? []
    return {
      ...shown,
      dailyUse: used.map((day) => day.answered + refusedOn(day)),
      dailyRefused: used.map(refusedOn),
      state: stateOf(key, replacements, nowMs),
      warnings: warningsOf(incidents.get(key.id) ?? []),
      attention: evaluated.get(key.id)?.attention ?? [],
    }
  })
}

const warningsOf = (incidents: { kind: IncidentKind; at: string }[]): KeyWarning[] =>
  warningKinds.flatMap((seen) => incidents.filter(({ kind }) => kind === seen).map(({ at }) => ({ seen, at })))
