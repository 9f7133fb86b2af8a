import { type Html, html, named, type Part } from '../../lib/html.ts'

/** Colour is for exceptions, so normal states have no tone. */
export type Tone = 'good' | 'warn' | 'bad' | ''

interface Figure {
  name: Part
  value: Part
  /** Small, below the value. */
  note?: Part
  tone?: Tone
}

/** A row of large numbers. */
export const figures = (all: readonly Figure[]): Html =>
  html`<dl class="figures panel">${all.map(
    ({ name, value, note = null, tone = '' }) =>
      html`<div class="${tone}"><dt>${name}</dt><dd>${value}</dd>${note !== null && html`<dd class="sub">${note}</dd>`}</div>`,
  )}</dl>`

export const statusDot = (tone: Tone, text: Part): Html => html`<span class="status-dot ${tone}">${text}</span>`

/** "priya.nair@example.com" is PN, and "tom@example.com" is T. */
const initialsOf = (email: string): string =>
  (email.split('@')[0] ?? '')
    .split(/[^\p{L}\p{N}]+/u)
    .slice(0, 2)
    .map((word) => [...word][0] ?? '')
    .join('')
    .toUpperCase()

export const person = (email: string, shown: Part = named(email)): Html =>
  html`<span class="person"><span class="initials" aria-hidden="true">${initialsOf(email)}</span><span>${shown}</span></span>`
