import { parseQuota } from '../../../keys/quota.ts'
import type { KeyRecord } from '../../../keys/records.ts'
import { offeredNetworks, parseNetworks } from '../../../lib/cidr.ts'
import { isoOf } from '../../../lib/instant.ts'
import { endOfDate, lastDateBefore, zoneNamed } from '../../../lib/local-dates.ts'
import { permissionsOf } from '../../../resources/define.ts'
import type { WorkspaceContext, WorkspaceHandler } from '../../context.ts'
import { redirectWithNotice } from '../../flash.ts'
import { incompleteForm, ReopenForm } from '../../form.ts'
import { type Html, html, inQuotes, type Part } from '../../html.ts'
import { errorSummary } from '../../layout/field.ts'
import { formPage, type PageFrame } from '../../layout/page.ts'
import { lastDay } from '../../layout/time.ts'
import { paths } from '../../paths.ts'
import { htmlResponse } from '../../responses.ts'
import { changeKey, readWorkingKey } from '../change.ts'
import * as keyForm from '../key-form.ts'
import { keyMark, quotaText } from '../key-parts.ts'
import { permissionsField, permissionWords } from '../permissions.ts'

type FormValues = keyForm.KeyValues

export interface EditKeyModel extends keyForm.KeyFormModel {
  frame: PageFrame
  key: Pick<KeyRecord, 'id' | 'prefix' | 'client'>
  /** The key's current values. */
  current: FormValues
  /** The values that the form was opened with, if the key has changed since then. */
  changedSince: FormValues | null
}

export const showEditKeyForm: WorkspaceHandler = async (context) => {
  const { frame, config, resources, draft } = context
  const key = await readWorkingKey(context)
  const current = valuesOf(key, context)
  const opened = draft === undefined ? current : openedIn(draft)
  const typed = draft === undefined ? current : keyForm.valuesIn(draft)
  const addresses = key.callers.flatMap(({ address }) => address ?? [])
  const page = editKeyPage({
    frame,
    key,
    current,
    defaultQuota: config.quota,
    permissions: permissionWords(resources),
    values: keyForm.redacted(merged(typed, opened, current)),
    errors: checkChanges(context, typed, opened).errors,
    changedSince: changedIn(current, opened).length === 0 ? null : opened,
    seenNetworks: offeredNetworks(addresses, key.networks),
  })
  return htmlResponse(200, page)
}

/** Unchanged values are not checked, nor written: the expiry of a key that ends at noon is not moved to the end of that day. */
function checkChanges({ frame, resources }: WorkspaceContext, values: FormValues, opened: FormValues) {
  const { errors, ...checked } = keyForm.checkValues(values, frame, permissionsOf(resources))
  const changed = changedIn(values, opened)
  const fields: readonly string[] = changed.flatMap((name) => editable[name].fields)
  const ofChanged = Object.entries(errors).filter(([name]) => fields.includes(name))
  return { checked, changed, errors: Object.fromEntries(ofChanged) }
}

export const editKey: WorkspaceHandler = async (context, form) => {
  const opened = openedIn(form)
  const values = keyForm.valuesIn(form)
  const offered = permissionsOf(context.resources)
  const { checked, changed, errors } = checkChanges(context, values, opened)
  const id = await changeKey(context, async (keys, { id }) => {
    const key = await keys.lockOpen(id)
    const current = valuesOf(key, context)
    // A form that is sent again has been saved already.
    if (changedIn(values, current).length === 0) return id
    if (changedIn(current, opened).length > 0 || Object.keys(errors).length > 0) throw new ReopenForm()
    // Permissions of resources that were removed have no checkbox.
    const hidden = key.permissions.filter((permission) => !offered.includes(permission))
    const wanted = { ...checked, permissions: [...checked.permissions, ...hidden] }
    await keys.update(id, Object.fromEntries(changed.map((name) => [name, wanted[name]])))
    return id
  })
  return redirectWithNotice(context, paths.key(context.workspace.slug, id), 'key-saved')
}

const valuesOf = (
  { label, permissions, quota, expiresAt, networks }: Pick<KeyRecord, Editable>,
  { config, frame, resources }: WorkspaceContext,
): FormValues => ({
  label,
  permissions: permissionsOf(resources).filter((permission) => permissions.includes(permission)),
  expiry: expiresAt === null ? 'never' : 'custom',
  expiryDate: expiresAt === null ? '' : lastDateBefore(zoneNamed(frame.timezone), Date.parse(expiresAt)),
  rateLimit: quota === null ? '' : String(quota.limit),
  rateWindow: String((quota ?? config.quota).windowSeconds),
  networks: networks?.join(', ') ?? '',
})

