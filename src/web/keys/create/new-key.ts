import { listsOf } from '../../../lists/definition.ts'
import { defaultPermissions } from '../../../resources/define.ts'
import type { WorkspaceContext, WorkspaceHandler } from '../../context.ts'
import { ReopenForm } from '../../form.ts'
import { html } from '../../html.ts'
import { errorSummary } from '../../layout/field.ts'
import { formPage, type PageFrame } from '../../layout/page.ts'
import { paths } from '../../paths.ts'
import { htmlResponse } from '../../responses.ts'
import { isEmpty, readLists } from '../../workspace/sources.ts'
import { changeKeys, createOnce } from '../change.ts'
import * as keyForm from '../key-form.ts'
import { permissionsField, permissionWords } from '../permissions.ts'
import { readRowValues } from '../row-values.ts'
import { readRowCounts, type SummaryModel, summaryPart } from '../summary.ts'
import { createdKeyResponse } from './created.ts'

export interface CreateKeyModel extends keyForm.KeyFormModel, SummaryModel {
  frame: PageFrame
}

export const showCreateKeyForm: WorkspaceHandler = async (context) => {
  const { frame, config, resources, draft, workspace } = context
  const filled =
    draft === undefined
      ? { values: { ...keyForm.newKeyDefaults, permissions: defaultPermissions(resources) }, errors: {} }
      : checkForm(context, draft)
  const rowCounts = await readRowCounts(context, workspace.workspaceId, frame.nowMs)
  const rowValues = await readRowValues(context, workspace.workspaceId, frame.nowMs)
  const words = { permissions: permissionWords(resources), defaultQuota: config.quota, rowCounts, rowValues }
  return htmlResponse(200, createKeyPage({ frame, ...words, ...filled }))
}

const checkForm = ({ frame, resources }: WorkspaceContext, form: URLSearchParams) =>
  keyForm.checkNewKey(keyForm.valuesIn(form), frame, resources)

export const createKey: WorkspaceHandler = async (context, form) => {
  const { newKey } = checkForm(context, form)
  if (newKey === undefined) throw new ReopenForm()
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

export function createKeyPage(model: CreateKeyModel): string {
  const { frame, errors } = model
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
    cancel: { href: keys, text: 'Cancel' },
    beside: summaryPart(model),
  })
}
