import type { IncidentKind, SqlValue, Transaction } from '../database/store.ts'
import { givenKeys } from './records.ts'

export interface DayOfUse {
  keyId: string
  /** Of the workspace's timezone. */
  day: string
  count: number
  /** How many of them were refused. */
  refused: number
}

/** Where keys must not be sent. */
export const warningKinds = ['url', 'browser'] as const satisfies readonly IncidentKind[]
export type WarningKind = (typeof warningKinds)[number]

/** The last time that something of a kind happened to a key. */
interface LastIncident {
  keyId: string
  kind: IncidentKind
  at: string
}

/** Of the given keys, on these days: the oldest first, today last. There may be several rows of today. */
export const daysOfUse = async (tx: Transaction, keys: KeySelection, days: readonly string[]): Promise<DayOfUse[]> =>
  untilToday(
    await tx.all(
      `SELECT u.key_id AS "keyId", u.day, u.count, u.refused FROM api_keys k JOIN key_use u ON u.key_id = k.id
       WHERE ${givenKeys(keys.ids)} AND u.day >= ?`,
      ...[...parametersOf(keys), days[0] ?? ''],
    ),
    days,
  )

/** What was counted on a day that has not begun yet, before the workspace was moved to a timezone further west, was counted today. */
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

/** Some keys of a workspace; at least one. */
interface KeySelection {
  workspaceId: string
  ids: readonly string[]
}

const parametersOf = ({ workspaceId, ids }: KeySelection): SqlValue[] => [...ids, workspaceId]

/** How often each of them was used, over all of its life. */
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

/** The same of its incidents. */
export const daysOfIncidents = async (
  tx: Transaction,
  keyId: string,
  days: readonly string[],
): Promise<DayOfIncidents[]> =>
  untilToday(
    await tx.all('SELECT day, kind, count FROM key_incidents WHERE key_id = ? AND day >= ?', keyId, days[0] ?? ''),
    days,
  )

export interface KeyCaller {
  /** Null where it is not known. */
  address: string | null
  agent: string | null
  count: number
  firstAt: string
  lastAt: string
}

/** The last seen first. */
export const callersOf = (tx: Transaction, keyId: string): Promise<KeyCaller[]> =>
  tx.all(
    `SELECT nullif(address, '') AS address, nullif(agent, '') AS agent, count, first_at AS "firstAt", last_at AS "lastAt"
     FROM key_callers WHERE key_id = ? ORDER BY last_at DESC, address, agent`,
    keyId,
  )

/** What came of the requests with a key. */
export type KeyOutcome =
  | { kind: 'answered'; at: string; from: string | null }
  | { kind: 'refused'; why: IncidentKind; at: string; from: string | null }

/** The first response if there was one; until then the last refusal, which says what is wrong now. */
export async function findFirstOutcome(tx: Transaction, keyId: string): Promise<KeyOutcome | undefined> {
  // Rows from before first uses were kept have none, and the first of a day may have been refused: the last one is known.
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