/** The properties of a key that can change, and their form fields. */
const editable = {
  label: { title: 'Label', fields: ['label'] },
  expiresAt: { title: 'Expires', fields: ['expiry', 'expiryDate'] },
  quota: { title: 'Rate limit', fields: ['rateLimit', 'rateWindow'] },
  permissions: { title: 'Permissions', fields: ['permissions'] },
  networks: { title: 'Networks', fields: ['networks'] },
} as const
type Editable = keyof typeof editable

/** The texts that are compared to see whether a field has changed. The default limit has no window, and numbers and networks have one spelling. */
const textsOf = ({ label, expiry, expiryDate, rateLimit, rateWindow, permissions, networks }: FormValues) => ({
  label,
  expiresAt: expiry === 'custom' ? expiryDate : expiry,
  quota: rateLimit === '' ? '' : `${Number(rateLimit)};w=${Number(rateWindow)}`,
  permissions: permissions.toSorted().join(', '),
  networks: parseNetworks(networks)?.join(', ') ?? networks,
})

function changedIn(values: FormValues, before: FormValues): Editable[] {
  const [now, then] = [textsOf(values), textsOf(before)]
  return (Object.keys(editable) as Editable[]).filter((name) => now[name] !== then[name])
}

/** Keeps the person's changes, and takes the rest from the current key. */
function merged(values: FormValues, opened: FormValues, current: FormValues): FormValues {
  const fields = changedIn(values, opened).flatMap((name) => editable[name].fields)
  return { ...current, ...Object.fromEntries(fields.map((field) => [field, values[field]])) }
}

/** The form sends its original values back, so that another person's change is detected. */
function openedField({ permissions, ...texts }: FormValues): Html {
  const sent = new URLSearchParams(texts)
  for (const permission of permissions) sent.append('permissions', permission)
  return html`<input type="hidden" name="opened" value="${String(sent)}">`
}

function openedIn(form: URLSearchParams): FormValues {
  const sent = form.get('opened')
  if (sent === null) throw incompleteForm()
  return keyForm.valuesIn(new URLSearchParams(sent))
}

export function editKeyPage(model: EditKeyModel): string {
  const { frame, key, current, errors, changedSince } = model
  const { slug } = frame.workspace
  const back = { href: paths.key(slug, key.id), text: current.label }
  return formPage(frame, {
    title: `Edit ${current.label}`,
    guide: ['settings#one-key', 'changing a key'],
    heading: html`Edit ${inQuotes(current.label)}`,
    lead: html`${keyMark(key)} Changes apply to the next request. The key itself stays the same.`,
    back,
    notices: changedSince === null ? errorSummary(errors, 'Nothing was saved.') : conflictNotice(changedSince, model),
    action: paths.key(slug, key.id, 'edit'),
    fields: [
      openedField(current),
      keyForm.labelField(model),
      permissionsField(model.permissions, model.values.permissions, errors.permissions),
      keyForm.expiryField(model, []),
      keyForm.rateField(model),
      keyForm.networksField(model),
    ],
    button: { text: 'Save changes', pending: 'Saving…' },
    cancel: { ...back, text: 'Cancel' },
  })
}

function conflictNotice(opened: FormValues, model: EditKeyModel): Html {
  const [before, now] = [shownOf(opened, model), shownOf(model.current, model)]
  const rows = changedIn(model.current, opened).map(
    (name) =>
      html`<li>${editable[name].title}: ${now[name]} <span class="faint">(you were shown ${before[name]})</span></li>\n`,
  )
  return html`<div class="notice bad" role="alert"><p><strong>Nothing was saved: the key was changed while you had this form open.</strong></p>
<ul>${rows}</ul>
<p>The form now contains these changes and what you typed. Save it again to overwrite them.</p></div>`
}

function shownOf(values: FormValues, { frame, defaultQuota }: EditKeyModel): Record<Editable, Part> {
  const endMs = endOfDate(zoneNamed(frame.timezone), values.expiryDate)
  const quota = parseQuota(textsOf(values).quota)
  return {
    label: inQuotes(values.label),
    expiresAt: endMs === undefined ? 'never' : lastDay(isoOf(endMs), frame),
    quota: quota === undefined ? `${quotaText(defaultQuota)}, the default` : quotaText(quota),
    permissions: values.permissions.join(', '),
    networks: values.networks || 'Everywhere',
  }
}
