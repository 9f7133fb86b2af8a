import { requests, totalUse } from './chart.ts'
import { type Html, html, named } from './html.ts'
import { expiryText, statePill } from './key-state.ts'
import type { KeyRow } from './model.ts'
import { dateTime, relativeTime } from './time.ts'

/** Enough to be sure that this is the key that is meant, and that nothing still needs it. */
export function keyFacts(key: KeyRow, now: string): Html {
  const fact = (name: string, value: Html) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`
  const lastUse = key.lastUsedAt === null ? html`Never` : html`<strong>${relativeTime(key.lastUsedAt, now)}</strong>`
  return html`<dl class="facts-list">${fact('Key', html`${named(key.label)} <code>${key.prefix}…</code>`)}
${fact('State', statePill(key.state))}
${fact('Last used', html`${lastUse}, ${requests(totalUse(key.dailyUse))} in the last ${key.dailyUse.length} days`)}
${fact('Made', html`${dateTime(key.madeAt)} by ${named(key.madeBy)}`)}
${fact('Expires', html`${expiryText(key, now)}`)}</dl>`
}
