import type { Transaction } from '../database/store.ts'
import { DAY_MS, MINUTE_MS } from '../lib/duration.ts'
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
  const entry = await latestEntry(tx, settled)
  const sql = 'SELECT max(day) AS day FROM key_use WHERE day < ?'
  const [use] = await tx.all<{ day: string | null }>(sql, settled.slice(0, 10))
  const seen = [entry, use?.day].flatMap((time) => (time ? Date.parse(time) : []))
  // Without older records there is nothing to remove.
  const latest = seen.length === 0 ? tx.nowMs : Math.max(...seen)
  const isTrusted = tx.nowMs - latest <= SETTLED_MS + QUIET_MS
  return { ms: isTrusted ? tx.nowMs : latest, aheadMs: isTrusted ? 0 : tx.nowMs - latest, seenMs: latest }
}

/** More than the clocks of machines that write to one database usually differ. */
const TOLERANCE_MS = 10 * MINUTE_MS

/** How far the clock is behind or ahead of `recordedMs`, a time in the database; both are 0 if it is close. */
export async function clockError(tx: Transaction) {
  const latestMs = (await latestRecorded(tx)) ?? 0
  const behindMs = latestMs - tx.nowMs
  if (behindMs > TOLERANCE_MS) return { behindMs, aheadMs: 0, recordedMs: latestMs }
  const { ms, aheadMs } = await trustedTime(tx)
  return { behindMs: 0, aheadMs, recordedMs: ms }
}

/** Later than now if the clock was set back since, or was ahead then. */
async function latestRecorded(tx: Transaction): Promise<number | undefined> {
  const entry = await latestEntry(tx, '9999-12-31T00:00:00.000Z')
  const [use] = await tx.all<{ at: string | null }>('SELECT max(last_used_at) AS at FROM api_keys')
  const times = [entry, use?.at].flatMap((time) => (time ? Date.parse(time) : []))
  return times.length === 0 ? undefined : Math.max(...times)
}

async function latestEntry(tx: Transaction, before: string): Promise<string | null | undefined> {
  const [entry] = await tx.all<{ at: string | null }>(
    `SELECT max(last) AS at FROM (
       SELECT (SELECT max(at) FROM audit a WHERE a.workspace_id = h.workspace_id AND a.at < ?) AS last FROM audit_heads h) AS each_chain`,
    before,
  )
  return entry?.at
}
