import type { Quota } from '../database/store.ts'
import { labelFault, type NewKey } from '../keys/life-cycle.ts'
import { parseQuota } from '../keys/quota.ts'
import { toInstant } from '../lib/instant.ts'
import { redactTokens } from '../lib/redact.ts'
import type { Resource } from '../resources/define.ts'
import { permissionsOf } from '../resources/index.ts'
import { expiryChoices, type MakeModel, type MakeValues } from './pages/model.ts'

const DAY_MS = 86_400_000
const FURTHEST_MS = 36_600 * DAY_MS

interface Reading {
  values: MakeValues
  errors: MakeModel['errors']
  /** Undefined if there is an error. */
  wanted: NewKey | undefined
}

/** What a person typed, what is wrong with it, and if nothing is, the key they want. */
export function readMakeForm(form: URLSearchParams, resources: readonly Resource[], nowMs: number): Reading {
  const values = valuesOf(form)
  const errors: MakeModel['errors'] = {}
  const label = values.label.trim()
  const fault = labelFault(label)
  if (label === '') errors.label = 'Give the key a name, such as the script or agent that will use it.'
  else if (fault !== undefined) errors.label = `The label ${fault}.`
  const permissions = permissionsOf(resources).filter((permission) => values.permissions.includes(permission))
  if (permissions.length === 0) errors.permissions = 'Tick at least one: a key that may read nothing is of no use.'
  const expiresAt = expiryOf(values, nowMs)
  if (expiresAt === undefined) errors.expiryDate = 'Choose a day that is still to come.'
  const quota = quotaOf(values)
  if (quota === undefined)
    errors.rateLimit = 'Use whole numbers: requests from 1, in 1 to 86400 seconds. Or leave the requests empty.'
  if (Object.keys(errors).length > 0 || expiresAt === undefined || quota === undefined)
    return { values: shownAgain(values), errors, wanted: undefined }
  return { values, errors, wanted: { label, permissions, quota, expiresAt } }
}

function valuesOf(form: URLSearchParams): MakeValues {
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

/** A page shows again what was typed, unless that was a key. */
const shownAgain = (values: MakeValues): MakeValues => ({
  ...values,
  label: redactTokens(values.label),
  expiryDate: redactTokens(values.expiryDate),
  rateLimit: redactTokens(values.rateLimit),
  rateWindow: redactTokens(values.rateWindow),
})

/** A day is meant to its end, in UTC. Undefined if it is none, or past. */
function expiryOf({ expiry, expiryDate }: MakeValues, nowMs: number): string | null | undefined {
  if (expiry === 'never') return null
  const endMs = expiry === 'custom' ? endOfDay(expiryDate) : nowMs + Number(expiry) * DAY_MS
  return endMs > nowMs && endMs < nowMs + FURTHEST_MS ? new Date(endMs).toISOString() : undefined
}

/** NaN if there is no such day; Date.parse would take 31 February for a day in March. */
const endOfDay = (date: string) => Date.parse(toInstant(`${date}T00:00:00Z`) ?? '') + DAY_MS

function quotaOf({ rateLimit, rateWindow }: MakeValues): Quota | null | undefined {
  if (rateLimit === '') return null
  return parseQuota(`${rateLimit};w=${rateWindow}`)
}
