import type { Quota } from '../../database/store.ts'
import { type Html, html, named, type Part } from '../../lib/html.ts'
import type { Chrome } from '../layout/chrome.ts'
import { describe, type RadioChoice, radios } from '../layout/field.ts'
import type { KeyErrors, KeyValues } from './form-values.ts'
import { quotaText } from './key-parts.ts'

/** What the forms that create and edit a key have in common. */
export interface KeyFormModel {
  chrome: Chrome
  /** As the browser sent them: a form with errors comes back with what was typed. */
  values: KeyValues
  errors: KeyErrors
  /** The earliest date that it may expire on: YYYY-MM-DD, in the workspace's timezone. */
  today: string
  /** What a key without its own limit gets. */
  defaultQuota: Quota
}

export function labelField({ values, errors }: KeyFormModel, more: Part = null): Html {
  const { attributes, text } = describe('label', 'Name it after what uses it, such as “nightly report”.', errors.label)
  return html`<div class="field"><label for="label">Label</label>
<input id="label" name="label" type="text" value="${values.label}" required maxlength="100" dir="auto"${more}${attributes}>${text}</div>`
}

/** `periods` are offered besides "never" and a date. */
export function expiryField({ values, errors, today, chrome }: KeyFormModel, periods: readonly RadioChoice[]): Html {
  const hint = html`A date is the last day on which the key works, in the workspace’s timezone, ${named(chrome.timezone)}.`
  const { attributes, text } = describe('expiryDate', hint, errors.expiryDate)
  const date = html`<span class="custom"><label class="visually-hidden" for="expiryDate">Last day</label><input id="expiryDate" name="expiryDate" type="date" min="${today}" value="${values.expiryDate}"${attributes}></span>`
  const choices = [...periods, { value: 'never', text: 'Never' }, { value: 'custom', text: 'On a date', more: date }]
  return html`<fieldset class="field"><legend>Expires</legend>${radios('expiry', choices, values.expiry)}${text}</fieldset>`
}

export function rateField({ values, errors, defaultQuota }: KeyFormModel): Html {
  const hint = `Leave empty for the default of ${quotaText(defaultQuota)}.`
  const { attributes, text } = describe('rateLimit', hint, errors.rateLimit)
  return html`<fieldset class="field"><legend>Custom rate limit <span class="optional">optional</span></legend>
<p class="inline"><label class="visually-hidden" for="rateLimit">Requests</label><input id="rateLimit" name="rateLimit" type="text" inputmode="numeric" size="7" maxlength="9" value="${values.rateLimit}" placeholder="${defaultQuota.limit}"${attributes}>
<span>requests in</span> <label class="visually-hidden" for="rateWindow">Seconds</label><input id="rateWindow" name="rateWindow" type="text" inputmode="numeric" size="5" maxlength="6" value="${values.rateWindow}"> <span>seconds</span></p>${text}</fieldset>`
}
