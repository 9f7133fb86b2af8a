import { type Html, html } from '../../lib/html.ts'

/** An email address, which breaks after its @ if it must, or another name. */
export function person(name: string): Html {
  const at = name.indexOf('@') + 1
  return html`<bdi>${name.slice(0, at)}${at > 0 && html`<wbr>`}${name.slice(at)}</bdi>`
}
