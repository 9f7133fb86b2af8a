/**
 * A form that edits sends back the version of each value that it was opened with, so that it never silently undoes another
 * person's change: the form returns, and names or links to what sending it again would replace.
 */
import { hash } from 'node:crypto'
import { type Html, html, type Part } from '../html.ts'

const versionOf = (value: unknown): string => hash('sha256', JSON.stringify(value), 'base64url').slice(0, 16)
const versionsOf = (values: object): string => Object.values(values).map(versionOf).join('.')

export const versionField = (values: object): Html =>
  html`<input type="hidden" name="version" value="${versionsOf(values)}">`

/** The names of the values that have not changed since the form was opened. */
export function unchangedSince<Name extends string>(form: URLSearchParams, values: Record<Name, unknown>): Name[] {
  const opened = form.get('version')?.split('.') ?? []
  return (Object.keys(values) as Name[]).filter((name, i) => versionOf(values[name]) === opened[i])
}

/** The names of the values that someone else changed while the form was open, unless to what was entered here, too. */
export function changedMeanwhile<Name extends string>(
  form: URLSearchParams,
  entered: Record<Name, unknown>,
  current: Record<Name, unknown>,
): Name[] {
  const unchanged = unchangedSince(form, current)
  return (Object.keys(current) as Name[]).filter(
    (name) => !unchanged.includes(name) && versionOf(entered[name]) !== versionOf(current[name]),
  )
}

/** `now` has one part for each value that someone else changed. */
export const conflictNotice = (what: string, now: readonly Part[], advice = ADVICE): Part =>
  now.length > 0 &&
  html`<div class="notice bad" role="alert"><p><strong>Nothing was saved: ${what} changed while this page was open.</strong></p>
<ul>${now.map((part) => html`<li>${part}</li>`)}</ul>
<p>${advice}</p></div>`

const ADVICE = 'The form below contains what you entered. Saving it again overwrites the other change.'
