import type { Quota } from '../../database/store.ts'
import { type Html, html, type Part, quoted } from '../../lib/html.ts'
import { errorSummary } from '../layout/field.ts'
import { csrfField, heading, page } from '../layout/layout.ts'
import { type Clock, lastDay } from '../layout/time.ts'
import { paths } from '../paths.ts'
import type { Editable } from './edit-values.ts'
import { expiryField, type KeyFormModel, labelField, rateField } from './form-fields.ts'
import { quotaText } from './key-parts.ts'

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
