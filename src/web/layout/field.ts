import { createSecret } from '../../lib/secret.ts'
import { type Html, html, type Part } from '../html.ts'

export const csrfField = ({ csrf }: { csrf: string }): Html => html`<input type="hidden" name="csrf" value="${csrf}">`

/** The ticket of a form that creates something: see `form.ts`. */
export const onceField = (ticket = createSecret()): Html => html`<input type="hidden" name="once" value="${ticket}">`

/** The attributes tie the hint and the error to the field for screen readers. */
export function describe(id: string, hint: Part, error: string | undefined): { attributes: Html; text: Html } {
  const ids = [hint !== null && `${id}-hint`, error !== undefined && `${id}-error`].filter((part) => part !== false)
  return {
    attributes: html`${ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`}${error !== undefined && html` aria-invalid="true"`}`,
    text: html`${hint !== null && html`<p class="hint" id="${id}-hint">${hint}</p>`}${error !== undefined && html`<p class="error" id="${id}-error">${error}</p>`}`,
  }
}

/** Takes the focus from the first field, which may be valid. */
export function errorSummary(errors: Readonly<Record<string, string | undefined>>, outcome: string): Part {
  const entries = Object.entries(errors).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return (
    entries.length > 0 &&
    html`<div class="notice bad" role="alert" tabindex="-1" autofocus><p><strong>${outcome}</strong></p><ul>${entries.map(([field, text]) => html`<li><a href="#${field}">${text}</a></li>`)}</ul></div>`
  )
}

/** A select's options, by value. */
export const options = (texts: Record<string, string>, chosen: string): Html[] =>
  Object.entries(texts).map(
    ([value, text]) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
  )

export interface RadioChoice {
  value: string
  text: Part
  more?: Part
}

/** The first has the field's name as its id, for the links of an error summary. */
export const radios = (name: string, choices: readonly RadioChoice[], chosen: string, attributes: Part = null): Html =>
  html`<div class="choices">${choices.map(
    ({ value, text, more = null }, index) =>
      html`<label class="choice"><input${index === 0 && html` id="${name}"`} type="radio" name="${name}" value="${value}"${value === chosen && html` checked`}${attributes}><span>${text}</span></label>${more}`,
  )}</div>`

/** Browsers count UTF-16 units, of which a character has up to two. */
export const maxCharacters = (characters: number): Html => html` maxlength="${2 * characters}"`

/** Only the script can use it, and shows it. */
export const copyButton = (target: string, text: string, className = ''): Html =>
  html`<button type="button" class="button copy ${className}" data-copy="${target}" hidden><span aria-live="polite">${text}</span></button>`

/** Only the script can use them, and shows them. `group` is the id of the title of the boxes, which share an element with `data-group`. */
export const chooseButtons = (group: string): Html =>
  html`<span class="choosers" hidden data-choosers>${['all', 'none'].map((which) => html`<button type="button" class="quiet" data-choose="${which}" id="${which}-${group}" aria-labelledby="${which}-${group} ${group}">Select ${which}</button>`)}</span>`
