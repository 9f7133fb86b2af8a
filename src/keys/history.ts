import { among } from '../database/statements.ts'
import type { Transaction } from '../database/store.ts'
import type { IncidentKind } from '../database/usage/recorded.ts'

/** The key was sent somewhere it must not be. That request was refused, and the key should be rotated. */
export interface KeyWarning {
  seen: Extract<IncidentKind, 'url' | 'browser'>
  at: string
}

interface CountOfDay {
  keyId: string
  day: string
  count: number
}

type DayOfUse = CountOfDay & UseCount
type DayOfIncidents = CountOfDay & { kind: IncidentKind }

export interface KeyDay {
  /** A day in the workspace's timezone, such as 2026-11-15. */
  day: string
  served: number
  /** `any` if the reasons were not counted. */
  refused: Partial<Record<IncidentKind | 'any', number>>
}

/** By the key's id, in the order of the given days. */
export async function readDays(tx: Transaction, keyIds: readonly string[], days: readonly string[]) {
  const from = (table: string, columns: string) =>
    `SELECT key_id AS "keyId", day, ${columns} FROM ${table} WHERE key_id ${among(keyIds)} AND day >= ?`
  const params = [...keyIds, days[0] ?? '']
  // After a workspace moves to a timezone further west, counts for days that have not begun there count as today's.
  const today = days.at(-1) ?? ''
  const place = ({ keyId, day }: { keyId: string; day: string }) => `${keyId} ${day > today ? today : day}`
  const uses = Map.groupBy(await tx.all<DayOfUse>(from('key_use', 'count, refused'), ...params), place)
  const incidents = Map.groupBy(await tx.all<DayOfIncidents>(from('key_incidents', 'kind, count'), ...params), place)
  const dayOfKey = (keyId: string) => (day: string) =>
    dayOf(day, uses.get(`${keyId} ${day}`) ?? [], incidents.get(`${keyId} ${day}`) ?? [])
  return new Map(keyIds.map((id) => [id, days.map(dayOfKey(id))]))
}

export interface UseCount {
  /** Includes the refused requests. */
  count: number
  refused: number
}

export function sumOfUses(uses: readonly UseCount[]): UseCount {
  const total = { count: 0, refused: 0 }
  for (const { count, refused } of uses) {
    total.count += count
    total.refused += refused
  }
  return total
}

/** Warnings are not refusals, except for browsers that call MCP: those are refused, and already counted as uses. */
function dayOf(day: string, uses: readonly DayOfUse[], incidents: readonly DayOfIncidents[]): KeyDay {
  const { count, refused } = sumOfUses(uses)
  const counts: Partial<Record<IncidentKind, number>> = {}
  for (const each of incidents) counts[each.kind] = (counts[each.kind] ?? 0) + each.count
  const { url: _, browser: inBrowser = 0, ...refusals } = counts
  const otherwise = refused - (refusals.over_quota ?? 0) - (refusals.forbidden ?? 0)
  const browser = Math.min(inBrowser, otherwise)
  return { day, served: count - refused, refused: { ...refusals, ...(browser > 0 && { browser }) } }
}

/** The most informative come first. */
export const refusalText = {
  over_quota: 'over its limit',
  forbidden: 'not permitted',
  network: 'from another network',
  unknown: 'with a damaged key',
  browser: 'sent by a browser',
  reused: 'with a token that was used before',
  paused: 'while paused',
  expired: 'after its expiry',
  revoked: 'after it was revoked',
} as const

export const refusedOn = ({ refused }: KeyDay): number => Object.values(refused).reduce((sum, count) => sum + count, 0)

/** The last of each kind, and the latest of them last. */
export const lastWarnings = (tx: Transaction, keyIds: readonly string[]): Promise<({ keyId: string } & KeyWarning)[]> =>
  tx.all(
    `SELECT key_id AS "keyId", kind AS seen, max(last_at) AS at FROM key_incidents
     WHERE key_id ${among(keyIds)} AND kind IN ('url', 'browser') GROUP BY key_id, kind ORDER BY at, kind DESC`,
    ...keyIds,
  )

/** Omits keys that were never used. */
export async function useCounts(tx: Transaction, keyIds: readonly string[]): Promise<Map<string, number>> {
  const sql = `SELECT key_id AS id, sum(count) AS uses FROM key_use WHERE key_id ${among(keyIds)} GROUP BY key_id`
  const rows = await tx.all<{ id: string; uses: number }>(sql, ...keyIds)
  return new Map(rows.map(({ id, uses }) => [id, Number(uses)]))
}

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
  | { kind: 'served'; at: string; from: string | null }
  | { kind: 'refused'; why: IncidentKind; at: string; from: string | null }

/** A leak, whatever came after it; else the first successful request; else the latest refusal, which shows the current problem. */
export async function findFirstOutcome(tx: Transaction, keyId: string): Promise<KeyOutcome | undefined> {
  const latest = (kinds: string) =>
    tx.all<{ why: IncidentKind; at: string; from: string | null }>(
      `SELECT kind AS why, last_at AS at, client AS "from" FROM key_incidents
       WHERE key_id = ? AND kind ${kinds} ORDER BY last_at DESC, kind LIMIT 1`,
      keyId,
    )
  const [leak] = await latest("IN ('url', 'browser')")
  if (leak !== undefined) return { kind: 'refused', ...leak }
  // Older rows have no first use, and a day's first request may have been refused. The last use is always known.
  const [served] = await tx.all<{ at: string; from: string | null }>(
    `SELECT CASE WHEN refused = 0 AND first_at IS NOT NULL THEN first_at ELSE last_at END AS at,
            CASE WHEN refused = 0 AND first_at IS NOT NULL THEN first_client ELSE last_client END AS "from"
     FROM key_use WHERE key_id = ? AND count > refused ORDER BY day LIMIT 1`,
    keyId,
  )
  if (served !== undefined) return { kind: 'served', ...served }
  const [refused] = await latest("NOT IN ('url', 'browser')")
  return refused && { kind: 'refused', ...refused }
}
