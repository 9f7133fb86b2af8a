/**
 * src/metrics exposes a server's metrics to Prometheus, on a separate port. Nothing here is loaded without METRICS_PORT.
 *
 *   catalogue.ts        every metric (catalogue.json); the exposition and the table in docs/monitoring.md are derived from it
 *   server-metrics.ts   measures the server: its requests, runtime and queues
 *   sync-metrics.ts     reads the results of syncs from the database, because they run in other processes
 *   health-metrics.ts   measures in the background what 'vitrine doctor' checks
 *   collect.ts          samples and histograms
 *   endpoint.ts         serves them in Prometheus' text format (exposition.ts)
 *
 * Invariants:
 * - Domain modules only count; they do not refer to Prometheus.
 * - No label takes a value from a request, so the number of series is bounded.
 * - A series starts at 0, and a counter never falls.
 * - A scrape takes bounded time, even without a database, and observing a request allocates nothing.
 *
 * Risks: the port needs no key, so it must not be public. A metric without an alert or a place on the board is not worth having:
 * test/metrics/docs.test.ts fails for it.
 */
import catalogue from './catalogue.json' with { type: 'json' }

interface Metric {
  type: 'counter' | 'gauge' | 'histogram'
  help: string
  labels?: readonly string[]
}

export type MetricName = keyof typeof catalogue

export const metrics = catalogue as Record<MetricName, Metric>

/** The upper bounds of each histogram's buckets. */
const bounds: Partial<Record<MetricName, readonly number[]>> = {
  /** Most responses take less than half a millisecond; a shutdown gives up after ten seconds. */
  vitrine_http_request_duration_seconds: [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  ],
  vitrine_event_loop_delay_seconds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  /** Above 1, the key is over its quota. */
  vitrine_quota_used_ratio: [0.1, 0.25, 0.5, 0.75, 0.9, 1],
}

export const boundsOf = (name: MetricName): readonly number[] => bounds[name] ?? []

export const metricNames = Object.keys(metrics) as MetricName[]

export const labelsOf = (name: MetricName): readonly string[] => metrics[name].labels ?? []
