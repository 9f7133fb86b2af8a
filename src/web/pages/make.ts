import { paths } from '../paths.ts'
import { describe, faultSummary, radios } from './field.ts'
import { type Html, html } from './html.ts'
import { csrfField, heading, page } from './layout.ts'
import type { MakeModel } from './model.ts'

export function makePage(model: MakeModel): string {
  const { chrome, once, errors } = model
  const keys = paths.keys(chrome.workspace.slug)
  const body = html`${heading({ title: 'New key', lead: 'One key for each thing that reads: then you can see what it does, and take it back alone.', back: { href: keys, text: 'API keys' } })}
${faultSummary(errors)}
<form class="form panel" method="post" action="${keys}" novalidate>${csrfField(chrome)}<input type="hidden" name="once" value="${once}">
${labelField(model)}${permissionsField(model)}${expiryField(model)}${rateField(model)}
<div class="buttons"><button class="button primary">Make key</button><a class="button" href="${keys}">Cancel</a></div></form>`
  return page(chrome, { title: 'New key', section: 'keys', body })
}

function labelField({ values, errors }: MakeModel): Html {
  const { attributes, words } = describe('label', 'After what will use it, such as “nightly report”.', errors.label)
  return html`<div class="field"><label for="label">Label</label>
<input id="label" name="label" type="text" value="${values.label}" required maxlength="100" autocomplete="off" dir="auto" autofocus${attributes}>${words}</div>`
}

function permissionsField({ values, errors, permissions }: MakeModel): Html {
  const { attributes, words } = describe('permissions', null, errors.permissions)
  const boxes = permissions.map(
    ({ name, meaning }, index) =>
      html`<label class="check"><input${index === 0 && html` id="permissions"`} type="checkbox" name="permissions" value="${name}"${values.permissions.includes(name) && html` checked`}${attributes}><span>${meaning} <code>${name}</code></span></label>`,
  )
  return html`<fieldset class="field"><legend>Permissions</legend>${boxes}${words}</fieldset>`
}

function expiryField({ values, errors }: MakeModel): Html {
  const { attributes, words } = describe('expiryDate', null, errors.expiryDate)
  const date = html`<span class="custom"><label class="visually-hidden" for="expiryDate">Date on which it expires</label><input id="expiryDate" name="expiryDate" type="date" value="${values.expiryDate}"${attributes}></span>`
  const choices = [
    { value: '30', text: '30 days' },
    { value: '90', text: '90 days' },
    { value: '365', text: '1 year' },
    { value: 'never', text: 'Never' },
    { value: 'custom', text: 'On a date', more: date },
  ]
  return html`<fieldset class="field"><legend>Expires</legend>${radios('expiry', choices, values.expiry)}${words}
<p class="hint">A key that expires is one less to forget. You can rotate it before it does.</p></fieldset>`
}

function rateField({ values, errors, defaultQuota }: MakeModel): Html {
  const usual = `${defaultQuota.limit} requests in ${defaultQuota.windowSeconds} seconds`
  const { attributes, words } = describe('rateLimit', `Leave it empty for the usual ${usual}.`, errors.rateLimit)
  return html`<fieldset class="field"><legend>Own rate limit <span class="optional">optional</span></legend>
<p class="inline"><label class="visually-hidden" for="rateLimit">Requests</label><input id="rateLimit" name="rateLimit" type="text" inputmode="numeric" size="7" maxlength="9" value="${values.rateLimit}" placeholder="${defaultQuota.limit}" autocomplete="off"${attributes}>
<span>requests in</span> <label class="visually-hidden" for="rateWindow">Seconds</label><input id="rateWindow" name="rateWindow" type="text" inputmode="numeric" size="5" maxlength="6" value="${values.rateWindow}" autocomplete="off"> <span>seconds</span></p>${words}</fieldset>`
}
