import { parseNetworks } from '../../../keys/networks.ts'
import { formatOnly } from '../../../keys/only.ts'
import type { KeyRecord } from '../../../keys/records.ts'
import { lastDateBefore, zoneNamed } from '../../../lib/local-dates.ts'
import { permissionsOf } from '../../../resources/define.ts'
import type { WorkspaceContext, WorkspaceHandler } from '../../context.ts'
import { redirectWithNotice } from '../../flash.ts'
import { ReopenForm } from '../../form.ts'
import { html, inQuotes, isolated, type Part } from '../../html.ts'
import { changedMeanwhile, conflictNotice, unchangedSince, versionField } from '../../layout/conflict.ts'
import { errorSummary } from '../../layout/field.ts'
import { formPage, type PageFrame } from '../../layout/page.ts'
import { paths } from '../../paths.ts'
import { htmlResponse } from '../../responses.ts'
import { changeKey, readWorkingKey } from '../change.ts'
import * as keyForm from '../key-form.ts'
import { keyMark } from '../key-parts.ts'
import { permissionsField, permissionWords } from '../permissions.ts'
import { eachTyped, onlyInWords, readRowValues } from '../row-values.ts'
import { readRowCounts, type SummaryModel, summaryPart } from '../summary.ts'

type FormValues = keyForm.KeyValues

export interface EditKeyModel extends keyForm.KeyFormModel, SummaryModel {
  frame: PageFrame
  key: Pick<KeyRecord, 'id' | 'prefix' | 'client'>
  /** The key's current values. */
  current: FormValues
  /** What someone else changed while the form was open. */
  changedMeanwhile: readonly Editable[]
}

export const showEditKeyForm: WorkspaceHandler = async (context) => {
  const { frame, config, resources, draft } = context
  const key = await readWorkingKey(context)
  const current = valuesOf(key, context)
  const typed = draft === undefined ? current : keyForm.valuesIn(draft)
  const values = draft === undefined ? current : withUpdates(draft, typed, current)
  const page = editKeyPage({
    frame,
    key,
    current,
    defaultQuota: config.quota,
    permissions: permissionWords(resources),
    values: keyForm.redacted(values),
    errors: checkChanges(context, values, current).errors,
    changedMeanwhile: draft === undefined ? [] : changedMeanwhile(draft, textsOf(typed), textsOf(current)),
    rowValues: await readRowValues(context, context.workspace.workspaceId, frame.nowMs),
    rowCounts: await readRowCounts(context, context.workspace.workspaceId, frame.nowMs),
  })
  return htmlResponse(200, page)
}

/** Unchanged values are not checked, nor written: the expiry of a key that ends at noon is not moved to the end of that day. */
function checkChanges({ frame, resources }: WorkspaceContext, values: FormValues, current: FormValues) {
  const { errors, ...checked } = keyForm.checkValues(values, frame, resources)
  const changed = changedIn(values, current)
  const fields: readonly string[] = changed.flatMap((name) => editable[name].fields)
  // A limit needs the permission of its list.
  const depend = changed.includes('permissions') ? [...fields, 'only'] : fields
  const ofChanged = Object.entries(errors).filter(([name]) => depend.includes(name))
  return { checked, changed, errors: Object.fromEntries(ofChanged) }
}

export const editKey: WorkspaceHandler = async (context, form) => {
  const values = keyForm.valuesIn(form)
  const offered = permissionsOf(context.resources)
  const id = await changeKey(context, async (keys, { id }) => {
    const key = await keys.lockOpen(id)
    const current = valuesOf(key, context)
    const { checked, changed, errors } = checkChanges(context, values, current)
    // A form that is sent again has been saved already.
    if (changed.length === 0) return id
    const isConflict = changedMeanwhile(form, textsOf(values), textsOf(current)).length > 0
    if (isConflict || Object.keys(errors).length > 0) throw new ReopenForm()
    // Permissions of resources that were removed have no checkbox.
    const hidden = key.permissions.filter((permission) => !offered.includes(permission))
    const wanted = { ...checked, permissions: [...checked.permissions, ...hidden] }
    await keys.update(id, Object.fromEntries(changed.map((name) => [name, wanted[name]])))
    return id
  })
  return redirectWithNotice(context, paths.key(context.workspace.slug, id), 'key-saved')
}

