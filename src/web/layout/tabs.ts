import { type Html, html, type Part } from '../../lib/html.ts'

export interface Tab {
  href: string
  text: Part
  isCurrent: boolean
}

/** Links to the pages of one subject, such as those of a key, above their content. */
export const tabs = (label: string, links: readonly Tab[]): Html =>
  html`<nav class="tabs" aria-label="${label}"><ul>${links.map(
    ({ href, text, isCurrent }) =>
      html`<li><a href="${href}"${isCurrent && html` aria-current="page"`}>${text}</a></li>`,
  )}</ul></nav>`
