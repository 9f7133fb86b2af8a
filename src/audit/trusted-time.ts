import type { Transaction } from '../database/store.ts'

/** What a clock writes is taken for its word only after so long: time enough to notice that it is ahead. */
const SETTLED_MS = 7 * 86_400_000
/** Up to here a service without a change and without a request is quiet; beyond, its clock may be ahead. */
const QUIET_MS = 30 * 86_400_000

export interface TrustedTime {
  /** The time by which the age of records is judged. */
  ms: number
  /** How far the clock is ahead of it; 0 if the clock is trusted. */
  aheadMs: number
  /** The latest settled time that the database has seen. */
  seenMs: number
}

/** What ended before this has ended at least so long ago. The latest time seen bounds it: later ends rest on the clock's word alone. */
export const endedBefore = ({ ms, seenMs }: TrustedTime, ageMs: number): number => Math.min(ms - ageMs, seenMs)

/**
 * What is removed because of its age is gone for good, so a clock that is ahead must not remove it. The clock is trusted if the
 * database has seen a time shortly before: an audit entry or a use of a key, neither of today, which a clock that is ahead may have
 * written itself, nor of months ago. Otherwise the latest such time is taken for now.
 */
export async function trustedTime(tx: Transaction): Promise<TrustedTime> {
  const settled = new Date(tx.nowMs - SETTLED_MS).toISOString()
  const [entry] = await tx.all<{ at: string | null }>(
    `SELECT max(last) AS at FROM (
       SELECT (SELECT max(at) FROM audit a WHERE a.workspace_id = h.workspace_id AND a.at < ?) AS last FROM audit_heads h) AS each_chain`,
    settled,
  )
  const [use] = await tx.all<{ day: string | null }>(
    'SELECT max(day) AS day FROM key_use WHERE day < ?',
    settled.slice(0, 10),
  )
  const seen = [entry?.at, use?.day].flatMap((time) => (time ? Date.parse(time) : []))
  // Without any record that is older there is nothing to remove.
  const latest = seen.length === 0 ? tx.nowMs : Math.max(...seen)
  const isTrusted = tx.nowMs - latest <= SETTLED_MS + QUIET_MS
  return { ms: isTrusted ? tx.nowMs : latest, aheadMs: isTrusted ? 0 : tx.nowMs - latest, seenMs: latest }
}
