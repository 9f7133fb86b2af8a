import { among } from '../database/statements.ts'
import type { Transaction } from '../database/store.ts'
import { describeCaller } from '../database/usage/caller.ts'
import type { LeakPlace } from '../database/usage/request-recorder.ts'
import type { KeyRecord } from './records.ts'
import type { CountedReason } from './refusals.ts'
import { oldestLogged } from './request-log.ts'

export interface KeyDay {
  /** In the workspace's timezone, such as 2026-11-15; an hour begins at a time, such as 2026-11-15T09:00. */
  day: string
  served: number
  refused: Partial<Record<CountedReason | 'some_reason', number>>
}

/** A row of the daily sums. */
export interface DailySum {
  day: string
  /** Empty for requests that were not refused. */
  refused: CountedReason | ''
  count: number
}

export function toDays(sums: readonly DailySum[], days: readonly string[]): KeyDay[] {
  // After a workspace moves to a timezone further west, counts for days that have not begun there count as today's.
  const today = days.at(-1) ?? ''
  const byDay = Map.groupBy(sums, ({ day }) => (day > today ? today : day))
  return days.map((day) => {
    const counts: Partial<Record<CountedReason | '', number>> = {}
    for (const { refused, count } of byDay.get(day) ?? []) counts[refused] = (counts[refused] ?? 0) + Number(count)
    const { '': served = 0, ...refused } = counts
    return { day, served, refused }
  })
}

/** By the key's id, in the order of the given days. */
export async function readDays(tx: Transaction, keyIds: readonly string[], days: readonly string[]) {
  const sums = await tx.all<DailySum & { keyId: string }>(
    `SELECT key_id AS "keyId", day, refused, count FROM key_use WHERE key_id ${among(keyIds)} AND day >= ?`,
    ...[...keyIds, days[0] ?? ''],
  )
  const ofKey = Map.groupBy(sums, ({ keyId }) => keyId)
  return new Map(keyIds.map((id) => [id, toDays(ofKey.get(id) ?? [], days)]))
}

export const refusedOn = ({ refused }: KeyDay): number => Object.values(refused).reduce((sum, count) => sum + count, 0)

/** Requests that were not refused. Omits keys without any. */
export async function useCounts(tx: Transaction, keyIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await tx.all<{ id: string; uses: number }>(
    `SELECT key_id AS id, sum(count) AS uses FROM key_use WHERE key_id ${among(keyIds)} AND refused = '' GROUP BY key_id`,
    ...keyIds,
  )
  return new Map(rows.map(({ id, uses }) => [id, Number(uses)]))
}

const MAX_CALLERS = 20

export interface KeyCaller {
  address: string | null
  agent: string | null
  /** The logged requests. */
  count: number
  firstAt: string
  lastAt: string
}

/** In the request log, newest first. Refused requests are left out: anyone may have sent them. */
export async function callersOf(tx: Transaction, keyId: string): Promise<KeyCaller[]> {
  const rows = await tx.all<KeyCaller>(
    `SELECT address, agent, count(*) AS count, min(at) AS "firstAt", max(at) AS "lastAt" FROM request_log
     WHERE key_id = ? AND at >= ? AND refused IS NULL
     GROUP BY address, agent ORDER BY max(at) DESC, address, agent LIMIT ${MAX_CALLERS}`,
    ...[keyId, oldestLogged(tx.nowMs)],
  )
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

interface Sighting {
  at: string
  from: string | null
}

/** Who sent the key's last logged request that was refused for this reason, or for none. */
export async function lastCaller(tx: Transaction, keyId: string, reason: string | null): Promise<string | null> {
  const [row] = await tx.all<{ address: string | null; agent: string | null }>(
    `SELECT address, agent FROM request_log WHERE key_id = ? AND at >= ? AND coalesce(refused, '') = ? ORDER BY at DESC LIMIT 1`,
    ...[keyId, oldestLogged(tx.nowMs), reason ?? ''],
  )
  return row === undefined ? null : describeCaller({ address: row.address ?? undefined, agent: row.agent ?? undefined })
}

export type KeyOutcome =
  | ({ kind: 'served' } & Sighting)
  | ({ kind: 'refused'; why: CountedReason | LeakPlace } & Sighting)

/** A leak, whatever came after it; else the latest request that was served; else the latest refusal. */
export async function findFirstOutcome(
  tx: Transaction,
  { id, lastUsedAt, lastRefusal, leak }: KeyRecord,
): Promise<KeyOutcome | undefined> {
  if (leak !== null) return { kind: 'refused', why: leak.seen, at: leak.at, from: await lastCaller(tx, id, leak.seen) }
  if (lastUsedAt !== null) return { kind: 'served', at: lastUsedAt, from: await lastCaller(tx, id, null) }
  return lastRefusal === null
    ? undefined
    : { kind: 'refused', ...lastRefusal, from: await lastCaller(tx, id, lastRefusal.why) }
}
