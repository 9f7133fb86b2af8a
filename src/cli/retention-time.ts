import { type TrustedTime, trustedTime } from '../audit/trusted-time.ts'
import type { OperatorStore } from '../database/store.ts'
import { DAY_MS } from '../lib/duration.ts'
import { printMessage } from './output.ts'

export const TRUST_CLOCK = [
  '--trust-clock',
  'judge ages by the clock, even if the database has not seen a time near it',
] as const

/** The time by which what is removed is judged. Warns if it is not that of the clock. */
export async function retentionTime(store: Pick<OperatorStore, 'read'>, trustClock = false): Promise<TrustedTime> {
  const time = await store.read(trustedTime)
  const clockMs = time.ms + time.aheadMs
  if (trustClock) return { ms: clockMs, aheadMs: 0, seenMs: clockMs }
  if (time.aheadMs > 0)
    printMessage(
      `vitrine: warning: the clock is ${Math.floor(time.aheadMs / DAY_MS)} days ahead of the latest time that the database has seen, ${new Date(time.ms).toISOString()}; ages are judged by that time. If the clock is right, add --trust-clock`,
    )
  return time
}
