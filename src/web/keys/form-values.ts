import type { Quota } from '../../database/store.ts'
import { dayIn, endOfDayIn } from '../../database/timezones.ts'
import { labelFault } from '../../keys/life-cycle.ts'
import { parseQuota } from '../../keys/quota.ts'
import { redactTokens } from '../../lib/redact.ts'

const DAY_MS = 86_400_000
const MAX_LIFETIME_MS = 36_600 * DAY_MS

const expiryChoices = ['30', '90', '365', 'never', 'custom'] as const

/** What the forms that create and edit a key send. The names are those of the fields. */
export interface KeyValues {
  label: string
  /** In days from now, or on a date. */
  expiry: (typeof expiryChoices)[number]
  /** YYYY-MM-DD, read when `expiry` is custom. */
  expiryDate: string
  /** Requests; empty: the default limit. */
  rateLimit: string
  /** Seconds. */
  rateWindow: string
}

export type KeyErrors = Partial<Record<'label' | 'permissions' | 'expiryDate' | 'rateLimit', string>>

/** Of a form that was sent, or of what was kept of one: the fields that it lacks are empty. */
export function valuesIn(form: URLSearchParams): KeyValues {
  const text = (name: keyof KeyValues) => (form.get(name) ?? '').trim()
  return {
    label: text('label'),
    expiry: expiryChoices.find((choice) => choice === form.get('expiry')) ?? 'custom',
    expiryDate: text('expiryDate'),
    rateLimit: text('rateLimit'),
    rateWindow: text('rateWindow'),
  }
}

/** The page shows again what was typed, unless that was a key. */
export const redacted = <Values extends KeyValues>(values: Values): Values => ({
  ...values,
  label: redactTokens(values.label),
  expiryDate: redactTokens(values.expiryDate),
  rateLimit: redactTokens(values.rateLimit),
  rateWindow: redactTokens(values.rateWindow),
})

export function labelError({ label }: KeyValues): string | undefined {
  if (label === '') return 'Give the key a name, such as the script or agent that uses it.'
  const fault = labelFault(label)
  return fault === undefined ? undefined : `The label ${fault}.`
}

/** When the time is given. */
interface Now {
  nowMs: number
  timezone: string
}

/** A date includes its whole day, in the workspace's timezone. Undefined if it does not exist, or is past. */
export function expiryOf(
  { expiry, expiryDate }: Pick<KeyValues, 'expiry' | 'expiryDate'>,
  { nowMs, timezone }: Now,
): string | null | undefined {
  if (expiry === 'never') return null
  const endMs = expiry === 'custom' ? (endOfDayIn(timezone, expiryDate) ?? 0) : nowMs + Number(expiry) * DAY_MS
  return endMs > nowMs && endMs < nowMs + MAX_LIFETIME_MS ? new Date(endMs).toISOString() : undefined
}

/** The day that it is in a timezone, as a date field spells it. */
export const todayIn = ({ nowMs, timezone }: Now): string => dayIn(timezone, nowMs)

/** Null: the default limit. Undefined if it is not one. */
export function quotaOf({ rateLimit, rateWindow }: KeyValues): Quota | null | undefined {
  if (rateLimit === '') return null
  return parseQuota(`${rateLimit};w=${rateWindow}`)
}

export const QUOTA_ERROR = 'Use whole numbers: requests from 1, in 1 to 86400 seconds. Or leave the requests empty.'
