import type { Quota } from '../../database/store.ts'
import type { KeyRecord } from '../../keys/records.ts'
import { expiryOf, type KeyErrors, type KeyValues, labelError, QUOTA_ERROR, quotaOf, todayIn } from './form-values.ts'

/** What the form was opened with; it comes back with the form, so that a change that somebody else made meanwhile is noticed. */
export type Editable = Pick<KeyRecord, 'label' | 'quota' | 'expiresAt'>

export interface EditContext {
  timezone: string
  nowMs: number
  defaultQuota: Quota
}

export const valuesOf = (
  { label, quota, expiresAt }: Editable,
  { timezone, defaultQuota }: EditContext,
): KeyValues => ({
  label,
  expiry: expiresAt === null ? 'never' : 'custom',
  expiryDate: expiresAt === null ? '' : todayIn({ nowMs: Date.parse(expiresAt) - 1, timezone }),
  rateLimit: quota === null ? '' : String(quota.limit),
  rateWindow: String((quota ?? defaultQuota).windowSeconds),
})

const isSameLabel = (a: KeyValues, b: KeyValues) => a.label === b.label
const isSameExpiry = (a: KeyValues, b: KeyValues) =>
  a.expiry === b.expiry && (a.expiry === 'never' || a.expiryDate === b.expiryDate)
const isSameLimit = (a: KeyValues, b: KeyValues) =>
  a.rateLimit === b.rateLimit && (a.rateLimit === '' || a.rateWindow === b.rateWindow)

/**
 * What a person changed of what they were shown, and what is wrong with it. What they left alone stays as it is: a key that
 * ends at noon is not moved to the end of that day.
 */
export function changesIn(
  values: KeyValues,
  opened: KeyValues,
  clock: EditContext,
): { changes: Partial<Editable>; errors: KeyErrors } {
  const changes: Partial<Editable> = {}
  const errors: KeyErrors = {}
  if (!isSameLabel(values, opened)) {
    const fault = labelError(values)
    if (fault !== undefined) errors.label = fault
    else changes.label = values.label
  }
  if (!isSameExpiry(values, opened)) {
    const expiresAt = expiryOf(values, clock)
    if (expiresAt === undefined) errors.expiryDate = 'Choose today or a later date. To end the key now, revoke it.'
    else changes.expiresAt = expiresAt
  }
  if (!isSameLimit(values, opened)) {
    const quota = quotaOf(values)
    if (quota === undefined) errors.rateLimit = QUOTA_ERROR
    else changes.quota = quota
  }
  return { changes, errors }
}

/** The form of somebody whose key was changed meanwhile: what they changed themselves, and the new state of the rest. */
export const merged = (values: KeyValues, opened: KeyValues, current: KeyValues): KeyValues => ({
  ...current,
  ...(!isSameLabel(values, opened) && { label: values.label }),
  ...(!isSameExpiry(values, opened) && { expiry: values.expiry, expiryDate: values.expiryDate }),
  ...(!isSameLimit(values, opened) && { rateLimit: values.rateLimit, rateWindow: values.rateWindow }),
})
