import type { KeyDetail } from '../../keys/detail.ts'
import { formatCount } from '../../lib/format-count.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { type Clock, relativeTime } from '../layout/time.ts'
import { largeChart } from './large-chart.ts'
import { dayText, seriesOf, totalOf, useSummary } from './outcomes.ts'

/** What the key was used for in the last 30 days: a sentence, a chart, and the same as a table. */
export function useSection(key: KeyDetail, clock: Clock, whenUnused: Part): Html {
  if (key.useCount === 0 && key.days.every((day) => totalOf(day) === 0)) return html`${whenUnused}`
  const isQuiet = key.days.every((day) => totalOf(day) === 0)
  const before = isQuiet && key.lastUsedAt !== null && html` It was last used ${relativeTime(key.lastUsedAt, clock)}.`
  return html`<section class="panel part use-of-key" aria-labelledby="use"><h2 id="use">Last ${key.days.length} days</h2>
<p>${useSummary(key.days)}${before}</p>
${!isQuiet && [largeChart(key.days), dayTable(key)]}</section>`
}

/** The newest first, as in the audit log. */
function dayTable({ days }: KeyDetail): Html {
  const series = seriesOf(days)
  const rows = days
    .map(
      (day, index) =>
        html`<tr role="row"><th role="rowheader" scope="row">${dayText(day)}</th>${series.map(({ counts }) => html`<td role="cell">${formatCount(counts[index] ?? 0)}</td>`)}</tr>
`,
    )
    .reverse()
  return html`<details><summary>Show as a table</summary>
<table class="days" role="table"><caption class="visually-hidden">Requests of each day by outcome</caption>
<thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">Day</th>${series.map(({ text }) => html`<th role="columnheader" scope="col">${text}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows}</tbody></table></details>`
}
