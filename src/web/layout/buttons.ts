/** Buttons that only the script can use: they are hidden until it shows them. */
import { type Html, html } from '../html.ts'

export const copyButton = (target: string, text: string): Html =>
  html`<button type="button" class="button copy" data-copy="${target}" hidden><span aria-live="polite">${text}</span></button>`

/** `group` is the id of the title of the boxes, which share an element with `data-group`. */
export const chooseButtons = (group: string): Html =>
  html`<span class="choosers" hidden data-choosers>${['all', 'none'].map((which) => html`<button type="button" class="quiet" data-choose="${which}" id="${which}-${group}" aria-labelledby="${which}-${group} ${group}">Select ${which}</button>`)}</span>`