const valuesOf = (
  { label, permissions, quota, expiresAt, networks, only }: Pick<KeyRecord, Editable>,
  { config, frame, resources }: WorkspaceContext,
): FormValues => ({
  label,
  permissions: permissionsOf(resources).filter((permission) => permissions.includes(permission)),
  expiry: expiresAt === null ? 'never' : 'custom',
  expiryDate: expiresAt === null ? '' : lastDateBefore(zoneNamed(frame.timezone), Date.parse(expiresAt)),
  rateLimit: quota === null ? '' : String(quota.limit),
  rateWindow: String((quota ?? config.quota).windowSeconds),
  networks: networks?.join(', ') ?? '',
  only: only === null ? '' : formatOnly(only),
})

/** The properties of a key that can change, and their form fields. */
const editable = {
  label: { title: 'Label', fields: ['label'], empty: 'none' },
  expiresAt: { title: 'Expires', fields: ['expiry', 'expiryDate'], empty: 'never' },
  quota: { title: 'Rate limit', fields: ['rateLimit', 'rateWindow'], empty: 'the default' },
  permissions: { title: 'Permissions', fields: ['permissions'], empty: 'none' },
  networks: { title: 'Networks', fields: ['networks'], empty: 'everywhere' },
  only: { title: 'Rows', fields: ['only'], empty: 'all' },
} as const
type Editable = keyof typeof editable

/** The texts that are compared to see whether a field has changed. The default limit has no window, and numbers and networks have one spelling. */
const textsOf = ({ label, expiry, expiryDate, rateLimit, rateWindow, permissions, networks, only }: FormValues) => ({
  label,
  expiresAt: expiry === 'custom' ? expiryDate : expiry,
  quota: rateLimit === '' ? '' : `${Number(rateLimit)} requests in ${Number(rateWindow)} seconds`,
  permissions: permissions.toSorted().join(', '),
  networks: parseNetworks(networks)?.join(', ') ?? networks,
  only: eachTyped(only).sort().join('; '),
})

function changedIn(values: FormValues, before: FormValues): Editable[] {
  const [now, then] = [textsOf(values), textsOf(before)]
  return (Object.keys(editable) as Editable[]).filter((name) => now[name] !== then[name])
}

/** Fields that the person left alone get the current values. */
function withUpdates(form: URLSearchParams, typed: FormValues, current: FormValues): FormValues {
  const fields = unchangedSince(form, textsOf(typed)).flatMap((name) => editable[name].fields)
  return { ...typed, ...Object.fromEntries(fields.map((field) => [field, current[field]])) }
}

export function editKeyPage(model: EditKeyModel): string {
  const { frame, key, current, errors } = model
  const { slug } = frame.workspace
  const back = { href: paths.key(slug, key.id), text: current.label }
  return formPage(frame, {
    title: `Edit ${current.label}`,
    guide: ['settings#one-key', 'changing a key'],
    heading: html`Edit ${inQuotes(current.label)}`,
    lead: html`${keyMark(key)} Changes apply to the next request. The key itself stays the same.`,
    back,
    notices: [
      conflictNotice('the key', differences(model), ADVICE),
      errorSummary(
        errors,
        model.changedMeanwhile.length > 0 ? 'These values need a change, too.' : 'Nothing was saved.',
      ),
    ],
    action: paths.key(slug, key.id, 'edit'),
    fields: [
      versionField(textsOf(current)),
      keyForm.labelField(model),
      permissionsField(model.permissions, model.values.permissions, errors.permissions),
      keyForm.expiryField(model, []),
      keyForm.rateField(model),
      keyForm.onlyField(model),
      keyForm.networksField(model),
    ],
    button: { text: 'Save changes', pending: 'Saving…' },
    cancel: { ...back, text: 'Cancel' },
    beside: summaryPart(model),
  })
}

const ADVICE =
  'The form below contains these values, except where you entered others. Saving it again replaces them with yours.'

function differences({ current, changedMeanwhile }: EditKeyModel): Part[] {
  const now = { ...textsOf(current), only: onlyInWords(current.only) }
  return changedMeanwhile.map((name) => {
    const { title, fields, empty } = editable[name]
    return html`<a href="#${fields[0]}">${title}</a>: now ${isolated(now[name] || empty)}`
  })
}
