import { type KeyDay, refusedOn } from '../../keys/history.ts'
import type { KeyOverview } from '../../keys/overview.ts'
import { refusalText } from '../../keys/refusals.ts'
import { counted, formatCount } from '../../lib/format-count.ts'
import { type LocalTime, lastDates } from '../../lib/local-dates.ts'
import { type Html, html, type Part } from '../html.ts'
import { dateText } from '../layout/time.ts'

const refusalKinds = Object.keys(refusalText) as (keyof typeof refusalText)[]

export const totalUse = (daily: readonly number[]): number => daily.reduce((sum, uses) => sum + uses, 0)

const servedIn = (days: readonly KeyDay[]): number => totalUse(days.map(({ served }) => served))
const refusedIn = (days: readonly KeyDay[]): number => totalUse(days.map(refusedOn))
export const requestsOn = (day: KeyDay): number => day.served + refusedIn([day])

export function useSummary(days: readonly KeyDay[]): string {
  const total = totalUse(days.map(requestsOn))
  const [unit, period] = isHourly(days) ? ['hour', '24 hours'] : ['day', `${days.length} days`]
  if (total === 0) return `No requests in the last ${period}.`
  const busiest = days.reduce((most, day) => (requestsOn(day) > requestsOn(most) ? day : most))
  return `${counted(total, 'request')} in the last ${period}: ${outcomeText(days)}. Busiest ${unit}: ${dayText(busiest)} (${formatCount(requestsOn(busiest))}).`
}

const hourOf = ({ day }: Pick<KeyDay, 'day'>): string | undefined => day.split('T')[1]
const isHourly = ([first]: readonly KeyDay[]): boolean => first !== undefined && hourOf(first) !== undefined

/** "9 Nov 2026", or "9 Nov 2026, 08:00". Both are already in the workspace's timezone. */
function dayText(day: Pick<KeyDay, 'day'>): string {
  const date = dateText(`${day.day.slice(0, 'YYYY-MM-DD'.length)}T12:00:00Z`, { timezone: 'UTC' })
  return [date, hourOf(day)].filter(Boolean).join(', ')
}

/** "9 Nov", or "08:00". */
const tickText = (day: KeyDay): string => hourOf(day) ?? dayText(day).replace(/ \d{4}$/, '')

/** "14 served, 3 refused (2 over its limit, 1 not permitted)" */
const outcomeText = (days: readonly KeyDay[]): string =>
  `${formatCount(servedIn(days))} served, ${refusedIn(days) === 0 ? 'none refused' : refusedText(days, ' refused')}`

function refusedText(days: readonly KeyDay[], word = ''): string {
  const reasons = refusalKinds
    .map((kind) => ({ kind, total: totalUse(days.map(({ refused }) => refused[kind] ?? 0)) }))
    .filter(({ total }) => total > 0)
    .map(({ kind, total }) => `${formatCount(total)} ${refusalText[kind]}`)
  return `${formatCount(refusedIn(days))}${word}${reasons.length > 0 ? ` (${reasons.join(', ')})` : ''}`
}

/** On a phone, CSS keeps this a table, while others become cards. */
export function dayTable(days: readonly KeyDay[]): Html {
  const rows = days.map(
    (day) =>
      html`<tr><th scope="row">${dayText(day)}</th><td>${formatCount(day.served)}</td><td>${refusedText([day])}</td></tr>\n`,
  )
  return html`<details><summary>Show as a table</summary>
<table class="days"><caption class="visually-hidden">Requests by outcome, newest first</caption>
<thead><tr><th scope="col">${isHourly(days) ? 'Hour' : 'Day'}</th><th scope="col">Served</th><th scope="col">Refused</th></tr></thead>
<tbody>${rows.reverse()}</tbody></table></details>`
}

const CHART = { step: 12, bar: 8, height: 100 }
const SPARKLINE = { step: 6, height: 24 }
/** A single refused request among thousands must stay visible. */
const LEAST = 2

/** In days; the last is the usual one. One day is shown by the hour. */
const PERIODS = [1, 7, 30] as const
export type Period = (typeof PERIODS)[number]
export const periodIn = (query: URLSearchParams): Period =>
  PERIODS.find((period) => String(period) === query.get('days')) ?? 30

export const periodText = (period: Period): string => (period === 1 ? '24 hours' : `${period} days`)

export const periodLinks = (shown: Period, hrefOf: (period: Period) => string): Html =>
  html`<nav class="periods" aria-label="Period">${PERIODS.map((period) => html`<a href="${hrefOf(period)}"${period === shown && html` aria-current="true"`}>${periodText(period)}</a>`)}</nav>`

export const hoursHint = (period: Period): Part =>
  period === 1 &&
  html`<p class="hint">By the hour, from the request log, which keeps each key’s newest 1,000 requests. Earlier ones are counted by the day only.</p>`

/** The axis ends at a round value, whose half is round as well. */
function roundAbove(most: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(Math.max(most, 1)))
  const steps = magnitude === 1 ? [2, 4, 6, 8] : [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8]
  return magnitude * (steps.find((step) => step * magnitude >= most) ?? 10)
}

