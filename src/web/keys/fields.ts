import type { Quota } from '../../database/store.ts'
import { parseQuota } from '../../keys/quota.ts'
import { toInstant } from '../../lib/instant.ts'
import { redactTokens } from '../../lib/redact.ts'
import { Zone } from '../../lib/zone.ts'
import { type CreateKeyValues, expiryChoices } from './create-page.ts'

const DAY_MS = 86_400_000
const MAX_LIFETIME_MS = 36_600 * DAY_MS

/** What a form sent, or what was kept of one: the fields that it lacks are empty. */
export function valuesOf(form: URLSearchParams): CreateKeyValues {
  const text = (name: string) => form.get(name) ?? ''
  return {
    label: text('label'),
    permissions: form.getAll('permissions'),
    expiry: expiryChoices.find((choice) => choice === form.get('expiry')) ?? 'custom',
    expiryDate: text('expiryDate'),
    rateLimit: text('rateLimit').trim(),
    rateWindow: text('rateWindow').trim(),
  }
}

/** The page shows again what was typed, unless that was a key. */
export const redacted = (values: CreateKeyValues): CreateKeyValues => ({
  ...values,
  label: redactTokens(values.label),
  expiryDate: redactTokens(values.expiryDate),
  rateLimit: redactTokens(values.rateLimit),
  rateWindow: redactTokens(values.rateWindow),
})

/** When the time is given. */
interface Now {
  nowMs: number
  timezone: string
}

/** A date includes its whole day, in the workspace's timezone. Undefined if it does not exist, or is past. */
export function expiryOf(
  { expiry, expiryDate }: Pick<CreateKeyValues, 'expiry' | 'expiryDate'>,
  { nowMs, timezone }: Now,
): string | null | undefined {
  if (expiry === 'never') return null
  const endMs = expiry === 'custom' ? startOfNextDay(expiryDate, timezone) : nowMs + Number(expiry) * DAY_MS
  return endMs > nowMs && endMs < nowMs + MAX_LIFETIME_MS ? new Date(endMs).toISOString() : undefined
}

/** NaN if there is no such day; Date.parse would take 31 February for a day in March. */
function startOfNextDay(date: string, timezone: string): number {
  const midnightMs = Date.parse(toInstant(`${date}T00:00:00Z`) ?? '')
  return Number.isNaN(midnightMs) ? midnightMs : new Zone(timezone).startOfDay(midnightMs + DAY_MS)
}

/** The day that it is in a timezone, as a date field spells it. */
export const todayIn = ({ nowMs, timezone }: Now): string =>
  new Date(new Zone(timezone).wallTime(nowMs)).toISOString().slice(0, 10)

/** Null: the default limit. Undefined if it is not one. */
export function quotaOf({
  rateLimit,
  rateWindow,
}: Pick<CreateKeyValues, 'rateLimit' | 'rateWindow'>): Quota | null | undefined {
  if (rateLimit === '') return null
  return parseQuota(`${rateLimit};w=${rateWindow}`)
}
