import { showHidden } from '../lib/plain-text.ts'

/** Trusted HTML; everything else in a page is escaped. `html` creates it; `new Html` is only for text that is HTML already. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type Part = Html | string | number | null | false | readonly Part[]

/** Escapes quotes too, so that parts are also safe in quoted attributes. */
const escapeHtml = (text: string): string => text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`)

/** Escapes all parts except Html. `null` and `false` render nothing, so `cond && html`…`` works. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  let text = strings[0] ?? ''
  parts.forEach((part, index) => {
    text += render(part) + (strings[index + 1] ?? '')
  })
  return new Html(text)
}

function render(part: Part): string {
  if (part instanceof Html) return part.text
  if (part === null || part === false) return ''
  if (typeof part === 'string') return escapeHtml(showHidden(part))
  if (typeof part === 'number') return String(part)
  return part.map(render).join('')
}

export const joined = (parts: readonly Part[], separator: Part = ', '): Part =>
  parts.map((part, index) => (index === 0 ? part : [separator, part]))

/** Isolates a user's label, so that right-to-left text does not reorder the text around it. */
export const isolated = (label: string): Html => html`<bdi>${label}</bdi>`

/** The name of a field in words: "bookKey" is "book key". */
export const spaced = (name: string): string =>
  name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase()

/** For addresses and ids: lets long ones break after punctuation, not within words. */
export const breakable = (text: string): Html =>
  html`<bdi>${joined(text.split(/(?<=[@._/,:?&=-])(?=[^/])/u), html`<wbr>`)}</bdi>`

export const inQuotes = (label: string): Html => html`“${isolated(label)}”`
