import type { KeyDay } from '../../keys/detail.ts'
import { formatCount } from '../../lib/format-count.ts'
import { dateText } from '../layout/time.ts'
import { requests } from './use-chart.ts'

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
