import { type Html, html, named, type Part } from '../../lib/html.ts'

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
