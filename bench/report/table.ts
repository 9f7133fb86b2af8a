import { isFailure, type Measurement, type Result } from '../harness/compare.ts'
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
  'server',
  'requests per CPU-second, against bare',
  'requests per second, against bare',
  'CPU µs a request',
  'p50 ms',
  'p99 ms',
  'RSS MiB',
  'bytes',
]

/** One workload's results against those of the server named `baseline`. */
export function comparisonTable(results: readonly Result[], baseline = 'bare'): string {
  const base = results.find(({ name }) => name === baseline)
  if (base === undefined || isFailure(base))
    return `There is no baseline to compare with: ${base?.failure ?? 'it was not measured'}.`
  return table(
    HEADER,
    results.map((result) =>
      isFailure(result) ? failureRow(result.name, result.failure) : measurementRow(result, base),
    ),
  )
}

const failureRow = (name: string, why: string) => [
  name,
  `failed: ${why.replaceAll(/\s+/g, ' ')}`,
  '',
  '',
  '',
  '',
  '',
  '',
]

function measurementRow(measurement: Measurement, base: Measurement): string[] {
  const isBase = measurement === base
  return [
    measurement.name,
    isBase ? '1' : withSpread(spreadOf(ratios(measurement.perCpuSecond, base.perCpuSecond))),
    isBase ? '1' : withSpread(spreadOf(ratios(measurement.perSecond, base.perSecond))),
    (1e6 / median(measurement.perCpuSecond)).toFixed(1),
    measurement.p50Ms?.toFixed(2) ?? '',
    measurement.p99Ms?.toFixed(2) ?? '',
    mib(measurement.rssBytes),
    String(measurement.responseBytes),
  ]
}

/** How many times the best of the others a server does with a second of CPU. */
export function ratioToBestPeer(
  results: readonly Result[],
  name: string,
  others: readonly string[],
): string | undefined {
  const measurements = results.filter((result): result is Measurement => !isFailure(result))
  const own = measurements.find((measurement) => measurement.name === name)
  const best = measurements
    .filter((measurement) => others.includes(measurement.name))
    .sort((a, b) => median(b.perCpuSecond) - median(a.perCpuSecond))[0]
  if (own === undefined || best === undefined) return undefined
  return `Against ${best.name}, the best of the peers: ${withSpread(spreadOf(ratios(own.perCpuSecond, best.perCpuSecond)), 1)} times.`
}
