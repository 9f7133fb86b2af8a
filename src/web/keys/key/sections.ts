import type { Quota, QuotaWindow } from '../../../database/store.ts'
import type { KeyDetail } from '../../../keys/detail.ts'
import { isOver, secondsToReset } from '../../../keys/quota.ts'
import { formatCount } from '../../../lib/format-count.ts'
import { type Html, html, named, type Part } from '../../../lib/html.ts'
import { clip } from '../../../lib/plain-text.ts'
import { dataTable } from '../../layout/table.ts'
import { type Clock, dateTime, relativeTime } from '../../layout/time.ts'
import { quotaText } from '../key-parts.ts'
import { dayText, largeChart, refusedText, totalOf, useSummary } from './chart.ts'

/** How requests with the key fared in the last 30 days: in a sentence, as a chart, and as a table. */
export function useSection(key: KeyDetail, clock: Clock, whenUnused: Part): Part {
  const isQuiet = key.days.every((day) => totalOf(day) === 0)
  if (isQuiet && key.lastUsedAt === null) return whenUnused
  const before = isQuiet && key.lastUsedAt !== null && html` It was last used on ${dateTime(key.lastUsedAt, clock)}.`
  return html`<section class="panel part" aria-labelledby="use"><h2 id="use">Last ${key.days.length} days</h2>
<p>${useSummary(key.days)}${before}</p>
${!isQuiet && [largeChart(key.days), dayTable(key)]}</section>`
}

/** Newest first, as everywhere. CSS keeps it a table on a phone, where others become cards. */
function dayTable({ days }: KeyDetail): Html {
  const rows = days.map(
    (day) =>
      html`<tr><th scope="row">${dayText(day)}</th><td>${formatCount(day.answered)}</td><td>${refusedText(day)}</td></tr>
`,
  )
  return html`<details><summary>Show as a table</summary>
<table class="days"><caption class="visually-hidden">Requests of each day by outcome, newest first</caption>
<thead><tr><th scope="col">Day</th><th scope="col">Answered</th><th scope="col">Refused</th></tr></thead>
<tbody>${rows.reverse()}</tbody></table></details>`
}

export interface QuotaModel {
  quota: Quota
  /** Whether the key has a limit of its own. */
  isCustom: boolean
  /** What is used of it now; undefined if nothing is, null if the key is refused whatever its quota. */
  window: QuotaWindow | undefined | null
}

export function quotaSection({ quota, isCustom, window }: QuotaModel, nowMs: number): Html {
  return html`<section class="panel part" aria-labelledby="quota"><h2 id="quota">Rate limit</h2>
<p><strong>${quotaText(quota)}</strong>${isCustom ? '' : ', the default of this service'}</p>
${window !== null && (window === undefined || window.resetsAt <= nowMs ? html`<p class="hint">None used at the moment.</p>` : useNow(quota, window, nowMs))}</section>`
}

function useNow(quota: Quota, window: QuotaWindow, nowMs: number): Html {
  // Refused requests are counted too; by how much they are over the limit helps nobody.
  const used = Math.min(window.used, quota.limit)
  const seconds = secondsToReset(quota, window, nowMs)
  const reset = seconds === 1 ? 'a second' : `${formatCount(seconds)} seconds`
  return html`<meter min="0" max="${quota.limit}" high="${Math.floor(quota.limit * 0.9)}" value="${used}" aria-labelledby="quota-use"></meter>
<p id="quota-use">${formatCount(used)} of ${formatCount(quota.limit)} used now. The count starts anew in ${reset}.${isOver(quota, window) && html` <strong>Until then, requests are refused.</strong>`}</p>`
}

/** Whoever calls chooses the name. The database keeps less of it, but may have rows from elsewhere. */
const AGENT_SHOWN = 80

/** Who uses the key: an address and a User-Agent, which may be any text. */
export function callersSection({ callers }: Pick<KeyDetail, 'callers'>, clock: Clock): Html {
  const rows = callers.map(({ address, agent, count, firstAt, lastAt }) => ({
    head: agent ? named(clip(agent, AGENT_SHOWN)) : html`<span class="faint">No User-Agent</span>`,
    cells: [
      address ? html`<code>${address}</code>` : html`<span class="faint">Unknown</span>`,
      formatCount(count),
      relativeTime(firstAt, clock),
      relativeTime(lastAt, clock),
    ],
  }))
  const columns = ['Caller', 'Address', 'Requests', 'First seen', 'Last seen']
  return html`<section class="panel part" aria-labelledby="callers"><h2 id="callers">Callers</h2>
<p class="hint">The last seen first. Callers choose their own name; an address that you do not know is a reason to rotate the key.</p>
<div>${dataTable({ caption: 'Callers, the last seen first', className: 'callers', columns, rows })}</div></section>`
}
