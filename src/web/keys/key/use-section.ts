import type { KeyDay, KeyDetail } from '../../../keys/detail.ts'
import { formatCount } from '../../../lib/format-count.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { type Clock, dateText, dateTime } from '../../layout/time.ts'
import { requests, totalUse } from '../key-parts.ts'

/** The outcomes of a request, those of refusals with the most informative first. */
const outcomes = {
  answered: 'Answered',
  over_quota: 'over its limit',
  forbidden: 'not permitted',
  unknown: 'with a damaged key',
  browser: 'sent by a browser',
  paused: 'while paused',
  expired: 'after its expiry',
  revoked: 'after it was revoked',
} as const
type Outcome = keyof typeof outcomes
const outcomeNames = Object.keys(outcomes) as Outcome[]

const countOf = (day: KeyDay, outcome: Outcome): number =>
  outcome === 'answered' ? day.answered : (day.refused[outcome] ?? 0)
const totalOf = (day: KeyDay): number => totalUse(outcomeNames.map((outcome) => countOf(day, outcome)))

/** How requests with the key fared in the last 30 days: in a sentence, as a chart, and as a table. */
export function useSection(key: KeyDetail, clock: Clock, whenUnused: Part): Part {
  const isQuiet = key.days.every((day) => totalOf(day) === 0)
  if (isQuiet && key.lastUsedAt === null) return whenUnused
  const before = isQuiet && key.lastUsedAt !== null && html` It was last used on ${dateTime(key.lastUsedAt, clock)}.`
  return html`<section class="panel part" aria-labelledby="use"><h2 id="use">Last ${key.days.length} days</h2>
<p>${useSummary(key.days)}${before}</p>
${!isQuiet && [chart(key.days), dayTable(key)]}</section>`
}

/** What the chart shows, in a sentence or two. */
export function useSummary(days: readonly KeyDay[]): string {
  const total = totalUse(days.map(totalOf))
  if (total === 0) return `No requests in the last ${days.length} days.`
  const busiest = days.reduce((most, day) => (totalOf(day) > totalOf(most) ? day : most))
  return `${requests(total)} in the last ${days.length} days: ${outcomeText(days)}. The most were on ${dayText(busiest)}: ${formatCount(totalOf(busiest))}.`
}

/** Days are the workspace's already. */
const dayText = ({ day }: KeyDay): string => dateText(`${day}T12:00:00Z`, { timezone: 'UTC' })

/** "14 answered, 3 refused (2 over its limit, 1 not permitted)" */
function outcomeText(days: readonly KeyDay[]): string {
  const { total, reasons } = refusals(days)
  const refused = total === 0 ? 'none refused' : `${formatCount(total)} refused (${reasons})`
  return `${formatCount(totalUse(days.map(({ answered }) => answered)))} answered, ${refused}`
}

function refusals(days: readonly KeyDay[]): { total: number; reasons: string } {
  const [, ...refused] = seriesOf(days)
  const reasons = refused.map(({ name, total }) => `${formatCount(total)} ${outcomes[name]}`)
  return { total: totalUse(refused.map(({ total }) => total)), reasons: reasons.join(', ') }
}

/** Newest first, as everywhere. CSS keeps it a table on a phone, where others become cards. */
function dayTable({ days }: KeyDetail): Html {
  const rows = days.map((day) => {
    const { total, reasons } = refusals([day])
    return html`<tr><th scope="row">${dayText(day)}</th><td>${formatCount(day.answered)}</td><td>${formatCount(total)}${total > 0 && ` (${reasons})`}</td></tr>
`
  })
  return html`<details><summary>Show as a table</summary>
<table class="days"><caption class="visually-hidden">Requests of each day by outcome, newest first</caption>
<thead><tr><th scope="col">Day</th><th scope="col">Answered</th><th scope="col">Refused</th></tr></thead>
<tbody>${rows.reverse()}</tbody></table></details>`
}

/** One outcome, with its number for each day. */
interface Series {
  name: Outcome
  counts: number[]
  total: number
}

