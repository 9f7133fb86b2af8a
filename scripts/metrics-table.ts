import { labelsOf, metricNames, metrics } from '../src/metrics/catalogue.ts'

export function metricsTable(): string {
  const rows = metricNames.map((name) => {
    const { type, help } = metrics[name]
    const labels = labelsOf(name).map((label) => `\`${label}\``)
    return `| \`${name}\` | ${type} | ${labels.join(', ')} | ${help} |`
  })
  return ['| metric | type | labels | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n')
}