/** Below the bars, about as many dates or times, each at its first day or hour. */
const TICKS = 6

/** Refused requests are hatched, on top of the served ones. The script shows the titles at once, and lets arrow keys move. */
export function barChart(days: readonly KeyDay[]): Html {
  const { step, bar: barWidth, height: chartHeight } = CHART
  const most = roundAbove(Math.max(...days.map(requestsOn)))
  const ticks = days.filter((_, index) => index % Math.floor(days.length / TICKS) === 0)
  const width = days.length * step
  const heights = days.map((day) => heightsOf(day.served, refusedIn([day]), most, chartHeight))
  const bar = (day: number, bottom: number, height: number) =>
    height === 0
      ? ''
      : `M${day * step + 2} ${short(chartHeight - bottom)}v-${short(height)}h${barWidth}v${short(height)}z`
  const served = heights.map((height, day) => bar(day, 0, height.served)).join('')
  const refused = heights.map((height, day) => bar(day, height.served, height.refused)).join('')
  return html`<div class="plot" role="group" aria-label="Requests" data-chart><p class="scale" aria-hidden="true"><span>${formatCount(most)}</span><span>${formatCount(most / 2)}</span><span>0</span></p>
<svg role="img" aria-label="Bar chart of served and refused requests. The table below has the numbers." viewBox="0 0 ${width} ${chartHeight}" preserveAspectRatio="none">
<path class="grid" d="M0 0H${width}M0 ${chartHeight / 2}H${width}M0 ${chartHeight}H${width}"/><pattern id="hatch" width="3" height="3" patternUnits="userSpaceOnUse"><path class="hatch" d="M0 3 3 0"/></pattern><path class="served" d="${served}"/><path class="refused" fill="url(#hatch)" d="${refused}"/>
${days.map((day, index) => html`<path class="day" d="M${index * step} 0h${step}v${chartHeight}h-${step}z"><title>${dayText(day)}: ${outcomeText([day])}</title></path>`)}</svg>
<p class="dates" aria-hidden="true">${ticks.map((day) => html`<span>${tickText(day)}</span>`)}</p></div>
<ul class="legend">${legendItem('served', 'Served', servedIn(days))}${legendItem('refused', 'Refused', refusedIn(days))}</ul>`
}

/** Of the served part, and of the refused one on top of it. */
export function heightsOf(served: number, refused: number, most: number, height: number) {
  const total = served + refused
  if (total === 0) return { served: 0, refused: 0 }
  const whole = Math.max(served > 0 && refused > 0 ? 2 * LEAST : LEAST, (total / most) * height)
  if (served === 0 || refused === 0) return { served: served && whole, refused: refused && whole }
  const ofServed = Math.min(Math.max(LEAST, (whole * served) / total), whole - LEAST)
  return { served: ofServed, refused: whole - ofServed }
}

const short = (length: number): number => Math.round(length * 10) / 10

const legendItem = (className: string, text: string, total: number): Html =>
  html`<li><svg aria-hidden="true" viewBox="0 0 8 8" width="16" height="16"><path class="${className}"${className === 'refused' && html` fill="url(#hatch)"`} d="M0 0h8v8H0z"/></svg>${text} <strong>${formatCount(total)}</strong></li>`

/** The oldest day comes first, and refused requests are hatched, on top. The title describes the bars in words. */
export function sparkline({ dailyUse, dailyRefused }: DailyUse, time: LocalTime): Html {
  const { step, height: chartHeight } = SPARKLINE
  const most = Math.max(1, ...dailyUse)
  const days = lastDates(time, dailyUse.length)
  const bar = (index: number, bottom: number, height: number) =>
    height === 0 ? '' : `M${index * step + 2} ${short(chartHeight - bottom)}v-${short(height)}`
  const bars = dailyUse.map((uses, index) => {
    const refused = dailyRefused[index] ?? 0
    const heights = heightsOf(uses - refused, refused, most, chartHeight)
    return { served: bar(index, 0, heights.served), refused: bar(index, heights.served, heights.refused) }
  })
  const width = dailyUse.length * step - 2
  const path = (name: 'served' | 'refused') => bars.map((each) => each[name]).join('')
  return html`<svg class="chart" role="img" viewBox="0 0 ${width} ${chartHeight}"><title>${useText({ dailyUse, dailyRefused }, days)}</title><path d="${path('served')}"/>${totalUse(dailyRefused) > 0 && html`<path class="hatched" d="${path('refused')}"/>`}</svg>`
}

type DailyUse = Pick<KeyOverview, 'dailyUse' | 'dailyRefused'>

function useText({ dailyUse, dailyRefused }: DailyUse, days: readonly string[]): string {
  const total = totalUse(dailyUse)
  if (total === 0) return `No requests in the last ${dailyUse.length} days`
  const most = Math.max(...dailyUse)
  const refused = totalUse(dailyRefused)
  const fate = refused === 0 ? '' : `, ${formatCount(refused)} refused`
  return `${counted(total, 'request')} in the last ${dailyUse.length} days${fate}, most on ${dayText({ day: days[dailyUse.indexOf(most)] ?? '' })}: ${formatCount(most)}`
}
