import type { IncidentKind, Quota, Transaction } from '../database/store.ts'
import { daysOfUse, lastIncidents } from './history.ts'
import { listKeys } from './records.ts'
import { type KeyState, stateOf } from './state.ts'

/** A key as its managers see it. */
export interface KeyOverview {
  id: string
  label: string
  /** The first characters, as stored: `vtr_8fK2aQ`. */
  prefix: string
  permissions: string[]
  /** Null: the default limit. */
  quota: Quota | null
  createdBy: string
  createdAt: string
  expiresAt: string | null
  lastUsedAt: string | null
  /** Requests on each of the last 14 days, oldest first, today last. */
  dailyUse: number[]
  state: KeyState
  warnings: KeyWarning[]
}

/** The key was sent where keys must not be. The request was refused; the key should be rotated. */
export interface KeyWarning {
  seen: (typeof WARNINGS)[number]
  at: string
}

const DAY_MS = 86_400_000
const DAYS_SHOWN = 14
const WARNINGS = ['url', 'browser'] as const satisfies readonly IncidentKind[]

/** Every key of a workspace, newest first. */
export async function listKeyOverviews(tx: Transaction, workspaceId: string, nowMs: number): Promise<KeyOverview[]> {
  const keys = await listKeys(tx, workspaceId)
  const days = Array.from({ length: DAYS_SHOWN }, (_, i) => dayOf(nowMs - (DAYS_SHOWN - 1 - i) * DAY_MS))
  const uses = Map.groupBy(await daysOfUse(tx, workspaceId, days[0] ?? ''), ({ keyId }) => keyId)
  const incidents = Map.groupBy(await lastIncidents(tx, workspaceId, WARNINGS), ({ keyId }) => keyId)
  const successors = new Map(keys.map((key) => [key.replaces, key]))
  return keys
    .map((key) => {
      const { id, label, prefix, permissions, quota, createdBy, createdAt, expiresAt, lastUsedAt } = key
      const counts = new Map(uses.get(id)?.map(({ day, count }) => [day, count]))
      return {
        ...{ id, label, prefix, permissions, quota, createdBy, createdAt, expiresAt, lastUsedAt },
        dailyUse: days.map((day) => counts.get(day) ?? 0),
        state: stateOf(key, successors.get(id), nowMs),
        warnings: warningsOf(incidents.get(id) ?? []),
      }
    })
    .reverse()
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

const warningsOf = (incidents: { kind: IncidentKind; at: string }[]): KeyWarning[] =>
  WARNINGS.flatMap((seen) => incidents.filter(({ kind }) => kind === seen).map(({ at }) => ({ seen, at })))
