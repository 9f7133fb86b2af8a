import type { Quota } from '../../../database/store.ts'
import { parseQuota } from '../../../keys/quota.ts'
import type { KeyRecord } from '../../../keys/records.ts'
import { type Html, html, type Part, quoted } from '../../../lib/html.ts'
import { toInstant } from '../../../lib/instant.ts'
import type { HttpResponse } from '../../../operation.ts'
import { requireManager, type WorkspaceContext } from '../../context.ts'
import { readForm } from '../../form.ts'
import { errorSummary } from '../../layout/field.ts'
import { csrfField, heading, page } from '../../layout/page.ts'
import { type Clock, lastDay } from '../../layout/time.ts'
import { incompleteForm } from '../../once.ts'
import { paths } from '../../paths.ts'
import { htmlResponse, redirect } from '../../responses.ts'
import { draftOf } from '../../sign-in/return.ts'
import { changeKey, keyAt, readWorkingKey } from '../change.ts'
import {
  expiryField,
  expiryOf,
  type KeyErrors,
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
import { quotaText } from '../key-parts.ts'

export async function showEditKeyForm(context: WorkspaceContext): Promise<HttpResponse> {
  requireManager(context.workspace)
  const key = await readWorkingKey(context)
  const draft = draftOf(context)
  const values = valuesOf(key, editContext(context))
  if (draft === undefined) return formResponse(context, 200, { key, values, errors: {}, changedSince: null })
  const opened = openedIn(draft)
  const kept = merged(valuesIn(draft), valuesOf(opened, editContext(context)), values)
  const changedSince = isSame(key, opened) ? null : opened
  return formResponse(context, 200, { key, values: redacted(kept), errors: {}, changedSince })
}

export async function editKey(context: WorkspaceContext): Promise<HttpResponse> {
  requireManager(context.workspace)
  const form = await readForm(context, context.chrome.csrf)
  const limits = editContext(context)
  const opened = openedIn(form)
  const openedValues = valuesOf(opened, limits)
  const values = valuesIn(form)
  const { changes, errors } = changesIn(values, openedValues, limits)
  const isFaulty = Object.keys(errors).length > 0
  const outcome = await changeKey(context, async (keys, tx) => {
    // Refuses a key that has ended. Whoever changes the same key at the same time waits here, and then sees what was done.
    await keys.update(context.keyId, {})
    const current = await keyAt(context, tx)
    if (!isSame(current, opened)) return { conflict: current }
    if (!isFaulty && Object.keys(changes).length > 0) await keys.update(context.keyId, changes)
    return undefined
  })
  if (outcome !== undefined) {
    const key = outcome.conflict
    const shown = redacted(merged(values, openedValues, valuesOf(key, limits)))
    return formResponse(context, 409, { key, values: shown, errors, changedSince: opened })
  }
  if (isFaulty) return formResponse(context, 422, { key: opened, values: redacted(values), errors, changedSince: null })
  return redirect(`${paths.key(context.workspace.slug, context.keyId)}?done=saved`)
}

function formResponse(
  { chrome, keyId, config, nowMs }: WorkspaceContext,
  status: number,
  filled: Pick<EditKeyModel, 'key' | 'values' | 'errors' | 'changedSince'>,
): HttpResponse {
  const today = todayIn({ nowMs, timezone: chrome.timezone })
  return htmlResponse(status, editKeyPage({ chrome, id: keyId, defaultQuota: config.quota, today, ...filled }))
}

const editContext = ({ chrome, nowMs, config }: WorkspaceContext): EditContext => ({
  timezone: chrome.timezone,
  nowMs,
  defaultQuota: config.quota,
})

/** What the form was opened with, as it brings it back. */
function openedIn(form: URLSearchParams): Editable {
  const [label, quotaText, expiresText] = ['openedLabel', 'openedQuota', 'openedExpiresAt'].map((name) =>
    form.get(name),
  )
  const quota = quotaText === '' ? null : parseQuota(quotaText ?? '')
  const expiresAt = expiresText === '' ? null : toInstant(expiresText ?? '')
  if (label == null || quota === undefined || expiresAt === undefined)
    throw incompleteForm('Open it again and fill it in once more.')
  return { label, quota, expiresAt }
}

const isSame = (a: Editable, b: Editable): boolean =>
  a.label === b.label &&
  a.expiresAt === b.expiresAt &&
  a.quota?.limit === b.quota?.limit &&
  a.quota?.windowSeconds === b.quota?.windowSeconds

/** GET …/keys/<id>/edit, the response (422) to a POST with errors, and the one (409) to a POST that came too late. */
export interface EditKeyModel extends KeyFormModel {
  id: string
  /** The key as it is now. */
  key: Editable
  /** What the form was opened with, if the key was changed since. */
  changedSince: Editable | null
}

export function editKeyPage(model: EditKeyModel): string {
  const { chrome, id, key, errors, changedSince } = model
  const { slug } = chrome.workspace
  const back = paths.key(slug, id)
  const body = html`${heading({ title: html`Edit ${quoted(key.label)}`, lead: 'The changes apply from the next request on. The key itself and its permissions stay as they are.', back: { href: back, text: key.label } })}
${changedSince === null ? errorSummary(errors, 'Nothing was saved.') : conflict(changedSince, model)}
<form class="form panel" method="post" action="${paths.editKey(slug, id)}" novalidate>${csrfField(chrome)}${openedFields(key)}
${labelField(model)}${expiryField(model, [])}${rateField(model)}
<div class="buttons"><button class="button primary" data-pending="Saving…">Save changes</button><a class="button" href="${back}">Cancel</a></div></form>`
  return page(chrome, { title: `Edit ${key.label}`, section: 'keys', body })
}

/** What the form was opened with comes back with it. */
const openedFields = ({ label, quota, expiresAt }: Editable): Html =>
  html`<input type="hidden" name="openedLabel" value="${label}"><input type="hidden" name="openedQuota" value="${quota === null ? '' : `${quota.limit};w=${quota.windowSeconds}`}"><input type="hidden" name="openedExpiresAt" value="${expiresAt ?? ''}">`

/** Somebody else was faster. What they did is shown beside what it was; the form below holds what this person typed. */
function conflict(opened: Editable, { chrome, key, defaultQuota }: EditKeyModel): Html {
  const row = (name: string, before: Part, now: Part) =>
    html`<li>${name}: ${now} <span class="faint">(you were shown ${before})</span></li>`
  return html`<div class="notice bad" role="alert"><p><strong>Nothing was saved: the key was changed while you had this form open.</strong></p>
<ul>${opened.label !== key.label && row('Label', quoted(opened.label), quoted(key.label))}
${opened.expiresAt !== key.expiresAt && row('Expires', expiry(opened, chrome), expiry(key, chrome))}
${limit(opened, defaultQuota) !== limit(key, defaultQuota) && row('Rate limit', limit(opened, defaultQuota), limit(key, defaultQuota))}</ul>
<p>The form now holds these, and what you typed yourself. Save it again to overwrite them.</p></div>`
}

const expiry = ({ expiresAt }: Editable, clock: Clock): Part =>
  expiresAt === null ? 'never' : lastDay(expiresAt, clock)

const limit = ({ quota }: Editable, usual: Quota): string =>
  quota === null ? `${quotaText(usual)}, the default` : quotaText(quota)

/** What the form was opened with; it comes back with the form, so that a change that somebody else made meanwhile is noticed. */
export type Editable = Pick<KeyRecord, 'label' | 'quota' | 'expiresAt'>

export interface EditContext {
  timezone: string
  nowMs: number
  defaultQuota: Quota
}

export const valuesOf = (
  { label, quota, expiresAt }: Editable,
  { timezone, defaultQuota }: EditContext,
): KeyValues => ({
  label,
  expiry: expiresAt === null ? 'never' : 'custom',
  expiryDate: expiresAt === null ? '' : todayIn({ nowMs: Date.parse(expiresAt) - 1, timezone }),
  rateLimit: quota === null ? '' : String(quota.limit),
  rateWindow: String((quota ?? defaultQuota).windowSeconds),
})

const isSameLabel = (a: KeyValues, b: KeyValues) => a.label === b.label
const isSameExpiry = (a: KeyValues, b: KeyValues) =>
  a.expiry === b.expiry && (a.expiry === 'never' || a.expiryDate === b.expiryDate)
const isSameLimit = (a: KeyValues, b: KeyValues) =>
  a.rateLimit === b.rateLimit && (a.rateLimit === '' || a.rateWindow === b.rateWindow)

/**
 * What a person changed of what they were shown, and what is wrong with it. What they left alone stays as it is: a key that
 * ends at noon is not moved to the end of that day.
 */
export function changesIn(
  values: KeyValues,
  opened: KeyValues,
  clock: EditContext,
): { changes: Partial<Editable>; errors: KeyErrors } {
  const changes: Partial<Editable> = {}
  const errors: KeyErrors = {}
  if (!isSameLabel(values, opened)) {
    const fault = labelError(values)
    if (fault !== undefined) errors.label = fault
    else changes.label = values.label
  }
  if (!isSameExpiry(values, opened)) {
    const expiresAt = expiryOf(values, clock)
    if (expiresAt === undefined) errors.expiryDate = 'Choose today or a later date. To end the key now, revoke it.'
    else changes.expiresAt = expiresAt
  }
  if (!isSameLimit(values, opened)) {
    const quota = quotaOf(values)
    if (quota === undefined) errors.rateLimit = QUOTA_ERROR
    else changes.quota = quota
  }
  return { changes, errors }
}

/** The form of somebody whose key was changed meanwhile: what they changed themselves, and the new state of the rest. */
export const merged = (values: KeyValues, opened: KeyValues, current: KeyValues): KeyValues => ({
  ...current,
  ...(!isSameLabel(values, opened) && { label: values.label }),
  ...(!isSameExpiry(values, opened) && { expiry: values.expiry, expiryDate: values.expiryDate }),
  ...(!isSameLimit(values, opened) && { rateLimit: values.rateLimit, rateWindow: values.rateWindow }),
})
