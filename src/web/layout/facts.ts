import { type Html, html, type Part } from '../../lib/html.ts'

/** Names with their values, one under the other. What is false is left out. */
export const factsList = (facts: readonly (Fact | false)[], className = ''): Html =>
  html`<dl class="facts-list ${className}">${facts.map((fact) => fact !== false && html`<div><dt>${fact[0]}</dt><dd>${fact[1]}</dd></div>\n`)}</dl>`

export type Fact = readonly [name: Part, value: Part]