/** The requests that were answered, then each kind of refusal that happened. */
const seriesOf = (days: readonly KeyDay[]): Series[] =>
  outcomeNames
    .map((name) => ({ name, counts: days.map((day) => countOf(day, name)) }))
    .map((series) => ({ ...series, total: totalUse(series.counts) }))
    .filter(({ name, total }) => name === 'answered' || total > 0)

/** Units of the drawing. It is stretched to the width of the page, so its text is beside it, and not in it. */
const STEP = 10
const BAR = 8
const HEIGHT = 100
/** One refused request among thousands must still be seen. */
const LEAST = 2
const DAYS_PER_LABEL = 7

/** Requests per day, stacked by their outcome. Each outcome is one path with a pattern of its own, so it reads without colour. */
export function chart(days: readonly KeyDay[]): Html {
  const series = seriesOf(days)
  const top = roundUp(Math.max(...days.map(totalOf)))
  const stacks = days.map((day) => stackOf(series.map(({ name }) => (countOf(day, name) / top) * HEIGHT)))
  const width = days.length * STEP
  const bars = series.map(
    ({ name }, index) => html`<path class="of-${name}" fill="url(#of-${name})" d="${pathOf(stacks, index)}"/>`,
  )
  return html`<div class="plot"><p class="scale" aria-hidden="true"><span>${shortCount(top)}</span><span>${shortCount(top / 2)}</span><span>0</span></p>
<svg role="img" aria-label="Bar chart of the requests of each day, stacked by outcome. The table below has its numbers." viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none"><defs>${series.map(pattern)}</defs>
<path class="grid" d="M0 0H${width}M0 ${HEIGHT / 2}H${width}M0 ${HEIGHT}H${width}"/>${bars}
${days.map((day, index) => html`<path class="day" d="M${index * STEP} 0h${STEP}v${HEIGHT}h-${STEP}z"><title>${dayText(day)}: ${outcomeText([day])}</title></path>`)}</svg>
<p class="dates" aria-hidden="true">${dateLabels(days)}</p></div>
<ul class="legend">${series.map(legendItem)}</ul>`
}

/** The heights of a day's parts from the bottom up. What the least height adds is taken from the highest. */
function stackOf(heights: readonly number[]): number[] {
  const parts = heights.map((height) => (height === 0 ? 0 : Math.max(LEAST, height)))
  const over = Math.max(0, totalUse(parts) - HEIGHT)
  const highest = parts.indexOf(Math.max(...parts))
  return parts.map((part, index) => (index === highest ? part - over : part))
}

const pathOf = (stacks: readonly number[][], index: number): string =>
  stacks
    .map((parts, day) => {
      const height = parts[index] ?? 0
      const above = HEIGHT - totalUse(parts.slice(0, index + 1))
      return height === 0 ? '' : `M${day * STEP + (STEP - BAR) / 2} ${short(above)}h${BAR}v${short(height)}h-${BAR}z`
    })
    .join('')

const short = (length: number): number => Math.round(length * 10) / 10

/** They tell the kinds of refusals apart where there is no colour. Answered requests are plain. */
const HATCHES = ['M0 4L4 0', 'M0 2H4', 'M0 0L4 4M0 4L4 0', 'M2 0V4', 'M0 0L4 4', 'M2 1V3M1 2H3', 'M1 1H3V3H1Z']

function pattern({ name }: Series, index: number): Html {
  const hatch = index > 0 && html`<path class="hatch" d="${HATCHES[index - 1] ?? ''}"/>`
  return html`<pattern id="of-${name}" class="of-${name}" width="4" height="4" patternUnits="userSpaceOnUse"><path class="base" d="M0 0h4v4H0z"/>${hatch}</pattern>`
}

const legendItem = ({ name, total }: Series): Html =>
  html`<li><svg aria-hidden="true" viewBox="0 0 8 8" width="16" height="16"><path class="of-${name}" fill="url(#of-${name})" d="M0 0h8v8H0z"/></svg>${name !== 'answered' && 'Refused: '}${outcomes[name]} <strong>${formatCount(total)}</strong></li>`

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
