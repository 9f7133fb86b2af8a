interface Metric {
  type: 'counter' | 'gauge' | 'histogram'
  help: string
  labels: readonly string[]
  /** How the values of several workers become one: their sum, one series for each, or the value of the whole process. */
  workers: 'sum' | 'each' | 'process'
  /** Upper bounds of a histogram. */
  bounds?: readonly number[]
}

/** From half a millisecond, which most answers take less than, to the ten seconds after which a stop gives up. */
const REQUEST_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** A look at SQLite takes microseconds; a statement on PostgreSQL ends after two seconds. */
const STORE_SECONDS = [
  0.00001, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
]
const DELAY_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** Beyond 1 a key is over its quota. */
const QUOTA_RATIOS = [0.1, 0.25, 0.5, 0.75, 0.9, 1]

/** Every metric; the exposition and the table in docs/metrics.md follow from it. No label has a value that a client makes up. */
export const metrics = {
  vitrine_build_info: {
    type: 'gauge',
    help: 'Always 1. The version, its commit where known, and the Node.js that runs it.',
    labels: ['version', 'commit', 'node'],
    workers: 'process',
  },
  vitrine_worker_up: {
    type: 'gauge',
    help: 'Whether a serving thread answered this scrape in time. If not, the last known values of it are given.',
    labels: [],
    workers: 'each',
  },
  vitrine_http_requests_total: {
    type: 'counter',
    help: 'Requests answered, by operation (its path, or page, health, settings, not_found, invalid) and status; gone if the client left.',
    labels: ['operation', 'status'],
    workers: 'sum',
  },
  vitrine_http_request_duration_seconds: {
    type: 'histogram',
    help: 'Time from the head of a request to its answer, by operation and status.',
    labels: ['operation', 'status'],
    workers: 'sum',
    bounds: REQUEST_SECONDS,
  },
  vitrine_admissions_total: {
    type: 'counter',
    help: 'Requests that a live key with quota left was admitted for.',
    labels: [],
    workers: 'sum',
  },
  vitrine_refusals_total: {
    type: 'counter',
    help: 'Requests refused, by the code of the problem.',
    labels: ['reason'],
    workers: 'sum',
  },
  vitrine_quota_used_ratio: {
    type: 'histogram',
    help: 'Which part of its quota the key of each counted request has used, that request included; above 1 it is refused.',
    labels: [],
    workers: 'sum',
    bounds: QUOTA_RATIOS,
  },
  vitrine_response_cache_lookups_total: {
    type: 'counter',
    help: 'Answers looked for in the response cache, by result: hit or miss.',
    labels: ['result'],
    workers: 'sum',
  },
  vitrine_response_cache_current_bytes: {
    type: 'gauge',
    help: 'Memory of cached answers.',
    labels: [],
    workers: 'sum',
  },
  vitrine_response_cache_limit_bytes: {
    type: 'gauge',
    help: 'The most memory that cached answers may take: CACHE_MIB.',
    labels: [],
    workers: 'sum',
  },
  vitrine_store_call_duration_seconds: {
    type: 'histogram',
    help: 'Time that a public request waited for the database, by call: admit, recheck, read, quota.',
    labels: ['call'],
    workers: 'sum',
    bounds: STORE_SECONDS,
  },
  vitrine_store_call_errors_total: {
    type: 'counter',
    help: 'Such calls that failed.',
    labels: ['call'],
    workers: 'sum',
  },
  vitrine_postgres_pool_connections_current: {
    type: 'gauge',
    help: 'Open connections to PostgreSQL, by pool: reads, admits, settings. None on SQLite.',
    labels: ['pool'],
    workers: 'sum',
  },
  vitrine_postgres_pool_connections_limit: {
    type: 'gauge',
    help: 'The most connections that a pool opens.',
    labels: ['pool'],
    workers: 'sum',
  },
  vitrine_postgres_pool_connections_idle: {
    type: 'gauge',
    help: 'Open connections that run no statement.',
    labels: ['pool'],
    workers: 'sum',
  },
  vitrine_postgres_pool_waiting_current: {
    type: 'gauge',
    help: 'Statements that wait for a connection.',
    labels: ['pool'],
    workers: 'sum',
  },
  vitrine_postgres_pool_waiting_limit: {
    type: 'gauge',
    help: 'The most statements that may wait; further ones are refused as overloaded.',
    labels: ['pool'],
    workers: 'sum',
  },
  vitrine_queue_current: {
    type: 'gauge',
    help: 'Entries of what is bounded: connections, requests_in_progress, pipelined_requests, use_records, incidents, transactions, admissions (PostgreSQL).',
    labels: ['queue'],
    workers: 'each',
  },
  vitrine_queue_limit: {
    type: 'gauge',
    help: 'The bound of each; beyond it connections are closed, requests refused, or records dropped.',
    labels: ['queue'],
    workers: 'each',
  },
  vitrine_queue_current_bytes: {
    type: 'gauge',
    help: 'Bytes of what is bounded by bytes: unread_responses, log.',
    labels: ['queue'],
    workers: 'each',
  },
  vitrine_queue_limit_bytes: {
    type: 'gauge',
    help: 'The bound of each; beyond it requests are refused, or log lines dropped.',
    labels: ['queue'],
    workers: 'each',
  },
  vitrine_connections_refused_total: {
    type: 'counter',
    help: 'Connections closed as they were opened, because too many were open.',
    labels: [],
    workers: 'sum',
  },
  vitrine_event_loop_delay_seconds: {
    type: 'histogram',
    help: 'How late the event loop ran what was due, sampled ten times a second.',
    labels: [],
    workers: 'each',
    bounds: DELAY_SECONDS,
  },
  vitrine_event_loop_active_seconds_total: {
    type: 'counter',
    help: 'Time that the event loop was busy; its rate is the load of the thread, from 0 to 1.',
    labels: [],
    workers: 'each',
  },
  vitrine_sync_sources: {
    type: 'gauge',
    help: 'Sources of synced rows, in all workspaces that are not archived, by state: synced, failing, overdue, abandoned.',
    labels: ['state'],
    workers: 'process',
  },
  vitrine_sync_oldest_success_timestamp_seconds: {
    type: 'gauge',
    help: 'Of the last successes of these sources, the one longest ago; absent if there is none. Abandoned ones are left out.',
    labels: [],
    workers: 'process',
  },
  vitrine_metrics_database_errors_total: {
    type: 'counter',
    help: 'Scrapes for which the database could not be read in time, so that the metrics of syncs are absent.',
    labels: [],
    workers: 'process',
  },
  nodejs_heap_size_used_bytes: {
    type: 'gauge',
    help: 'Memory of JavaScript objects.',
    labels: [],
    workers: 'each',
  },
  nodejs_external_memory_bytes: {
    type: 'gauge',
    help: 'Memory of Buffers and the like, outside of the heap.',
    labels: [],
    workers: 'each',
  },
  process_cpu_seconds_total: {
    type: 'counter',
    help: 'CPU time of all threads, user and system.',
    labels: [],
    workers: 'process',
  },
  process_resident_memory_bytes: {
    type: 'gauge',
    help: 'Memory of the process.',
    labels: [],
    workers: 'process',
  },
  process_start_time_seconds: {
    type: 'gauge',
    help: 'When the process started, in seconds since 1970.',
    labels: [],
    workers: 'process',
  },
  process_open_fds: {
    type: 'gauge',
    help: 'Open file descriptors; Linux only.',
    labels: [],
    workers: 'process',
  },
  process_max_fds: {
    type: 'gauge',
    help: 'The most file descriptors that may be open; Linux only.',
    labels: [],
    workers: 'process',
  },
} as const satisfies Record<string, Metric>

export type MetricName = keyof typeof metrics

export const metricNames = Object.keys(metrics) as MetricName[]

export const definitionOf = (name: MetricName): Metric => metrics[name]

/** As they are exposed. */
export const labelsOf = (name: MetricName): readonly string[] => {
  const { labels, workers } = definitionOf(name)
  return workers === 'each' ? [...labels, 'worker'] : labels
}
