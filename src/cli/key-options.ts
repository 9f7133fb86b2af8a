import type { Quota, Transaction } from '../database/store.ts'
import { endOfDayIn } from '../database/timezones.ts'
import { labelFault } from '../keys/life-cycle.ts'
import { parseQuota, QUOTA_FORM } from '../keys/quota.ts'
import { findKey, type KeyRecord, type KeyUse } from '../keys/records.ts'
import { toInstant } from '../lib/instant.ts'
import { UserError } from '../lib/user-error.ts'
import { parseDuration } from './duration.ts'
import { UsageError } from './errors.ts'

export function checkedLabel(label: string): string {
  const trimmed = label.trim()
  const fault = labelFault(trimmed)
  if (fault !== undefined) throw new UsageError(`--label: ${fault}`)
  return trimmed
}

export function checkedQuota(text: string): Quota {
  const quota = parseQuota(text)
  if (quota === undefined) throw new UsageError(`--rate-limit: ${QUOTA_FORM}`)
  return quota
}

/** The end of a key, once the timezone is known that a date without a time is of. */
type Expiry = (timezone: string | null) => string

/** Parses a duration from now, a date and time, or a date, which is the last day on which the key works. */
export function parseExpiry(text: string): Expiry {
  const option = '--expires'
  const inFuture = (ms: number) => {
    if (ms <= Date.now()) throw new UsageError(`${option}: must be in the future`)
    return new Date(ms).toISOString()
  }
  const instant = toInstant(text)
  if (instant === undefined && endOfDayIn(null, text) !== undefined)
    return (timezone) => inFuture(endOfDayIn(timezone, text) ?? 0)
  const end = inFuture(instant === undefined ? Date.now() + parseDuration(text, option) : Date.parse(instant))
  return () => end
}

/** Of a key of any workspace. */
export async function keyOrThrow(tx: Transaction, id: string): Promise<KeyRecord & KeyUse> {
  const key = await findKey(tx, id)
  if (key === undefined) throw new UserError(`no key has the id ${id}; 'vitrine key list' shows the ids`)
  return key
}
