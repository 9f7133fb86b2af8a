import type { Quota } from '../../database/store.ts'
import { labelFault, type NewKey } from '../../keys/life-cycle.ts'
import { parseQuota } from '../../keys/quota.ts'
import { toInstant } from '../../lib/instant.ts'
import { redactTokens } from '../../lib/redact.ts'
import { createSecret } from '../../lib/secret.ts'
import type { Answer } from '../../operation.ts'
import { permissionsOf } from '../../resources/define.ts'
import { htmlAnswer } from '../answers.ts'
import { requireManager, type WorkspaceContext } from '../context.ts'
import { readForm } from '../form.ts'
import { idempotencyTokenOf } from '../once.ts'
import { draftOf } from '../sign-in/return.ts'
import { createOnce } from './change.ts'
import { type CreateKeyModel, type CreateKeyValues, createKeyPage, expiryChoices } from './create-page.ts'
import { alreadyShownAnswer, createdKeyAnswer } from './created.ts'

const DAY_MS = 86_400_000
const MAX_LIFETIME_MS = 36_600 * DAY_MS

export async function showCreateKeyForm(context: WorkspaceContext): Promise<Answer> {
  requireManager(context.workspace)
  const permissions = permissionsOf(context.resources)
  const empty = { label: '', permissions, expiry: '90', expiryDate: '', rateLimit: '', rateWindow: '60' } as const
  const draft = draftOf(context)
  const values = draft === undefined ? empty : valuesOf(draft)
  return formAnswer(context, 200, { values, errors: {}, once: createSecret() })
}

export async function createKey(context: WorkspaceContext): Promise<Answer> {
  requireManager(context.workspace)
  const form = await readForm(context, context.chrome.csrf)
  const once = idempotencyTokenOf(form)
  const { values, errors, newKey } = readFields(form, context)
  if (newKey === undefined) return formAnswer(context, 422, { values, errors, once })
  const created = await createOnce(context, once, (keys) => keys.create(context.workspace.slug, newKey))
  if ('alreadyCreated' in created) return alreadyShownAnswer(context, created.alreadyCreated)
  return createdKeyAnswer(context, created)
}

function formAnswer(
  { chrome, config, resources }: WorkspaceContext,
  status: number,
  filled: Pick<CreateKeyModel, 'values' | 'errors' | 'once'>,
): Answer {
  const permissions = permissionsOf(resources).map((name) => {
    const summaries = resources.filter(({ permission }) => permission === name).map(({ summary }) => summary)
    return { name, meaning: summaries.join('; ') }
  })
  return htmlAnswer(status, createKeyPage({ chrome, permissions, ...filled, defaultQuota: config.quota }))
}

interface Fields {
  values: CreateKeyValues
  errors: CreateKeyModel['errors']
  /** Undefined if there is an error. */
  newKey: NewKey | undefined
}

function readFields(form: URLSearchParams, { resources, nowMs }: WorkspaceContext): Fields {
  const values = valuesOf(form)
  const errors: CreateKeyModel['errors'] = {}
  const label = values.label.trim()
  const fault = labelFault(label)
  if (label === '') errors.label = 'Give the key a name, such as the script or agent that will use it.'
  else if (fault !== undefined) errors.label = `The label ${fault}.`
  const permissions = permissionsOf(resources).filter((permission) => values.permissions.includes(permission))
  if (permissions.length === 0) errors.permissions = 'Choose at least one: a key that can read nothing is useless.'
  const expiresAt = expiryOf(values, nowMs)
  if (expiresAt === undefined) errors.expiryDate = 'Choose a date in the future.'
  const quota = quotaOf(values)
  if (quota === undefined)
    errors.rateLimit = 'Use whole numbers: requests from 1, in 1 to 86400 seconds. Or leave the requests empty.'
  if (Object.keys(errors).length > 0 || expiresAt === undefined || quota === undefined)
    return { values: redacted(values), errors, newKey: undefined }
  return { values, errors, newKey: { label, permissions, quota, expiresAt } }
}

function valuesOf(form: URLSearchParams): CreateKeyValues {
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
const redacted = (values: CreateKeyValues): CreateKeyValues => ({
  ...values,
  label: redactTokens(values.label),
  expiryDate: redactTokens(values.expiryDate),
  rateLimit: redactTokens(values.rateLimit),
  rateWindow: redactTokens(values.rateWindow),
})

/** A date includes its whole day, in UTC. Undefined if it does not exist, or is past. */
function expiryOf({ expiry, expiryDate }: CreateKeyValues, nowMs: number): string | null | undefined {
  if (expiry === 'never') return null
  const endMs = expiry === 'custom' ? endOfDay(expiryDate) : nowMs + Number(expiry) * DAY_MS
  return endMs > nowMs && endMs < nowMs + MAX_LIFETIME_MS ? new Date(endMs).toISOString() : undefined
}

/** NaN if there is no such day; Date.parse would take 31 February for a day in March. */
const endOfDay = (date: string) => Date.parse(toInstant(`${date}T00:00:00Z`) ?? '') + DAY_MS

function quotaOf({ rateLimit, rateWindow }: CreateKeyValues): Quota | null | undefined {
  if (rateLimit === '') return null
  return parseQuota(`${rateLimit};w=${rateWindow}`)
}
