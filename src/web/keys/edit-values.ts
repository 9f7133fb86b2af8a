import type { Quota } from '../../database/store.ts'
import { labelFault } from '../../keys/life-cycle.ts'
import type { KeyRecord } from '../../keys/records.ts'
import { redactTokens } from '../../lib/redact.ts'
import { expiryOf, quotaOf, todayIn } from './fields.ts'

/** As the browser sends them, under these names. */
export interface EditValues {
  label: string
  expiry: 'never' | 'custom'
  /** YYYY-MM-DD, of the workspace's timezone; read when `expiry` is custom. */
  expiryDate: string
  /** Empty: the default limit. */
  rateLimit: string
  rateWindow: string
}
export type EditField = 'label' | 'expiryDate' | 'rateLimit'

/** What the form was opened with; it comes back with the form, so that a change that somebody else made meanwhile is noticed. */
export type Editable = Pick<KeyRecord, 'label' | 'quota' | 'expiresAt'>

export type KeyChanges = Partial<Editable>

export interface EditContext {
  timezone: string
  nowMs: number
  defaultQuota: Quota
}

export const valuesOf = (
  { label, quota, expiresAt }: Editable,
  { timezone, defaultQuota }: EditContext,
): EditValues => ({
  label,
  expiry: expiresAt === null ? 'never' : 'custom',
  expiryDate: expiresAt === null ? '' : todayIn({ nowMs: Date.parse(expiresAt) - 1, timezone }),
  rateLimit: quota === null ? '' : String(quota.limit),
  rateWindow: String((quota ?? defaultQuota).windowSeconds),
})

export function valuesIn(form: URLSearchParams): EditValues {
  const text = (name: string) => form.get(name) ?? ''
  return {
    label: text('label').trim(),
    expiry: text('expiry') === 'never' ? 'never' : 'custom',
    expiryDate: text('expiryDate').trim(),
    rateLimit: text('rateLimit').trim(),
    rateWindow: text('rateWindow').trim(),
  }
}

const isSameLabel = (a: EditValues, b: EditValues) => a.label === b.label
const isSameExpiry = (a: EditValues, b: EditValues) =>
  a.expiry === b.expiry && (a.expiry === 'never' || a.expiryDate === b.expiryDate)
const isSameLimit = (a: EditValues, b: EditValues) =>
  a.rateLimit === b.rateLimit && (a.rateLimit === '' || a.rateWindow === b.rateWindow)

/**
 * What a person changed of what they were shown, and what is wrong with it. What they left alone stays as it is: a key that
 * ends at noon is not moved to the end of that day.
 */
export function changesIn(
  values: EditValues,
  opened: EditValues,
  clock: EditContext,
): { changes: KeyChanges; errors: Partial<Record<EditField, string>> } {
  const changes: KeyChanges = {}
  const errors: Partial<Record<EditField, string>> = {}
  if (!isSameLabel(values, opened)) {
    const fault = labelFault(values.label)
    if (values.label === '') errors.label = 'Give the key a name, such as the script or agent that uses it.'
    else if (fault !== undefined) errors.label = `The label ${fault}.`
    else changes.label = values.label
  }
  if (!isSameExpiry(values, opened)) {
    const expiresAt = expiryOf(values, clock)
    if (expiresAt === undefined) errors.expiryDate = 'Choose today or a later date. To end the key now, revoke it.'
    else changes.expiresAt = expiresAt
  }
  if (!isSameLimit(values, opened)) {
    const quota = quotaOf(values)
    if (quota === undefined)
      errors.rateLimit = 'Use whole numbers: requests from 1, in 1 to 86400 seconds. Or leave the requests empty.'
    else changes.quota = quota
  }
  return { changes, errors }
}

/** The form of somebody whose key was changed meanwhile: what they changed themselves, and the new state of the rest. */
export const merged = (values: EditValues, opened: EditValues, current: EditValues): EditValues => ({
  ...current,
  ...(!isSameLabel(values, opened) && { label: values.label }),
  ...(!isSameExpiry(values, opened) && { expiry: values.expiry, expiryDate: values.expiryDate }),
  ...(!isSameLimit(values, opened) && { rateLimit: values.rateLimit, rateWindow: values.rateWindow }),
})

/** The page shows again what was typed, unless that was a key. */
export const redacted = (values: EditValues): EditValues => ({
  ...values,
  label: redactTokens(values.label),
  expiryDate: redactTokens(values.expiryDate),
  rateLimit: redactTokens(values.rateLimit),
  rateWindow: redactTokens(values.rateWindow),
})
