import type { IncidentKind, Transaction } from '../database/store.ts'
import { daysOfUse, lastIncidents } from '../keys/history.ts'
import { listKeys } from '../keys/records.ts'
import { stateOf } from '../keys/state.ts'
import type { KeyRow, KeyWarning } from './pages/model.ts'

const DAY_MS = 86_400_000
const DAYS_SHOWN = 14
const WARNINGS = ['url', 'browser'] as const satisfies readonly IncidentKind[]

/** Every key of a workspace as the pages show it, newest first. */
export async function readKeyRows(tx: Transaction, workspaceId: string, nowMs: number): Promise<KeyRow[]> {
  const keys = await listKeys(tx, workspaceId)
  const days = Array.from({ length: DAYS_SHOWN }, (_, i) => dayOf(nowMs - (DAYS_SHOWN - 1 - i) * DAY_MS))
  const uses = Map.groupBy(await daysOfUse(tx, workspaceId, days[0] ?? ''), ({ keyId }) => keyId)
  const incidents = Map.groupBy(await lastIncidents(tx, workspaceId, WARNINGS), ({ keyId }) => keyId)
  const successors = new Map(keys.map((key) => [key.replaces, key]))
  return keys
    .map((key) => {
      const counts = new Map(uses.get(key.id)?.map(({ day, count }) => [day, count]))
      return {
        id: key.id,
        label: key.label,
        prefix: key.prefix,
        permissions: key.permissions,
        quota: key.quota,
        madeBy: key.createdBy,
        madeAt: key.createdAt,
        expiresAt: key.expiresAt,
        lastUsedAt: key.lastUsedAt,
        dailyUse: days.map((day) => counts.get(day) ?? 0),
        state: stateOf(key, successors.get(key.id), nowMs),
        warnings: warningsOf(incidents.get(key.id) ?? []),
      }
    })
    .reverse()
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

const warningsOf = (incidents: { kind: IncidentKind; at: string }[]): KeyWarning[] =>
  WARNINGS.flatMap((seen) => incidents.filter(({ kind }) => kind === seen).map(({ at }) => ({ seen, at })))
