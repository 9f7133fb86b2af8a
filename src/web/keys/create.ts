import { labelFault, type NewKey } from '../../keys/life-cycle.ts'
import { createSecret } from '../../lib/secret.ts'
import type { Answer } from '../../operation.ts'
import { permissionsOf } from '../../resources/define.ts'
import { htmlAnswer } from '../answers.ts'
import { requireManager, type WorkspaceContext } from '../context.ts'
import { readForm } from '../form.ts'
import { idempotencyTokenOf } from '../once.ts'
import { createOnce } from './change.ts'
import { type CreateKeyModel, type CreateKeyValues, createKeyPage } from './create-page.ts'
import { alreadyShownAnswer, createdKeyAnswer } from './created.ts'
import { exposedData } from './exposed.ts'
import { expiryOf, quotaOf, redacted, todayIn, valuesOf } from './fields.ts'

export async function showCreateKeyForm(context: WorkspaceContext): Promise<Answer> {
  requireManager(context.workspace)
  const permissions = permissionsOf(context.resources)
  const values = { label: '', permissions, expiry: '90', expiryDate: '', rateLimit: '', rateWindow: '60' } as const
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
  { chrome, config, resources, nowMs }: WorkspaceContext,
  status: number,
  filled: Pick<CreateKeyModel, 'values' | 'errors' | 'once'>,
): Answer {
  const today = todayIn({ nowMs, timezone: chrome.timezone })
  const model = { chrome, permissions: exposedData(resources), today, defaultQuota: config.quota, ...filled }
  return htmlAnswer(status, createKeyPage(model))
}

interface Fields {
  values: CreateKeyValues
  errors: CreateKeyModel['errors']
  /** Undefined if there is an error. */
  newKey: NewKey | undefined
}

function readFields(form: URLSearchParams, { resources, nowMs, chrome }: WorkspaceContext): Fields {
  const values = valuesOf(form)
  const errors: CreateKeyModel['errors'] = {}
  const label = values.label.trim()
  const fault = labelFault(label)
  if (label === '') errors.label = 'Give the key a name, such as the script or agent that will use it.'
  else if (fault !== undefined) errors.label = `The label ${fault}.`
  const permissions = permissionsOf(resources).filter((permission) => values.permissions.includes(permission))
  if (permissions.length === 0) errors.permissions = 'Choose at least one: a key that can read nothing is useless.'
  const expiresAt = expiryOf(values, { nowMs, timezone: chrome.timezone })
  if (expiresAt === undefined) errors.expiryDate = 'Choose a date in the future.'
  const quota = quotaOf(values)
  if (quota === undefined)
    errors.rateLimit = 'Use whole numbers: requests from 1, in 1 to 86400 seconds. Or leave the requests empty.'
  if (Object.keys(errors).length > 0 || expiresAt === undefined || quota === undefined)
    return { values: redacted(values), errors, newKey: undefined }
  return { values, errors, newKey: { label, permissions, quota, expiresAt } }
}
