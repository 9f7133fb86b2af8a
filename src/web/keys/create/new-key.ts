import { listsOf } from '../../../lists/definition.ts'
import { defaultPermissions } from '../../../resources/define.ts'
import type { WorkspaceContext, WorkspaceHandler } from '../../context.ts'
import { ReopenForm } from '../../form.ts'
import { type Html, html } from '../../html.ts'
import { errorSummary } from '../../layout/field.ts'
import { formPage, type PageFrame } from '../../layout/page.ts'
import { paths } from '../../paths.ts'
import { htmlResponse } from '../../responses.ts'
import { isEmpty, readLists } from '../../workspace/sources.ts'
import { readAgentView } from '../agent/agent-view.ts'
import { previewPart } from '../agent/view.ts'
import { changeKeys, createOnce } from '../change.ts'
import * as keyForm from '../key-form.ts'
import { permissionsField, permissionWords } from '../permissions.ts'
import { readRowValues } from '../row-values.ts'
import { readRowCounts, type SummaryModel, summaryPart } from '../summary.ts'
import { createdKeyResponse } from './created.ts'

export interface CreateKeyModel extends keyForm.KeyFormModel, SummaryModel {
  frame: PageFrame
  preview: Html | null
}

export const showCreateKeyForm: WorkspaceHandler = async (context) => {
  const { frame, config, resources, draft, workspace } = context
  const filled =
    draft === undefined
      ? { values: { ...keyForm.newKeyDefaults, permissions: defaultPermissions(resources) }, errors: {} }
      : checkForm(context, draft)
  const preview = draft?.has('preview') ? await previewOf(context, filled.values) : {}
  const rowCounts = await readRowCounts(context, workspace.workspaceId, frame.nowMs)
  const rowValues = await readRowValues(context, workspace.workspaceId, frame.nowMs)
  const words = { permissions: permissionWords(resources), defaultQuota: config.quota, rowCounts, rowValues }
  const shared = { frame, ...words, preview: null }
  return htmlResponse(200, createKeyPage({ ...shared, ...filled, ...preview }))
}

const checkForm = ({ frame, resources }: WorkspaceContext, form: URLSearchParams) =>
  keyForm.checkNewKey(keyForm.valuesIn(form), frame, resources)

export const createKey: WorkspaceHandler = async (context, form) => {
  const { newKey } = checkForm(context, form)
  if (newKey === undefined || form.has('preview')) throw new ReopenForm()
  const unfilled = await unfilledLists(context, newKey.permissions)
  const created = await changeKeys(context, (keys, tx) =>
    createOnce(context, tx, form, () => keys.create(context.workspace.slug, newKey)),
  )
  return createdKeyResponse(context, created, { replaced: null, unfilled })
}

/** Those that the key may read, unless one of them has a row. */
async function unfilledLists({ store, resources, workspace, frame }: WorkspaceContext, permissions: readonly string[]) {
  const readable = listsOf(resources.filter(({ permission }) => permissions.includes(permission)))
  const lists = await store.read((tx) => readLists(tx, readable, workspace.workspaceId, frame.nowMs))
  return isEmpty(lists) ? lists : []
}

/** Nothing is created, so the form need not be complete yet. */
async function previewOf(context: WorkspaceContext, values: keyForm.KeyValues) {
  const { errors, permissions, only } = keyForm.checkValues(values, context.frame, context.resources)
  if (permissions.length === 0) return { errors: { permissions: keyForm.NO_PERMISSION } }
  if (only === undefined || errors.only !== undefined) return { errors: { only: errors.only } }
  return { errors: {}, preview: previewPart(await readAgentView(context, { permissions, only })) }
}

export function createKeyPage(model: CreateKeyModel): string {
  const { frame, errors, preview } = model
  const keys = paths.keys(frame.workspace.slug)
  return formPage(frame, {
    title: 'New key',
    guide: ['settings#creating-a-key', 'creating a key'],
    lead: 'Create one key for each script or agent, so you can see what it does and revoke it separately.',
    back: { href: paths.connect(frame.workspace.slug), text: 'Connect' },
    notices: errorSummary(errors, 'The key was not created.'),
    action: keys,
    once: true,
    fields: [
      keyForm.labelField(model, html` autofocus`),
      permissionsField(model.permissions, model.values.permissions, errors.permissions),
      keyForm.expiryField(model, keyForm.newKeyPeriods),
      keyForm.rateField(model),
      keyForm.onlyField(model),
      keyForm.networksField(model),
    ],
    button: { text: 'Create key', pending: 'Creating…' },
    otherButtons: html`<button class="button" name="preview" value="1" formaction="${keys}#preview" data-pending="Asking…">Preview what an agent sees</button>`,
    cancel: { href: keys, text: 'Cancel' },
    beside: summaryPart(model),
    below:
      preview !== null &&
      html`<section class="panel prose" id="preview" tabindex="-1" aria-labelledby="preview-title"><h2 id="preview-title">Preview</h2><p class="hint">What a key with these permissions and rows would get right now. Nothing was created or counted.</p>${preview}</section>`,
  })
}
