import { lastDaysIn } from '../database/days.ts'
import type { IncidentKind, Transaction } from '../database/store.ts'
import { type AttentionKind, attentionOf } from './attention.ts'
import { daysOfUse, type KeySelection, lastIncidents, type WarningKind, warningKinds } from './history.ts'
import { type KeyRecord, type KeyUse, listKeys } from './records.ts'
import { type KeyState, type Replacements, replacementsAmong, stateOf } from './state.ts'

/** A key as its managers see it. */
export interface KeyOverview extends Omit<KeyRecord, 'workspaceId' | 'revokedAt'>, KeyUse {
  /** Requests on each of the last 14 days, oldest first, today last. */
  dailyUse: number[]
  state: KeyState
  warnings: KeyWarning[]
  /** Why a person should look at it. */
  attention: AttentionKind[]
}

/** The key was sent where keys must not be. The request was refused; the key should be rotated. */
export interface KeyWarning {
  seen: WarningKind
  at: string
}

/** The time, and the timezone whose days are counted: the workspace's, UTC if it has none. */
export interface OverviewClock {
  nowMs: number
  timezone: string | null
}

const DAYS_SHOWN = 14

/** Every key of a workspace, newest first. */
export async function listKeyOverviews(
  tx: Transaction,
  workspaceId: string,
  clock: OverviewClock,
): Promise<KeyOverview[]> {
  const keys = await listKeys(tx, workspaceId)
  return (await readOverviews(tx, { workspaceId }, keys, replacementsAmong(keys), clock)).reverse()
}

/** Of the given keys, in their order; `selection` names the same ones to the database. */
export async function readOverviews(
  tx: Transaction,
  selection: KeySelection,
  keys: readonly (KeyRecord & KeyUse)[],
  replacements: Replacements,
  { nowMs, timezone }: OverviewClock,
): Promise<KeyOverview[]> {
  const days = lastDaysIn(timezone, nowMs, DAYS_SHOWN)
  const uses = Map.groupBy(await daysOfUse(tx, selection, days), ({ keyId }) => keyId)
  const incidents = Map.groupBy(await lastIncidents(tx, selection, warningKinds), ({ keyId }) => keyId)
  return keys.map((key) => {
    const { workspaceId: _, revokedAt: __, ...shown } = key
    const counts = new Map<string, number>()
    for (const { day, count } of uses.get(key.id) ?? []) counts.set(day, (counts.get(day) ?? 0) + count)
    const state = stateOf(key, replacements, nowMs)
    const warnings = warningsOf(incidents.get(key.id) ?? [])
    return {
      ...shown,
      dailyUse: days.map((day) => counts.get(day) ?? 0),
      state,
      warnings,
      attention: attentionOf({ key, state, replacements, wasSeen: warnings.length > 0, nowMs }),
    }
  })
}

const warningsOf = (incidents: { kind: IncidentKind; at: string }[]): KeyWarning[] =>
  warningKinds.flatMap((seen) => incidents.filter(({ kind }) => kind === seen).map(({ at }) => ({ seen, at })))
