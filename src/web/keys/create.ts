import type { NewKey } from '../../keys/life-cycle.ts'
import { createSecret } from '../../lib/secret.ts'
import type { HttpResponse } from '../../operation.ts'
import { permissionsOf } from '../../resources/define.ts'
import { requireManager, type WorkspaceContext } from '../context.ts'
import { readForm } from '../form.ts'
import { idempotencyTokenOf } from '../once.ts'
import { htmlResponse } from '../responses.ts'
import { draftOf } from '../sign-in/return.ts'
import { agentPreview } from './agent/preview.ts'
import { createOnce } from './change.ts'
import { type CreateKeyModel, type CreateKeyValues, createKeyPage } from './create-page.ts'
import { alreadyShownResponse, createdKeyResponse } from './created.ts'
import { expiryOf, labelError, QUOTA_ERROR, quotaOf, redacted, todayIn, valuesIn } from './form-values.ts'
import { permissionWords } from './permission-words.ts'

export async function showCreateKeyForm(context: WorkspaceContext): Promise<HttpResponse> {
  requireManager(context.workspace)
  const permissions = permissionsOf(context.resources)
  const empty = { label: '', permissions, expiry: '90', expiryDate: '', rateLimit: '', rateWindow: '60' } as const
  const draft = draftOf(context)
  const values = draft === undefined ? empty : valuesOf(draft)
  return formResponse(context, 200, { values, errors: {}, once: createSecret(), preview: null })
}

export async function createKey(context: WorkspaceContext): Promise<HttpResponse> {
  requireManager(context.workspace)
  const form = await readForm(context, context.chrome.csrf)
  const once = idempotencyTokenOf(form)
  if (form.has('preview')) return previewKey(context, form, once)
  const { values, errors, newKey } = readFields(form, context)
  if (newKey === undefined) return formResponse(context, 422, { values, errors, once, preview: null })
  const created = await createOnce(context, once, (keys) => keys.create(context.workspace.slug, newKey))
  if ('alreadyCreated' in created) return alreadyShownResponse(context, created.alreadyCreated)
  return createdKeyResponse(context, created)
}

/** The form again, with what an agent would see. It creates nothing, so the form need not be complete yet. */
async function previewKey(context: WorkspaceContext, form: URLSearchParams, once: string): Promise<HttpResponse> {
  const values = redacted(valuesOf(form))
  const permissions = chosenPermissions(values, context)
  if (permissions.length === 0)
    return formResponse(context, 422, { values, errors: { permissions: NO_PERMISSION }, once, preview: null })
  return formResponse(context, 200, { values, errors: {}, once, preview: await agentPreview(context, permissions) })
}

const valuesOf = (form: URLSearchParams): CreateKeyValues => ({
  ...valuesIn(form),
  permissions: form.getAll('permissions'),
})

const NO_PERMISSION = 'Choose at least one: a key that can read nothing is useless.'

const chosenPermissions = ({ permissions }: CreateKeyValues, { resources }: WorkspaceContext): string[] =>
  permissionsOf(resources).filter((permission) => permissions.includes(permission))

function formResponse(
  { chrome, config, resources, nowMs }: WorkspaceContext,
  status: number,
  filled: Pick<CreateKeyModel, 'values' | 'errors' | 'once' | 'preview'>,
): HttpResponse {
  const today = todayIn({ nowMs, timezone: chrome.timezone })
  const model = { chrome, permissions: permissionWords(resources), today, defaultQuota: config.quota, ...filled }
  return htmlResponse(status, createKeyPage(model))
}

interface Fields {
  values: CreateKeyValues
  errors: CreateKeyModel['errors']
  /** Undefined if there is an error. */
  newKey: NewKey | undefined
}

function readFields(form: URLSearchParams, context: WorkspaceContext): Fields {
  const { nowMs, chrome } = context
  const values = valuesOf(form)
  const errors: CreateKeyModel['errors'] = {}
  const label = labelError(values)
  if (label !== undefined) errors.label = label
  const permissions = chosenPermissions(values, context)
  if (permissions.length === 0) errors.permissions = NO_PERMISSION
  const expiresAt = expiryOf(values, { nowMs, timezone: chrome.timezone })
  if (expiresAt === undefined) errors.expiryDate = 'Choose a date in the future.'
  const quota = quotaOf(values)
  if (quota === undefined) errors.rateLimit = QUOTA_ERROR
  if (Object.keys(errors).length > 0 || expiresAt === undefined || quota === undefined)
    return { values: redacted(values), errors, newKey: undefined }
  return { values, errors, newKey: { label: values.label, permissions, quota, expiresAt } }
}
