interface Metric {
  type: 'counter' | 'gauge' | 'histogram'
  help: string
  labels: readonly string[]
  /** How workers' values are combined: summed, one series each, or one value for the whole process. */
  workers: 'sum' | 'each' | 'process'
  bounds?: readonly number[]
}

/** Most responses take less than half a millisecond; a shutdown gives up after ten seconds. */
const REQUEST_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** SQLite takes microseconds; PostgreSQL cancels a statement after two seconds. */
const STORE_SECONDS = [
  0.00001, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
]
const DELAY_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** Above 1, the key is over its quota. */
const QUOTA_RATIOS = [0.1, 0.25, 0.5, 0.75, 0.9, 1]

const counter = (workers: Metric['workers'], labels: string[], help: string) =>
  ({ type: 'counter', help, labels, workers }) as const
const gauge = (workers: Metric['workers'], labels: string[], help: string) =>
  ({ type: 'gauge', help, labels, workers }) as const
const histogram = (workers: Metric['workers'], labels: string[], bounds: readonly number[], help: string) =>
  ({ type: 'histogram', help, labels, workers, bounds }) as const

/** The exposition and the table in docs/metrics.md are derived from this. Clients cannot choose label values. */
export const metrics = {
  vitrine_build_info: gauge(
    'process',
    ['version', 'commit', 'node'],
    'Always 1. The version, its commit if known, and the Node.js version.',
  ),
  vitrine_worker_up: gauge(
    'each',
    [],
    '1 if the serving thread responded to this scrape in time; if not, its last known values are reported.',
  ),
  vitrine_http_requests_total: counter(
    'sum',
    ['operation', 'status'],
    'Requests served, by operation (its path, or page, health, settings, not_found, invalid) and status; gone if the client disconnected.',
  ),
  vitrine_http_request_duration_seconds: histogram(
    'sum',
    ['operation', 'status'],
    REQUEST_SECONDS,
    'Time from the request headers to the response, by operation and status.',
  ),
  vitrine_admissions_total: counter('sum', [], 'Requests admitted with a live key that had quota left.'),
  vitrine_refusals_total: counter('sum', ['reason'], 'Requests refused, by problem code.'),
  vitrine_connection_steps_total: counter(
    'sum',
    ['step', 'outcome'],
    'Steps of connecting agents by signing in, by step (registration, consent, code, refresh, revocation) and outcome: ok, an OAuth error code, or reused if a connection was revoked because its code or refresh token was used again. Only if people can connect agents.',
  ),
  vitrine_quota_used_ratio: histogram(
    'sum',
    [],
    QUOTA_RATIOS,
    'Share of the quota that the key of each counted request has used, including that request; above 1 it is refused.',
  ),
  vitrine_response_cache_lookups_total: counter(
    'sum',
    ['result'],
    'Lookups in the response cache, by result: hit or miss.',
  ),
  vitrine_response_cache_current_bytes: gauge('sum', [], 'Memory used by cached responses.'),
  vitrine_response_cache_limit_bytes: gauge('sum', [], 'Maximum memory for cached responses: CACHE_MIB.'),
  vitrine_store_call_duration_seconds: histogram(
    'sum',
    ['call'],
    STORE_SECONDS,
    'Time that a public request waited for the database, by call: admit, recheck, read, quota.',
  ),
  vitrine_store_call_errors_total: counter('sum', ['call'], 'Failed database calls of public requests, by call.'),
  vitrine_postgres_pool_connections_current: gauge(
    'sum',
    ['pool'],
    'Open connections to PostgreSQL, by pool: reads, admits, settings. None on SQLite.',
  ),
  vitrine_postgres_pool_connections_limit: gauge('sum', ['pool'], 'Maximum number of connections in a pool.'),
  vitrine_postgres_pool_connections_idle: gauge('sum', ['pool'], 'Open connections without a running statement.'),
  vitrine_postgres_pool_waiting_current: gauge('sum', ['pool'], 'Statements waiting for a connection.'),
  vitrine_postgres_pool_waiting_limit: gauge(
    'sum',
    ['pool'],
    'Maximum number of waiting statements; further ones are refused as overloaded.',
  ),
  vitrine_queue_current: gauge(
    'each',
    ['queue'],
    'Entries in each bounded queue: connections, requests_in_progress, pipelined_requests, use_records, incidents, transactions, admissions (PostgreSQL).',
  ),
  vitrine_queue_limit: gauge(
    'each',
    ['queue'],
    'Limit of each queue; beyond it connections are closed, requests refused, or records dropped.',
  ),
  vitrine_queue_current_bytes: gauge(
    'each',
    ['queue'],
    'Bytes in each queue that is bounded by bytes: unread_responses, log.',
  ),
  vitrine_queue_limit_bytes: gauge(
    'each',
    ['queue'],
    'Limit of each such queue; beyond it requests are refused, or log lines dropped.',
  ),
  vitrine_log_lines_lost_total: counter(
    'sum',
    [],
    'Log lines that could not be written, because the disk stayed full or the reader stalled or exited.',
  ),
  vitrine_connections_refused_total: counter('sum', [], 'Connections closed on arrival, because too many were open.'),
  vitrine_event_loop_delay_seconds: histogram(
    'each',
    [],
    DELAY_SECONDS,
    'How late the event loop ran scheduled work, sampled ten times a second.',
  ),
  vitrine_event_loop_active_seconds_total: counter(
    'each',
    [],
    'Time that the event loop was busy; its rate is the thread’s load, from 0 to 1.',
  ),
  vitrine_sync_sources: gauge(
    'process',
    ['state'],
    'Sync sources in all workspaces that are not archived, by state: synced, failing, overdue, abandoned.',
  ),
  vitrine_sync_oldest_success_timestamp_seconds: gauge(
    'process',
    [],
    'Oldest of these sources’ last successful syncs; absent if there is none. Abandoned sources are left out.',
  ),
  vitrine_metrics_database_errors_total: counter(
    'process',
    [],
    'Scrapes without sync metrics, because the database could not be read in time.',
  ),
  nodejs_heap_size_used_bytes: gauge('each', [], 'Memory used by JavaScript objects.'),
  nodejs_external_memory_bytes: gauge('each', [], 'Memory used by Buffers and similar objects outside the heap.'),
  process_cpu_seconds_total: counter('process', [], 'CPU time of all threads, user and system.'),
  process_resident_memory_bytes: gauge('process', [], 'Memory used by the process.'),
  process_start_time_seconds: gauge('process', [], 'When the process started, in seconds since 1970.'),
  process_open_fds: gauge('process', [], 'Open file descriptors; Linux only.'),
  process_max_fds: gauge('process', [], 'Maximum number of open file descriptors; Linux only.'),
} satisfies Record<string, Metric>

export type MetricName = keyof typeof metrics

export const metricNames = Object.keys(metrics) as MetricName[]

export const definitionOf = (name: MetricName): Metric => metrics[name]

export const labelsOf = (name: MetricName): readonly string[] => {
  const { labels, workers } = definitionOf(name)
  return workers === 'each' ? [...labels, 'worker'] : labels
}
