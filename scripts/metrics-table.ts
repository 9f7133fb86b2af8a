import { definitionOf, labelsOf, metricNames } from '../src/metrics/catalogue.ts'

const [BEGIN, END] = ['<!-- metrics:begin -->', '<!-- metrics:end -->']

/** How the threads of one process appear in it. */
const workerWords = { sum: 'sum', each: 'by worker', process: 'process' } as const

/** The page with its table of metrics written anew. */
export function withMetricsTable(page: string): string {
  const rows = metricNames.map((name) => {
    const { type, help, workers } = definitionOf(name)
    const labels = labelsOf(name).map((label) => `\`${label}\``)
    return `| \`${name}\` | ${type} | ${labels.join(', ')} | ${workerWords[workers]} | ${help} |`
  })
  const table = ['| metric | type | labels | threads | meaning |', '| --- | --- | --- | --- | --- |', ...rows].join(
    '\n',
  )
  const [before, rest = ''] = page.split(BEGIN)
  const [, after = ''] = rest.split(END)
  return `${before}${BEGIN}\n${table}\n${END}${after}`
}
