import type { Quota } from '../../../database/store.ts'
import { dayIn } from '../../../database/timezones.ts'
import { formatQuota, parseQuota } from '../../../keys/quota.ts'
import type { KeyRecord } from '../../../keys/records.ts'
import { type Html, html, type Part, quoted } from '../../../lib/html.ts'
import { toInstant } from '../../../lib/instant.ts'
import type { HttpResponse } from '../../../operation.ts'
import type { WorkspaceContext, WorkspaceHandler } from '../../context.ts'
import { errorSummary } from '../../layout/field.ts'
import { formPage, type PageFrame } from '../../layout/page.ts'
import { type Clock, lastDay } from '../../layout/time.ts'
import { incompleteForm } from '../../once.ts'
import { paths } from '../../paths.ts'
import { htmlResponse, redirect } from '../../responses.ts'
import { draftOf } from '../../sign-in/return.ts'
import { changeKey, keyAt, readWorkingKey } from '../change.ts'
import * as keyForm from '../key-form.ts'
import { quotaText } from '../key-parts.ts'

type Editable = Pick<KeyRecord, 'label' | 'quota' | 'expiresAt'>

export interface EditKeyModel extends keyForm.KeyFormModel {
  frame: PageFrame
  id: string
  key: Editable
  /** The values that the form was opened with, if the key has changed since then. */
  changedSince: Editable | null
}

export const showEditKeyForm: WorkspaceHandler = async (context) => {
  const key = await readWorkingKey(context)
  const draft = draftOf(context)
  const opened = draft === undefined ? key : openedIn(draft)
  const current = valuesOf(key, context)
  const values = draft === undefined ? current : merged(keyForm.valuesIn(draft), valuesOf(opened, context), current)
  return formResponse(context, 200, { key, values, errors: {}, changedSince: isSame(key, opened) ? null : opened })
}

export const editKey: WorkspaceHandler = async (context, form) => {
  const opened = openedIn(form)
  const openedValues = valuesOf(opened, context)
  const values = keyForm.valuesIn(form)
  const { changes, errors } = changesIn(values, openedValues, context.frame)
  const isFaulty = Object.keys(errors).length > 0
  const conflict = await changeKey(context, async (keys, tx) => {
    // Rejects an ended key, and makes concurrent changes to the same key wait.
    await keys.update(context.keyId, {})
    const current = await keyAt(context, tx)
    if (!isSame(current, opened)) return current
    if (!isFaulty && Object.keys(changes).length > 0) await keys.update(context.keyId, changes)
    return undefined
  })
  if (conflict !== undefined) {
    const shown = merged(values, openedValues, valuesOf(conflict, context))
    return formResponse(context, 409, { key: conflict, values: shown, errors, changedSince: opened })
  }
  if (isFaulty) return formResponse(context, 422, { key: opened, values, errors, changedSince: null })
  return redirect(`${paths.key(context.workspace.slug, context.keyId)}?done=saved`)
}

const valuesOf = (
  { label, quota, expiresAt }: Editable,
  { config, frame }: Pick<WorkspaceContext, 'config' | 'frame'>,
): keyForm.KeyValues => ({
  label,
  expiry: expiresAt === null ? 'never' : 'custom',
  expiryDate: expiresAt === null ? '' : dayIn(frame.timezone, Date.parse(expiresAt) - 1),
  rateLimit: quota === null ? '' : String(quota.limit),
  rateWindow: String((quota ?? config.quota).windowSeconds),
})

const differences = (a: keyForm.KeyValues, b: keyForm.KeyValues) => ({
  label: a.label !== b.label,
  expiresAt: a.expiry !== b.expiry || (a.expiry !== 'never' && a.expiryDate !== b.expiryDate),
  quota: a.rateLimit !== b.rateLimit || (a.rateLimit !== '' && a.rateWindow !== b.rateWindow),
})

/** Unchanged fields are not written: the expiry of a key that ends at noon is not moved to the end of that day. */
function changesIn(values: keyForm.KeyValues, opened: keyForm.KeyValues, clock: Clock) {
  const { errors, label, expiresAt, quota } = keyForm.checked(values, clock)
  const changed = differences(values, opened)
  if (!changed.label) delete errors.label
  if (!changed.expiresAt) delete errors.expiryDate
  if (!changed.quota) delete errors.rateLimit
  const changes: Partial<Editable> = {
    ...(changed.label && { label }),
    ...(changed.expiresAt && expiresAt !== undefined && { expiresAt }),
    ...(changed.quota && quota !== undefined && { quota }),
  }
  return { changes, errors }
}

