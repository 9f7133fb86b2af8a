import type { ChainState } from '../../audit/chain-watch.ts'
import { formatCount } from '../../lib/format-count.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { icon } from '../layout/icon.ts'
import { type Clock, momentTime } from '../layout/time.ts'

const MINUTE_MS = 60_000

/** Up to where the log is known to be as it was written, in words that claim no more than that. */
export function chainState({ verifiedTo, end, since, at, prune, fault }: ChainState, clock: Clock): Part {
  if (fault !== null) {
    const fits = Math.min(verifiedTo, fault.number - 1)
    return html`<div class="notice bad" role="alert"><p><strong>This log was tampered with, or is damaged: entry ${formatCount(fault.number)} does not fit.</strong> ${sentence(fault.message)}${fits > 0 && html` The entries up to ${formatCount(fits)} fit.`} Ask the operator of this service to run <code>vitrine audit verify</code>.</p></div>`
  }
  if (end === 0) return false
  const now = html`today ${timeOfDay(at, clock)}`
  if (verifiedTo < end)
    return line(
      html`Verified up to entry ${formatCount(verifiedTo)} of ${formatCount(end)}, ${now}. Each time that this page is opened it goes on; <code>vitrine audit verify</code> verifies all at once.`,
    )
  const first = new Date(since).toISOString()
  const intact =
    prune === undefined
      ? 'no entry was changed or removed.'
      : html`no entry was changed. Those up to ${formatCount(prune.through)} were removed because of their age, the last on ${momentTime(prune.at, clock)}.`
  return line(
    html`Verified up to entry ${formatCount(verifiedTo)}, ${now}: ${intact}${at - since >= MINUTE_MS && html` The first ones were verified on ${momentTime(first, clock)}.`}`,
  )
}

const line = (text: Html): Html => html`<p class="chain hint">${icon('check')}<span>${text}</span></p>`

const timeOfDay = (ms: number, { timezone }: Clock): string =>
  new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: timezone }).format(ms)

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
