import { labelsOf, metricNames, metrics } from '../src/metrics/catalogue.ts'

export const metricsTable = (): string =>
  [
    '| metric and labels | meaning |',
    '| --- | --- |',
    ...metricNames.map((name) => {
      const labels = labelsOf(name).join(', ')
      return `| \`${name}${labels && `{${labels}}`}\` | ${metrics[name].help} |`
    }),
  ].join('\n')
