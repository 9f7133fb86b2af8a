import type { KeyDay } from '../../../keys/detail.ts'
import { formatCount } from '../../../lib/format-count.ts'
import { type Html, html } from '../../../lib/html.ts'
import { dateText } from '../../layout/time.ts'
import { requests } from '../key-parts.ts'

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

/** Why a request with a key is refused, the most telling first. */
const refusals = {
  over_quota: 'over its limit',
  forbidden: 'not permitted',
  unknown: 'with a damaged key',
  browser: 'sent by a browser',
  paused: 'while paused',
  expired: 'after its expiry',
  revoked: 'after it was revoked',
} as const
type Refusal = keyof typeof refusals
const refusalKinds = Object.keys(refusals) as Refusal[]

/** One outcome of requests, with its number for each day. */
export interface Series {
  name: 'answered' | Refusal
  text: string
  counts: number[]
  total: number
}

/** What was answered, then each kind of refusal that happened. */
export function seriesOf(days: readonly KeyDay[]): Series[] {
  const series = (name: Series['name'], text: string, counts: number[]) => ({ name, text, counts, total: sum(counts) })
  const answered = days.map((day) => day.answered)
  const refused = refusalKinds.map((kind) =>
    series(
      kind,
      `Refused: ${refusals[kind]}`,
      days.map((day) => day.refused[kind] ?? 0),
    ),
  )
  return [series('answered', 'Answered', answered), ...refused.filter(({ total }) => total > 0)]
}

export const totalOf = ({ answered, refused }: KeyDay): number =>
  answered + sum(refusalKinds.map((kind) => refused[kind] ?? 0))

/** Days are the workspace's already. */
export const dayText = ({ day }: KeyDay): string => dateText(`${day}T12:00:00Z`, { timezone: 'UTC' })

/** "3 (2 over its limit, 1 not permitted)" */
export function refusedText({ refused }: Pick<KeyDay, 'refused'>): string {
  const { total, reasons } = refusedOf(refused)
  return reasons === '' ? '0' : `${total} (${reasons})`
}

/** "14 answered, 3 refused (2 over its limit, 1 not permitted)" */
export function outcomeText({ answered, refused }: Pick<KeyDay, 'answered' | 'refused'>): string {
  const { total, reasons } = refusedOf(refused)
  return `${formatCount(answered)} answered, ${reasons === '' ? 'none refused' : `${total} refused (${reasons})`}`
}

function refusedOf(refused: KeyDay['refused']): { total: string; reasons: string } {
  const kinds = refusalKinds.map((kind) => ({ text: refusals[kind], count: refused[kind] ?? 0 }))
  const reasons = kinds.filter(({ count }) => count > 0).map(({ text, count }) => `${formatCount(count)} ${text}`)
  return { total: formatCount(sum(kinds.map(({ count }) => count))), reasons: reasons.join(', ') }
}

/** What the chart shows, in a sentence or two. */
export function useSummary(days: readonly KeyDay[]): string {
  const total = sum(days.map(totalOf))
  if (total === 0) return `No requests in the last ${days.length} days.`
  const refused = Object.fromEntries(
    seriesOf(days)
      .slice(1)
      .map((series) => [series.name, series.total]),
  )
  const busiest = days.reduce((most, day) => (totalOf(day) > totalOf(most) ? day : most))
  return `${requests(total)} in the last ${days.length} days: ${outcomeText({ answered: sum(days.map(({ answered }) => answered)), refused })}. The most were on ${dayText(busiest)}: ${formatCount(totalOf(busiest))}.`
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)
