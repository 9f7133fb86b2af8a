import type { KeyDay } from '../../keys/detail.ts'
import { formatCount } from '../../lib/format-count.ts'
import { type Html, html } from '../../lib/html.ts'
import { dayText, outcomeText, type Series, seriesOf, totalOf } from './outcomes.ts'

/** Units of the drawing. It is stretched to the width of the page, so its text is beside it, and not in it. */
const STEP = 10
const BAR = 8
const HEIGHT = 100
/** One refused request among thousands must still be seen. */
const LEAST = 2
const DAYS_PER_LABEL = 7

/** Requests per day, stacked by their outcome. Each outcome is one path with a pattern of its own, so it reads without colour. */
export function largeChart(days: readonly KeyDay[]): Html {
  const series = seriesOf(days)
  const top = roundUp(Math.max(...days.map(totalOf)))
  const stacks = days.map((_, day) =>
    stackOf(
      series.map(({ counts }) => counts[day] ?? 0),
      top,
    ),
  )
  const width = days.length * STEP
  const bars = series.map(
    ({ name }, index) => html`<path class="of-${name}" fill="url(#of-${name})" d="${pathOf(stacks, index)}"/>`,
  )
  return html`<div class="plot"><p class="scale" aria-hidden="true"><span>${shortCount(top)}</span><span>${shortCount(top / 2)}</span><span>0</span></p>
<svg role="img" aria-label="Bar chart of the requests of each day, stacked by outcome. The table below has its numbers." viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none"><defs>${series.map(pattern)}</defs>
<path class="grid" d="M0 0H${width}M0 ${HEIGHT / 2}H${width}M0 ${HEIGHT}H${width}"/>${bars}
${days.map((day, index) => html`<path class="day" d="M${index * STEP} 0h${STEP}v${HEIGHT}h-${STEP}z"><title>${dayText(day)}: ${outcomeText(day)}</title></path>`)}</svg>
<p class="dates" aria-hidden="true">${dateLabels(days)}</p></div>
<ul class="legend">${series.map(legendItem)}</ul>`
}

/** The heights of a day's parts from the bottom up. What the least height adds is taken from the highest. */
function stackOf(counts: readonly number[], top: number): number[] {
  const parts = counts.map((count) => (count === 0 ? 0 : Math.max(LEAST, (count / top) * HEIGHT)))
  const over = Math.max(0, parts.reduce((sum, part) => sum + part, 0) - HEIGHT)
  const highest = parts.indexOf(Math.max(...parts))
  return parts.map((part, index) => (index === highest ? part - over : part))
}

const pathOf = (stacks: readonly number[][], index: number): string =>
  stacks
    .map((parts, day) => {
      const height = parts[index] ?? 0
      const above = HEIGHT - parts.slice(0, index + 1).reduce((sum, part) => sum + part, 0)
      return height === 0 ? '' : `M${day * STEP + (STEP - BAR) / 2} ${short(above)}h${BAR}v${short(height)}h-${BAR}z`
    })
    .join('')

const short = (length: number): number => Math.round(length * 10) / 10

/** Tell the kinds of refusals apart where there is no colour. What was answered is plain. */
const HATCHES = ['M0 4L4 0', 'M0 2H4', 'M0 0L4 4M0 4L4 0', 'M2 0V4', 'M0 0L4 4', 'M2 1V3M1 2H3', 'M1 1H3V3H1Z']

function pattern({ name }: Series, index: number): Html {
  const hatch = index > 0 && html`<path class="hatch" d="${HATCHES[index - 1] ?? ''}"/>`
  return html`<pattern id="of-${name}" class="of-${name}" width="4" height="4" patternUnits="userSpaceOnUse"><path class="base" d="M0 0h4v4H0z"/>${hatch}</pattern>`
}

const legendItem = ({ name, text, total }: Series): Html =>
  html`<li><svg aria-hidden="true" viewBox="0 0 8 8" width="16" height="16"><path class="of-${name}" fill="url(#of-${name})" d="M0 0h8v8H0z"/></svg>${text} <strong>${formatCount(total)}</strong></li>`

/** The first day of each week of the chart, and today; without years, which the hovering text has. */
function dateLabels(days: readonly KeyDay[]): Html[] {
  const weeks = days.filter((_, index) => index % DAYS_PER_LABEL === 0 && index + DAYS_PER_LABEL < days.length)
  return [...weeks.map((day) => html`<span>${dayText(day).replace(/ \d{4}$/, '')}</span>`), html`<span>Today</span>`]
}

/** The next number that is easy to read, and whose half is: 2, 4, 6, 8, 10, 12, 16, 20, 30, … */
function roundUp(count: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(1, count)))
  const sizes = [1, 1.2, 1.6, 2, 3, 4, 6, 8, 10].map((times) => times * unit).filter((size) => size % 2 === 0)
  return sizes.find((size) => size >= count) ?? 10 * unit
}

const compact = new Intl.NumberFormat('en', { notation: 'compact' })
const shortCount = (count: number): string => (count < 10_000 ? formatCount(count) : compact.format(count))
