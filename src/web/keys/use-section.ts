import type { KeyDetail } from '../../keys/detail.ts'
import { formatCount } from '../../lib/format-count.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { type Clock, relativeTime } from '../layout/time.ts'
import { largeChart } from './large-chart.ts'
import { dayText, refusedText, totalOf, useSummary } from './outcomes.ts'

/** How requests with the key fared in the last 30 days: in a sentence, as a chart, and as a table. */
export function useSection(key: KeyDetail, clock: Clock, whenUnused: Part): Part {
  const isQuiet = key.days.every((day) => totalOf(day) === 0)
  if (isQuiet && key.lastUsedAt === null) return whenUnused
  const before = isQuiet && key.lastUsedAt !== null && html` It was last used ${relativeTime(key.lastUsedAt, clock)}.`
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
