import type { NewKey } from '../../../keys/life-cycle.ts'
import { type Html, html } from '../../../lib/html.ts'
import { createSecret } from '../../../lib/secret.ts'
import type { HttpResponse } from '../../../operation.ts'
import { permissionsOf } from '../../../resources/define.ts'
import { requireManager, type WorkspaceContext } from '../../context.ts'
import { readForm } from '../../form.ts'
import { describe, errorSummary } from '../../layout/field.ts'
import { csrfField, heading, page } from '../../layout/page.ts'
import { idempotencyTokenOf } from '../../once.ts'
import { paths } from '../../paths.ts'
import { htmlResponse } from '../../responses.ts'
import { draftOf } from '../../sign-in/return.ts'
import { agentPreview } from '../agent/page.ts'
import { createOnce } from '../change.ts'
import {
  expiryField,
  expiryOf,
  type KeyFormModel,
  type KeyValues,
  labelError,
  labelField,
  QUOTA_ERROR,
  quotaOf,
  rateField,
  redacted,
  todayIn,
  valuesIn,
} from '../key-form.ts'
import { exposedFields, type PermissionWords, permissionWords } from '../permissions.ts'
import { alreadyShownResponse, createdKeyResponse } from './created.ts'

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

export interface CreateKeyValues extends KeyValues {
  /** Field `permissions`, once per ticked box. */
  permissions: string[]
}

/** GET …/keys/new, and the response (422) to a POST with errors. */
export interface CreateKeyModel extends KeyFormModel {
  permissions: PermissionWords[]
  values: CreateKeyValues
  /** The form's idempotency token: a reload creates no second key. */
  once: string
  /** What an agent would see with these permissions, if that was asked for. */
  preview: Html | null
}

export function createKeyPage(model: CreateKeyModel): string {
  const { chrome, once, errors, preview } = model
  const keys = paths.keys(chrome.workspace.slug)
  const body = html`${heading({ title: 'New key', lead: 'Create one key for each script or agent, so you can see what it does and revoke it on its own.', back: { href: keys, text: 'API keys' } })}
${errorSummary(errors, 'The key was not created.')}
<form class="form panel" method="post" action="${keys}" novalidate>${csrfField(chrome)}<input type="hidden" name="once" value="${once}">
${labelField(model, html` autofocus`)}${permissionsField(model)}${expiryField(model, periods)}${rateField(model)}
<div class="buttons"><button class="button primary" data-pending="Creating…">Create key</button><button class="button" name="preview" value="1" formaction="${keys}#preview" data-pending="Asking…">Preview what an agent sees</button><a class="button" href="${keys}">Cancel</a></div></form>
${preview !== null && html`<section class="panel prose" id="preview" tabindex="-1" aria-labelledby="preview-title"><h2 id="preview-title">Preview</h2><p class="hint">The answers that a key with these permissions would get now. Nothing was created or counted.</p>${preview}</section>`}`
  return page(chrome, { title: 'New key', section: 'keys', body })
}

function permissionsField({ values, errors, permissions }: CreateKeyModel): Html {
  const { attributes, text } = describe('permissions', null, errors.permissions)
  const boxes = permissions.map(
    ({ name, meaning, exposes }, index) =>
      html`<label class="check"><input${index === 0 && html` id="permissions"`} type="checkbox" name="permissions" value="${name}"${values.permissions.includes(name) && html` checked`}${attributes}><span>${meaning} <code>${name}</code></span></label><div class="exposed">${exposedFields({ exposes })}</div>`,
  )
  return html`<fieldset class="field"><legend>Permissions</legend>${boxes}${text}</fieldset>`
}

const periods = [
  { value: '30', text: '30 days' },
  { value: '90', text: '90 days' },
  { value: '365', text: '1 year' },
]
