import { trustedTime } from '../audit/trusted-time.ts'
import type { OperatorStore } from '../database/store.ts'
import { DAY_MS } from '../lib/duration.ts'
import { printMessage } from './output.ts'

export const TRUST_CLOCK = [
  '--trust-clock',
  'judge ages by the clock, even if the database has not seen a time near it',
] as const

/** The time by which what is removed is judged. Reports if it is not that of the clock. */
export async function retentionTime(store: Pick<OperatorStore, 'read'>, trustClock = false): Promise<number> {
  const { ms, aheadMs } = await store.read(trustedTime)
  if (aheadMs === 0) return ms
  if (trustClock) return ms + aheadMs
  printMessage(
    `vitrine: warning: the clock is ${Math.floor(aheadMs / DAY_MS)} days ahead of the latest time that the database has seen, ${new Date(ms).toISOString()}; ages are judged by that time. If the clock is right, add --trust-clock`,
  )
  return ms
}