/** Keeps the person's changes, and takes the rest from the current key. */
function merged(values: keyForm.KeyValues, opened: keyForm.KeyValues, current: keyForm.KeyValues): keyForm.KeyValues {
  const changed = differences(values, opened)
  return {
    ...current,
    ...(changed.label && { label: values.label }),
    ...(changed.expiresAt && { expiry: values.expiry, expiryDate: values.expiryDate }),
    ...(changed.quota && { rateLimit: values.rateLimit, rateWindow: values.rateWindow }),
  }
}

/** The form sends these back, so that another person's change is noticed. */
const openedFields = ({ label, quota, expiresAt }: Editable) => ({
  openedLabel: label,
  openedQuota: quota === null ? '' : formatQuota(quota),
  openedExpiresAt: expiresAt ?? '',
})

function openedIn(form: URLSearchParams): Editable {
  const [label, quotaText, expiresText] = ['openedLabel', 'openedQuota', 'openedExpiresAt'].map((name) =>
    form.get(name),
  )
  const quota = quotaText === '' ? null : parseQuota(quotaText ?? '')
  const expiresAt = expiresText === '' ? null : toInstant(expiresText ?? '')
  if (label == null || quota === undefined || expiresAt === undefined) throw incompleteForm()
  return { label, quota, expiresAt }
}

const isSame = (a: Editable, b: Editable): boolean =>
  JSON.stringify(openedFields(a)) === JSON.stringify(openedFields(b))

function formResponse(
  { frame, keyId, config }: WorkspaceContext,
  status: number,
  { values, ...filled }: Pick<EditKeyModel, 'key' | 'values' | 'errors' | 'changedSince'>,
): HttpResponse {
  const model = { frame, id: keyId, defaultQuota: config.quota, values: keyForm.redacted(values), ...filled }
  return htmlResponse(status, editKeyPage(model))
}

export function editKeyPage(model: EditKeyModel): string {
  const { frame, id, key, errors, changedSince } = model
  const { slug } = frame.workspace
  const back = { href: paths.key(slug, id), text: key.label }
  const opened = Object.entries(openedFields(key)).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return formPage(frame, {
    title: `Edit ${key.label}`,
    section: 'keys',
    heading: html`Edit ${quoted(key.label)}`,
    lead: 'Changes apply to the next request. The key itself and its permissions stay the same.',
    back,
    notices: changedSince === null ? errorSummary(errors, 'Nothing was saved.') : conflictNotice(changedSince, model),
    action: paths.key(slug, id, 'edit'),
    fields: [opened, keyForm.labelField(model), keyForm.expiryField(model, []), keyForm.rateField(model)],
    button: { text: 'Save changes', pending: 'Saving…' },
    cancel: { ...back, text: 'Cancel' },
  })
}

function conflictNotice(opened: Editable, { frame, key, defaultQuota }: EditKeyModel): Html {
  const row = (name: string, before: Part, now: Part) =>
    html`<li>${name}: ${now} <span class="faint">(you were shown ${before})</span></li>`
  const expiry = ({ expiresAt }: Editable) => (expiresAt === null ? 'never' : lastDay(expiresAt, frame))
  const [before, now] = [limitText(opened, defaultQuota), limitText(key, defaultQuota)]
  return html`<div class="notice bad" role="alert"><p><strong>Nothing was saved: the key was changed while you had this form open.</strong></p>
<ul>${opened.label !== key.label && row('Label', quoted(opened.label), quoted(key.label))}
${opened.expiresAt !== key.expiresAt && row('Expires', expiry(opened), expiry(key))}
${before !== now && row('Rate limit', before, now)}</ul>
<p>The form now contains these changes and what you typed. Save it again to overwrite them.</p></div>`
}

const limitText = ({ quota }: Editable, usual: Quota): string =>
  quota === null ? `${quotaText(usual)}, the default` : quotaText(quota)
