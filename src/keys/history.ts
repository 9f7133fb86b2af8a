import type { IncidentKind, SqlValue, Transaction } from '../database/store.ts'
import { givenKeys } from './records.ts'

export interface DayOfUse {
  keyId: string
  /** In the workspace's timezone. */
  day: string
  count: number
  refused: number
}

/** Incidents in which a key was sent somewhere it must not be. */
export const warningKinds = ['url', 'browser'] as const satisfies readonly IncidentKind[]
export type WarningKind = (typeof warningKinds)[number]

interface LastIncident {
  keyId: string
  kind: IncidentKind
  at: string
}

/** Oldest first. Today may have several rows. */
export const daysOfUse = async (tx: Transaction, keys: KeySelection, days: readonly string[]): Promise<DayOfUse[]> =>
  untilToday(
    await tx.all(
      `SELECT u.key_id AS "keyId", u.day, u.count, u.refused FROM api_keys k JOIN key_use u ON u.key_id = k.id
       WHERE ${givenKeys(keys.ids)} AND u.day >= ?`,
      ...[...parametersOf(keys), days[0] ?? ''],
    ),
    days,
  )

/** After a workspace moves to a timezone further west, its counts for days yet to begin there count as today's. */
const untilToday = <Row extends { day: string }>(rows: Row[], days: readonly string[]): Row[] => {
  const today = days.at(-1) ?? ''
  return rows.map((row) => (row.day > today ? { ...row, day: today } : row))
}

export const lastIncidents = (
  tx: Transaction,
  keys: KeySelection,
  kinds: readonly IncidentKind[],
): Promise<LastIncident[]> =>
  tx.all(
    `SELECT i.key_id AS "keyId", i.kind, max(i.last_at) AS at FROM api_keys k JOIN key_incidents i ON i.key_id = k.id
     WHERE ${givenKeys(keys.ids)} AND i.kind IN (${kinds.map(() => '?').join(', ')})
     GROUP BY i.key_id, i.kind`,
    ...[...parametersOf(keys), ...kinds],
  )

/** At least one key of a workspace. */
interface KeySelection {
  workspaceId: string
  ids: readonly string[]
}

const parametersOf = ({ workspaceId, ids }: KeySelection): SqlValue[] => [...ids, workspaceId]

export async function useCounts(tx: Transaction, keys: KeySelection): Promise<Map<string, number>> {
  const rows = await tx.all<{ id: string; uses: number }>(
    `SELECT k.id, coalesce(sum(u.count), 0) AS uses FROM api_keys k LEFT JOIN key_use u ON u.key_id = k.id
     WHERE ${givenKeys(keys.ids)} GROUP BY k.id`,
    ...parametersOf(keys),
  )
  return new Map(rows.map(({ id, uses }) => [id, Number(uses)]))
}

export interface DayOfIncidents {
  day: string
  kind: IncidentKind
  count: number
}

export const daysOfIncidents = async (
  tx: Transaction,
  keyId: string,
  days: readonly string[],
): Promise<DayOfIncidents[]> =>
  untilToday(
    await tx.all('SELECT day, kind, count FROM key_incidents WHERE key_id = ? AND day >= ?', keyId, days[0] ?? ''),
    days,
  )

/** Null if no request came from outside the key's networks. */
export async function findLastOutside(tx: Transaction, keyId: string, days: readonly string[]) {
  const [last] = await tx.all<{ at: string; from: string | null }>(
    `SELECT last_at AS at, client AS "from" FROM key_incidents
     WHERE key_id = ? AND kind = 'network' AND day >= ? ORDER BY last_at DESC LIMIT 1`,
    ...[keyId, days[0] ?? ''],
  )
  return last ?? null
}

export interface KeyCaller {
  address: string | null
  agent: string | null
  count: number
  firstAt: string
  lastAt: string
}

/** Newest first. */
export const callersOf = (tx: Transaction, keyId: string): Promise<KeyCaller[]> =>
  tx.all(
    `SELECT nullif(address, '') AS address, nullif(agent, '') AS agent, count, first_at AS "firstAt", last_at AS "lastAt"
     FROM key_callers WHERE key_id = ? ORDER BY last_at DESC, address, agent`,
    keyId,
  )

export type KeyOutcome =
  | { kind: 'answered'; at: string; from: string | null }
  | { kind: 'refused'; why: IncidentKind; at: string; from: string | null }

/** The first successful request, or else the latest refusal, which shows the current problem. */
export async function findFirstOutcome(tx: Transaction, keyId: string): Promise<KeyOutcome | undefined> {
  // Older rows have no first use, and a day's first request may have been refused. The last use is always known.
  const [answered] = await tx.all<{ at: string; from: string | null }>(
    `SELECT CASE WHEN refused = 0 AND first_at IS NOT NULL THEN first_at ELSE last_at END AS at,
            CASE WHEN refused = 0 AND first_at IS NOT NULL THEN first_client ELSE last_client END AS "from"
     FROM key_use WHERE key_id = ? AND count > refused ORDER BY day LIMIT 1`,
    keyId,
  )
  if (answered !== undefined) return { kind: 'answered', ...answered }
  const [refused] = await tx.all<{ why: IncidentKind; at: string; from: string | null }>(
    `SELECT kind AS why, last_at AS at, client AS "from" FROM key_incidents
     WHERE key_id = ? AND kind <> 'url' ORDER BY last_at DESC, kind LIMIT 1`,
    keyId,
  )
  return refused && { kind: 'refused', ...refused }
}
