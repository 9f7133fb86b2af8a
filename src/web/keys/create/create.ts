import type { NewKey } from '../../../keys/life-cycle.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { createSecret } from '../../../lib/secret.ts'
import type { HttpResponse } from '../../../operation.ts'
import { defaultPermissions, permissionsOf } from '../../../resources/define.ts'
import type { WorkspaceContext, WorkspaceHandler } from '../../context.ts'
import { describe, errorSummary } from '../../layout/field.ts'
import { formPage } from '../../layout/page.ts'
import { ticketIn } from '../../once.ts'
import { paths } from '../../paths.ts'
import { htmlResponse } from '../../responses.ts'
import { draftOf } from '../../sign-in/return.ts'
import { previewPart } from '../agent/page.ts'
import { readAgentView } from '../agent/responses.ts'
import { createOnce } from '../change.ts'
import * as keyForm from '../key-form.ts'
import { type PermissionWords, permissionList, permissionWords } from '../permissions.ts'
import { alreadyShownResponse, createdKeyResponse } from './created.ts'

interface CreateKeyValues extends keyForm.KeyValues {
  permissions: string[]
}

export interface CreateKeyModel extends keyForm.KeyFormModel {
  permissions: PermissionWords[]
  values: CreateKeyValues
  once: string
  preview: Html | null
}

export const showCreateKeyForm: WorkspaceHandler = async (context) => {
  const permissions = defaultPermissions(context.resources)
  const empty = { label: '', permissions, expiry: '90', expiryDate: '', rateLimit: '', rateWindow: '60' } as const
  const draft = draftOf(context)
  return formResponse(context, 200, { values: draft === undefined ? empty : valuesOf(draft), once: createSecret() })
}

export const createKey: WorkspaceHandler = async (context, form) => {
  const once = ticketIn(form)
  const { values, errors, newKey } = readFields(form, context)
  if (form.has('preview')) return preview(context, values, once)
  if (newKey === undefined) return formResponse(context, 422, { values, errors, once })
  const created = await createOnce(context, form, (keys) => keys.create(context.workspace.slug, newKey))
  if ('alreadyCreated' in created) return alreadyShownResponse(context, created.alreadyCreated)
  return createdKeyResponse(context, created)
}

/** Nothing is created, so the form need not be complete yet. */
async function preview(context: WorkspaceContext, values: CreateKeyValues, once: string): Promise<HttpResponse> {
  const permissions = chosenPermissions(values, context)
  if (permissions.length === 0)
    return formResponse(context, 422, { values, errors: { permissions: NO_PERMISSION }, once })
  return formResponse(context, 200, { values, once, preview: previewPart(await readAgentView(context, permissions)) })
}

const valuesOf = (form: URLSearchParams): CreateKeyValues => ({
  ...keyForm.valuesIn(form),
  permissions: form.getAll('permissions'),
})

const NO_PERMISSION = 'Choose at least one: a key without permissions is useless.'

const chosenPermissions = ({ permissions }: CreateKeyValues, { resources }: WorkspaceContext): string[] =>
  permissionsOf(resources).filter((permission) => permissions.includes(permission))

function readFields(form: URLSearchParams, context: WorkspaceContext) {
  const typed = valuesOf(form)
  const permissions = chosenPermissions(typed, context)
  const { errors, label, expiresAt, quota } = keyForm.checked(typed, context.frame)
  if (permissions.length === 0) errors.permissions = NO_PERMISSION
  const isComplete = Object.keys(errors).length === 0 && expiresAt !== undefined && quota !== undefined
  const newKey: NewKey | undefined = isComplete ? { label, permissions, quota, expiresAt } : undefined
  return { values: keyForm.redacted(typed), errors, newKey }
}

function formResponse(
  { frame, config, resources }: WorkspaceContext,
  status: number,
  filled: Pick<CreateKeyModel, 'values' | 'once'> & Partial<Pick<CreateKeyModel, 'errors' | 'preview'>>,
): HttpResponse {
  const permissions = permissionWords(resources)
  const model = { frame, permissions, defaultQuota: config.quota, errors: {}, preview: null, ...filled }
  return htmlResponse(status, createKeyPage(model))
}

export function createKeyPage(model: CreateKeyModel): string {
  const { frame, once, errors, preview } = model
  const keys = paths.keys(frame.workspace.slug)
  return formPage(
    frame,
    {
      title: 'New key',
      section: 'keys',
      lead: 'Create one key for each script or agent, so you can see what it does and revoke it separately.',
      back: { href: keys, text: 'API keys' },
      notices: errorSummary(errors, 'The key was not created.'),
      action: keys,
      once,
      fields: [
        keyForm.labelField(model, html` autofocus`),
        permissionsField(model),
        keyForm.expiryField(model, periods),
        keyForm.rateField(model),
      ],
      button: { text: 'Create key', pending: 'Creating…' },
      otherButtons: html`<button class="button" name="preview" value="1" formaction="${keys}#preview" data-pending="Asking…">Preview what an agent sees</button>`,
      cancel: { href: keys, text: 'Cancel' },
    },
    preview !== null &&
      html`<section class="panel prose" id="preview" tabindex="-1" aria-labelledby="preview-title"><h2 id="preview-title">Preview</h2><p class="hint">What a key with these permissions would get right now. Nothing was created or counted.</p>${preview}</section>`,
  )
}

function permissionsField({ values, errors, permissions }: CreateKeyModel): Html {
  const { text } = describe('permissions', null, errors.permissions)
  const fault = errors.permissions !== undefined
  const box = ({ name, meaning, responses }: PermissionWords, fields: Part, index: number) =>
    html`<label class="check"><input${index === 0 && html` id="permissions"`} type="checkbox" name="permissions" value="${name}"${values.permissions.includes(name) && html` checked`} aria-describedby="about-${name}${fault && ' permissions-error'}"${fault && html` aria-invalid="true"`}><span>${meaning} <code>${name}</code></span></label><div class="exposed"><p id="about-${name}">${responses}</p>${fields}</div>`
  return html`<fieldset class="field"><legend>Permissions</legend>${permissionList(permissions, box, true)}${text}</fieldset>`
}

const periods = [
  { value: '30', text: '30 days' },
  { value: '90', text: '90 days' },
  { value: '365', text: '1 year' },
]
