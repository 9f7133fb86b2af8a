import type { Quota } from '../../database/store.ts'
import { type Html, html } from '../../lib/html.ts'
import { describe, errorSummary, radios } from '../layout/field.ts'
import { type Chrome, csrfField, heading, page } from '../layout/layout.ts'
import { paths } from '../paths.ts'
import type { PermissionWords } from './permission-words.ts'
import { exposedFields } from './permissions-section.ts'

export const expiryChoices = ['30', '90', '365', 'never', 'custom'] as const
export type ExpiryChoice = (typeof expiryChoices)[number]

/** As the browser sent them: a form with errors comes back with what was typed. The names are those of the fields. */
export interface CreateKeyValues {
  label: string
  /** Field `permissions`, once per ticked box. */
  permissions: string[]
  expiry: ExpiryChoice
  /** YYYY-MM-DD, read when `expiry` is custom. */
  expiryDate: string
  /** Requests; empty: the default limit. */
  rateLimit: string
  /** Seconds. */
  rateWindow: string
}
export type CreateKeyField = 'label' | 'permissions' | 'expiryDate' | 'rateLimit'

/** GET …/keys/new, and the answer (422) to a POST with errors. */
export interface CreateKeyModel {
  chrome: Chrome
  permissions: PermissionWords[]
  values: CreateKeyValues
  errors: Partial<Record<CreateKeyField, string>>
  /** The earliest date that it may expire on: YYYY-MM-DD, in the workspace's timezone. */
  today: string
  /** What a key without its own limit gets. */
  defaultQuota: Quota
  /** The form's idempotency token: a reload creates no second key. */
  once: string
  /** What an agent would see with these permissions, if that was asked for. */
  preview: Html | null
}

export function createKeyPage(model: CreateKeyModel): string {
  const { chrome, once, errors, preview } = model
  const keys = paths.keys(chrome.workspace.slug)
  const body = html`${heading({ title: 'New key', lead: 'Create one key for each script or agent, so you can see what it does and revoke it on its own.', back: { href: keys, text: 'API keys' } })}
${errorSummary(errors)}
<form class="form panel" method="post" action="${keys}" novalidate>${csrfField(chrome)}<input type="hidden" name="once" value="${once}">
${labelField(model)}${permissionsField(model)}${expiryField(model)}${rateField(model)}
<div class="buttons"><button class="button primary" data-pending="Creating…">Create key</button><button class="button" name="preview" value="1" formaction="${keys}#preview" data-pending="Asking…">Preview what an agent sees</button><a class="button" href="${keys}">Cancel</a></div></form>
${preview !== null && html`<section class="panel prose" id="preview" tabindex="-1" aria-labelledby="preview-title"><h2 id="preview-title">Preview</h2><p class="hint">The answers that a key with these permissions would get now. Nothing was created or counted.</p>${preview}</section>`}`
  return page(chrome, { title: 'New key', section: 'keys', body })
}

function labelField({ values, errors }: CreateKeyModel): Html {
  const { attributes, text } = describe(
    'label',
    'Name it after what will use it, such as “nightly report”.',
    errors.label,
  )
  return html`<div class="field"><label for="label">Label</label>
<input id="label" name="label" type="text" value="${values.label}" required maxlength="100" autocomplete="off" dir="auto" autofocus${attributes}>${text}</div>`
}

function permissionsField({ values, errors, permissions }: CreateKeyModel): Html {
  const { attributes, text } = describe('permissions', null, errors.permissions)
  const boxes = permissions.map(
    ({ name, meaning, exposes }, index) =>
      html`<label class="check"><input${index === 0 && html` id="permissions"`} type="checkbox" name="permissions" value="${name}"${values.permissions.includes(name) && html` checked`}${attributes}><span>${meaning} <code>${name}</code></span></label><div class="exposed">${exposedFields({ exposes })}</div>`,
  )
  return html`<fieldset class="field"><legend>Permissions</legend>${boxes}${text}</fieldset>`
}

function expiryField({ values, errors, today, chrome }: CreateKeyModel): Html {
  const hint = `A date includes its whole day in the workspace’s timezone, ${chrome.timezone}. An expired key stops working; you can rotate it before that.`
  const { attributes, text } = describe('expiryDate', hint, errors.expiryDate)
  const date = html`<span class="custom"><label class="visually-hidden" for="expiryDate">Expiry date</label><input id="expiryDate" name="expiryDate" type="date" min="${today}" value="${values.expiryDate}"${attributes}></span>`
  const choices = [
    { value: '30', text: '30 days' },
    { value: '90', text: '90 days' },
    { value: '365', text: '1 year' },
    { value: 'never', text: 'Never' },
    { value: 'custom', text: 'On a date', more: date },
  ]
  return html`<fieldset class="field"><legend>Expires</legend>${radios('expiry', choices, values.expiry)}${text}</fieldset>`
}

function rateField({ values, errors, defaultQuota }: CreateKeyModel): Html {
  const usual = `${defaultQuota.limit} requests in ${defaultQuota.windowSeconds} seconds`
  const { attributes, text } = describe('rateLimit', `Leave empty for the default of ${usual}.`, errors.rateLimit)
  return html`<fieldset class="field"><legend>Custom rate limit <span class="optional">optional</span></legend>
<p class="inline"><label class="visually-hidden" for="rateLimit">Requests</label><input id="rateLimit" name="rateLimit" type="text" inputmode="numeric" size="7" maxlength="9" value="${values.rateLimit}" placeholder="${defaultQuota.limit}" autocomplete="off"${attributes}>
<span>requests in</span> <label class="visually-hidden" for="rateWindow">Seconds</label><input id="rateWindow" name="rateWindow" type="text" inputmode="numeric" size="5" maxlength="6" value="${values.rateWindow}" autocomplete="off"> <span>seconds</span></p>${text}</fieldset>`
}
