import type { Transaction } from '../database/store.ts'
import { DAY_MS } from '../lib/duration.ts'
import { isoOf } from '../lib/instant.ts'

/** Times are trusted only once they are this old, which leaves time to notice that a clock is ahead. */
const SETTLED_MS = 7 * DAY_MS
/** A service may be idle for this long. After a longer gap, its clock may be ahead. */
const QUIET_MS = 30 * DAY_MS

export interface TrustedTime {
  /** The time from which the age of records is computed. */
  ms: number
  /** How far the clock is ahead of `ms`, or 0 if it is trusted. */
  aheadMs: number
  /** The latest settled time recorded in the database. */
  seenMs: number
}

/** Never later than the latest recorded time: beyond it, only the clock suggests that later entries have expired. */
export const endedBefore = ({ ms, seenMs }: TrustedTime, ageMs: number): number => Math.min(ms - ageMs, seenMs)

/** Keeps a fast clock from removing records: trusts it only if there is a fairly recent record, older than a week. */
export async function trustedTime(tx: Transaction): Promise<TrustedTime> {
  const settled = isoOf(tx.nowMs - SETTLED_MS)
  const [entry] = await tx.all<{ at: string | null }>(
    `SELECT max(last) AS at FROM (
       SELECT (SELECT max(at) FROM audit a WHERE a.workspace_id = h.workspace_id AND a.at < ?) AS last FROM audit_heads h) AS each_chain`,
    settled,
  )
  const sql = 'SELECT max(day) AS day FROM key_use WHERE day < ?'
  const [use] = await tx.all<{ day: string | null }>(sql, settled.slice(0, 10))
  const seen = [entry?.at, use?.day].flatMap((time) => (time ? Date.parse(time) : []))
  // Without older records there is nothing to remove.
  const latest = seen.length === 0 ? tx.nowMs : Math.max(...seen)
  const isTrusted = tx.nowMs - latest <= SETTLED_MS + QUIET_MS
  return { ms: isTrusted ? tx.nowMs : latest, aheadMs: isTrusted ? 0 : tx.nowMs - latest, seenMs: latest }
}
