import { labelsOf, metricNames, metrics } from '../src/metrics/catalogue.ts'

/** How the threads of one process appear in it. */
const workerWords = { sum: 'sum', each: 'by worker', process: 'process' } as const

export function metricsTable(): string {
  const rows = metricNames.map((name) => {
    const { type, help, workers } = metrics[name]
    const labels = labelsOf(name).map((label) => `\`${label}\``)
    return `| \`${name}\` | ${type} | ${labels.join(', ')} | ${workerWords[workers]} | ${help} |`
  })
  return ['| metric | type | labels | threads | meaning |', '| --- | --- | --- | --- | --- |', ...rows].join('\n')
}
