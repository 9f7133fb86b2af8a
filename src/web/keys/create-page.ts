import { type Html, html } from '../../lib/html.ts'
import { describe, errorSummary } from '../layout/field.ts'
import { csrfField, heading, page } from '../layout/layout.ts'
import { paths } from '../paths.ts'
import { expiryField, type KeyFormModel, labelField, rateField } from './form-fields.ts'
import type { KeyValues } from './form-values.ts'
import type { PermissionWords } from './permission-words.ts'
import { exposedFields } from './permissions-section.ts'

export interface CreateKeyValues extends KeyValues {
  /** Field `permissions`, once per ticked box. */
  permissions: string[]
}

/** GET …/keys/new, and the response (422) to a POST with errors. */
export interface CreateKeyModel extends KeyFormModel {
  permissions: PermissionWords[]
  values: CreateKeyValues
  /** The form's idempotency token: a reload creates no second key. */
  once: string
  /** What an agent would see with these permissions, if that was asked for. */
  preview: Html | null
}

export function createKeyPage(model: CreateKeyModel): string {
  const { chrome, once, errors, preview } = model
  const keys = paths.keys(chrome.workspace.slug)
  const body = html`${heading({ title: 'New key', lead: 'Create one key for each script or agent, so you can see what it does and revoke it on its own.', back: { href: keys, text: 'API keys' } })}
${errorSummary(errors, 'The key was not created.')}
<form class="form panel" method="post" action="${keys}" novalidate>${csrfField(chrome)}<input type="hidden" name="once" value="${once}">
${labelField(model, html` autofocus`)}${permissionsField(model)}${expiryField(model, periods)}${rateField(model)}
<div class="buttons"><button class="button primary" data-pending="Creating…">Create key</button><button class="button" name="preview" value="1" formaction="${keys}#preview" data-pending="Asking…">Preview what an agent sees</button><a class="button" href="${keys}">Cancel</a></div></form>
${preview !== null && html`<section class="panel prose" id="preview" tabindex="-1" aria-labelledby="preview-title"><h2 id="preview-title">Preview</h2><p class="hint">The answers that a key with these permissions would get now. Nothing was created or counted.</p>${preview}</section>`}`
  return page(chrome, { title: 'New key', section: 'keys', body })
}

function permissionsField({ values, errors, permissions }: CreateKeyModel): Html {
  const { attributes, text } = describe('permissions', null, errors.permissions)
  const boxes = permissions.map(
    ({ name, meaning, exposes }, index) =>
      html`<label class="check"><input${index === 0 && html` id="permissions"`} type="checkbox" name="permissions" value="${name}"${values.permissions.includes(name) && html` checked`}${attributes}><span>${meaning} <code>${name}</code></span></label><div class="exposed">${exposedFields({ exposes })}</div>`,
  )
  return html`<fieldset class="field"><legend>Permissions</legend>${boxes}${text}</fieldset>`
}

const periods = [
  { value: '30', text: '30 days' },
  { value: '90', text: '90 days' },
  { value: '365', text: '1 year' },
]
