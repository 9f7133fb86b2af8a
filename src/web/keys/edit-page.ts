import type { Quota } from '../../database/store.ts'
import { type Html, html, named, type Part, quoted } from '../../lib/html.ts'
import { describe, errorSummary, radios } from '../layout/field.ts'
import { type Chrome, csrfField, heading, page } from '../layout/layout.ts'
import { type Clock, intervalText, lastDay } from '../layout/time.ts'
import { paths } from '../paths.ts'
import type { Editable, EditField, EditValues } from './edit-values.ts'
import { requests } from './use-chart.ts'

/** GET …/keys/<id>/edit, the answer (422) to a POST with errors, and the one (409) to a POST that came too late. */
export interface EditKeyModel {
  chrome: Chrome
  id: string
  /** The key as it is now. */
  key: Editable
  values: EditValues
  errors: Partial<Record<EditField, string>>
  defaultQuota: Quota
  /** What the form was opened with, if the key was changed since. */
  changedSince: Editable | null
  /** The earliest date that can be chosen, YYYY-MM-DD. */
  today: string
}

export function editKeyPage(model: EditKeyModel): string {
  const { chrome, id, key, errors, changedSince } = model
  const { slug } = chrome.workspace
  const back = paths.key(slug, id)
  const body = html`${heading({ title: html`Edit ${quoted(key.label)}`, lead: 'The changes apply from the next request on. The key itself and its permissions stay as they are.', back: { href: back, text: key.label } })}
${changedSince === null ? errorSummary(errors, 'Nothing was saved.') : conflict(changedSince, model)}
<form class="form panel" method="post" action="${paths.editKey(slug, id)}" novalidate>${csrfField(chrome)}${openedFields(key)}
${labelField(model)}${expiryField(model)}${rateField(model)}
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
  `${requests((quota ?? usual).limit)} every ${intervalText((quota ?? usual).windowSeconds)}${quota === null ? ', the default' : ''}`

function labelField({ values, errors }: EditKeyModel): Html {
  const { attributes, text } = describe('label', 'Name it after what uses it, such as “nightly report”.', errors.label)
  return html`<div class="field"><label for="label">Label</label>
<input id="label" name="label" type="text" value="${values.label}" required maxlength="100" autocomplete="off" dir="auto"${attributes}>${text}</div>`
}

function expiryField({ values, errors, today, chrome }: EditKeyModel): Html {
  const { attributes, text } = describe(
    'expiryDate',
    html`The last day on which the key works, in ${named(chrome.timezone)}.`,
    errors.expiryDate,
  )
  const date = html`<span class="custom"><label class="visually-hidden" for="expiryDate">Last day</label><input id="expiryDate" name="expiryDate" type="date" min="${today}" value="${values.expiryDate}"${attributes}></span>`
  const choices = [
    { value: 'never', text: 'Never' },
    { value: 'custom', text: 'On a date', more: date },
  ]
  return html`<fieldset class="field"><legend>Expires</legend>${radios('expiry', choices, values.expiry)}${text}</fieldset>`
}

function rateField({ values, errors, defaultQuota }: EditKeyModel): Html {
  const usual = `${requests(defaultQuota.limit)} every ${intervalText(defaultQuota.windowSeconds)}`
  const { attributes, text } = describe('rateLimit', `Leave empty for the default of ${usual}.`, errors.rateLimit)
  return html`<fieldset class="field"><legend>Custom rate limit <span class="optional">optional</span></legend>
<p class="inline"><label class="visually-hidden" for="rateLimit">Requests</label><input id="rateLimit" name="rateLimit" type="text" inputmode="numeric" size="7" maxlength="9" value="${values.rateLimit}" placeholder="${defaultQuota.limit}" autocomplete="off"${attributes}>
<span>requests in</span> <label class="visually-hidden" for="rateWindow">Seconds</label><input id="rateWindow" name="rateWindow" type="text" inputmode="numeric" size="5" maxlength="6" value="${values.rateWindow}" autocomplete="off"> <span>seconds</span></p>${text}</fieldset>`
}
