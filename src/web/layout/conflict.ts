/**
 * A form that edits sends back the version of the values that it was opened with, so that it never silently undoes another
 * person's change: the form returns as it was sent, and names what sending it again would replace.
 */
import { hash } from 'node:crypto'
import { type Html, html, type Part } from '../html.ts'

const versionOf = (values: object): string => hash('sha256', JSON.stringify(values), 'base64url').slice(0, 16)

export const versionField = (values: object): Html =>
  html`<input type="hidden" name="version" value="${versionOf(values)}">`

/** The values have been changed since the form was opened. */
export const isOutdated = (form: URLSearchParams, values: object): boolean => form.get('version') !== versionOf(values)

/** `now` has one part for each value that differs from the form's. The other change may be the same. */
export const conflictNotice = (what: string, now: readonly Part[]): Part =>
  now.length > 0 &&
  html`<div class="notice bad" role="alert"><p><strong>Nothing was saved: ${what} changed while this page was open.</strong></p>
<ul>${now.map((part) => html`<li>${part}</li>`)}</ul>
<p>The form below contains what you entered. Saving it again overwrites the other change.</p></div>`
