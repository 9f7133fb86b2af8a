import { durationMs } from '../lib/duration.ts'
import { UsageError } from './errors.ts'

/** Parses a duration such as 90d, 24h, 30m or 0. */
export function parseDuration(text: string, option: string): number {
  const ms = durationMs(text)
  if (ms === undefined) throw new UsageError(`${option}: must be a duration such as 90d, 24h or 30m`)
  return ms
}
