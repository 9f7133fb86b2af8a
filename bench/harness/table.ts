import { isRefused, type Result, type Score } from './contest.ts'
import { median, ratios, type Spread, spreadOf } from './statistics.ts'

/** A Markdown table; cells may hold anything. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(header), `|${header.map((_, i) => (i === 0 ? '---|' : '--:|')).join('')}`, ...rows.map(line)].join('\n')
}

export const withSpread = ({ median, low, high }: Spread, digits = 2): string =>
  `**${median.toFixed(digits)}** (${low.toFixed(digits)}–${high.toFixed(digits)})`

export const mib = (bytes: number): string => (bytes / 1024 / 1024).toFixed(0)

const HEADER = [
  'contestant',
  'requests per CPU-second, against bare',
  'requests per second, against bare',
  'CPU µs a request',
  'p50 ms',
  'p99 ms',
  'RSS MiB',
  'bytes',
]

/** One work's results against those of the contestant named `baseline`. */
export function contestTable(results: readonly Result[], baseline = 'bare'): string {
  const base = results.find(({ name }) => name === baseline)
  if (base === undefined || isRefused(base))
    return `There is no baseline to compare with: ${base?.refused ?? 'it did not take part'}.`
  return table(
    HEADER,
    results.map((result) => (isRefused(result) ? refusedRow(result.name, result.refused) : scoreRow(result, base))),
  )
}

const refusedRow = (name: string, why: string) => [
  name,
  `refused: ${why.replaceAll(/\s+/g, ' ')}`,
  '',
  '',
  '',
  '',
  '',
  '',
]

function scoreRow(score: Score, base: Score): string[] {
  const isBase = score === base
  return [
    score.name,
    isBase ? '1' : withSpread(spreadOf(ratios(score.perCpuSecond, base.perCpuSecond))),
    isBase ? '1' : withSpread(spreadOf(ratios(score.perSecond, base.perSecond))),
    (1e6 / median(score.perCpuSecond)).toFixed(1),
    score.p50Ms.toFixed(2),
    score.p99Ms.toFixed(2),
    mib(score.rssBytes),
    String(score.answerBytes),
  ]
}

/** How many times the best of the others a contestant does with a second of CPU. */
export function timesTheBest(results: readonly Result[], name: string, others: readonly string[]): string | undefined {
  const scores = results.filter((result): result is Score => !isRefused(result))
  const own = scores.find((score) => score.name === name)
  const best = scores
    .filter((score) => others.includes(score.name))
    .sort((a, b) => median(b.perCpuSecond) - median(a.perCpuSecond))[0]
  if (own === undefined || best === undefined) return undefined
  return `Against ${best.name}, the best of the peers: ${withSpread(spreadOf(ratios(own.perCpuSecond, best.perCpuSecond)), 1)} times.`
}
