import type { KeyOverview } from '../../keys/overview.ts'
import type { KeyState } from '../../keys/state.ts'
import { type Html, html, named, type Part } from '../../lib/html.ts'
import { type Clock, dateTime, relativeTime, timeOfEnd } from '../layout/time.ts'
import { requests, totalUse } from './use-chart.ts'

const stateText: Record<KeyState['kind'], string> = {
  live: 'Live',
  expiring: 'Expiring',
  rotating: 'Rotating',
  paused: 'Paused',
  expired: 'Expired',
  revoked: 'Revoked',
}

export const statePill = ({ kind }: KeyState): Html =>
  html`<span class="pill ${kind}"><span class="dot" aria-hidden="true"></span>${stateText[kind]}</span>`

export function expiryText({ expiresAt }: { expiresAt: string | null }, clock: Clock): Part {
  return expiresAt === null ? 'Never' : timeOfEnd(expiresAt, clock)
}

/** Under the state: when it ends, or ended. */
export function stateDetail({ state, expiresAt }: KeyOverview, clock: Clock): Html {
  if (state.kind === 'revoked') return relativeTime(state.at, clock)
  if (state.kind === 'rotating') return html`until ${timeOfEnd(state.until, clock)}`
  if (expiresAt === null) return html`never expires`
  if (state.kind === 'expired') return timeOfEnd(expiresAt, clock)
  return html`expires ${timeOfEnd(expiresAt, clock)}`
}

/** Enough to check, before a change, that this is the right key and that nothing still needs it. */
export function keyFacts(key: KeyOverview, clock: Clock): Html {
  const fact = (name: string, value: Html) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`
  const lastUse = key.lastUsedAt === null ? html`Never` : html`<strong>${relativeTime(key.lastUsedAt, clock)}</strong>`
  return html`<dl class="facts-list">${fact('Key', html`${named(key.label)} <code>${key.prefix}…</code>`)}
${fact('State', statePill(key.state))}
${fact('Last used', html`${lastUse}, ${requests(totalUse(key.dailyUse))} in the last ${key.dailyUse.length} days`)}
${fact('Created', html`${dateTime(key.createdAt, clock)} by ${named(key.createdBy)}`)}
${fact('Expires', html`${expiryText(key, clock)}`)}</dl>`
}
