import { boundsOf, labelsOf, metricNames, metrics } from './catalogue.ts'
import type { Sample } from './collect.ts'

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Prometheus' text format, version 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export function exposition(samples: readonly Sample[]): string {
  const byMetric = Map.groupBy(samples, ({ metric }) => metric)
  return metricNames
    .map((name) => {
      const own = byMetric.get(name)
      if (own === undefined) return ''
      const { type, help } = metrics[name]
      return `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n${own.map(linesOf).join('')}`
    })
    .join('')
}

function linesOf({ metric, labels, value }: Sample): string {
  const pairs = labelsOf(metric).map((label, at) => `${label}="${escapeLabel(labels[at] ?? '')}"`)
  if (typeof value === 'number') return line(metric, pairs, value)
  const bounds = boundsOf(metric)
  let count = 0
  const buckets = value.counts.map((own, at) => {
    count += own
    return line(`${metric}_bucket`, [...pairs, `le="${bounds[at] ?? '+Inf'}"`], count)
  })
  return `${buckets.join('')}${line(`${metric}_sum`, pairs, value.sum)}${line(`${metric}_count`, pairs, count)}`
}

const line = (name: string, pairs: readonly string[], value: number) =>
  `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`

const escapeHelp = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')

const escapeLabel = (text: string) => escapeHelp(text).replaceAll('"', '\\"')
