import { type Html, html } from '../../../lib/html.ts'
import { createSecret } from '../../../lib/secret.ts'
import type { HttpResponse } from '../../../operation.ts'
import { defaultPermissions, permissionsOf } from '../../../resources/define.ts'
import type { WorkspaceContext, WorkspaceHandler } from '../../context.ts'
import { errorSummary } from '../../layout/field.ts'
import { formPage, type PageFrame } from '../../layout/page.ts'
import { ticketIn } from '../../once.ts'
import { paths } from '../../paths.ts'
import { htmlResponse, reopening } from '../../responses.ts'
import { draftOf } from '../../sign-in/return.ts'
import { previewPart } from '../agent/page.ts'
import { readAgentView } from '../agent/responses.ts'
import { createOnce } from '../change.ts'
import * as keyForm from '../key-form.ts'
import { permissionsField, permissionWords } from '../permissions.ts'
import { alreadyShownResponse, createdKeyResponse } from './created.ts'

export interface CreateKeyModel extends keyForm.KeyFormModel {
  frame: PageFrame
  once: string
  preview: Html | null
}

export const showCreateKeyForm: WorkspaceHandler = async (context) => {
  const empty = { ...keyForm.newKeyDefaults, permissions: defaultPermissions(context.resources) }
  const draft = draftOf(context)
  const once = createSecret()
  if (draft === undefined) return formResponse(context, 200, { values: empty, once })
  const { values, errors } = checkedIn(context, draft)
  if (draft.has('preview')) return preview(context, values, once)
  return formResponse(context, 200, { values, errors, once })
}

const checkedIn = ({ frame, resources }: WorkspaceContext, form: URLSearchParams) =>
  keyForm.checkedNewKey(keyForm.valuesIn(form), frame, permissionsOf(resources))

export const createKey: WorkspaceHandler = async (context, form) => {
  const once = ticketIn(form)
  const { values, errors, newKey } = checkedIn(context, form)
  if (form.has('preview')) return reopening(await preview(context, values, once))
  if (newKey === undefined) return reopening(formResponse(context, 422, { values, errors, once }))
  const created = await createOnce(context, form, (keys) => keys.create(context.workspace.slug, newKey))
  if ('alreadyCreated' in created) return alreadyShownResponse(context, created.alreadyCreated)
  return createdKeyResponse(context, created)
}

/** Nothing is created, so the form need not be complete yet. */
async function preview(context: WorkspaceContext, values: keyForm.KeyValues, once: string): Promise<HttpResponse> {
  const permissions = permissionsOf(context.resources).filter((name) => values.permissions.includes(name))
  if (permissions.length === 0)
    return formResponse(context, 422, { values, errors: { permissions: keyForm.NO_PERMISSION }, once })
  return formResponse(context, 200, { values, once, preview: previewPart(await readAgentView(context, permissions)) })
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
      guide: ['settings#creating-a-key', 'creating a key'],
      lead: 'Create one key for each script or agent, so you can see what it does and revoke it separately.',
      back: { href: paths.connect(frame.workspace.slug), text: 'Connect' },
      notices: errorSummary(errors, 'The key was not created.'),
      action: keys,
      once,
      fields: [
        keyForm.labelField(model, html` autofocus`),
        permissionsField(model.permissions, model.values.permissions, errors.permissions),
        keyForm.expiryField(model, keyForm.newKeyPeriods),
        keyForm.rateField(model),
        keyForm.networksField(model),
      ],
      button: { text: 'Create key', pending: 'Creating…' },
      otherButtons: html`<button class="button" name="preview" value="1" formaction="${keys}#preview" data-pending="Asking…">Preview what an agent sees</button>`,
      cancel: { href: keys, text: 'Cancel' },
    },
    preview !== null &&
      html`<section class="panel prose" id="preview" tabindex="-1" aria-labelledby="preview-title"><h2 id="preview-title">Preview</h2><p class="hint">What a key with these permissions would get right now. Nothing was created or counted.</p>${preview}</section>`,
  )
}
