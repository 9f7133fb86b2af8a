import type { AppStats, Observer } from '../app.ts'
import { connectionOutcomes, connectionSteps } from '../connections/oauth-error.ts'
import type { PublicStore, StoreStats } from '../database/store.ts'
import type { Occupancy } from '../lib/fair-share.ts'
import type { NoticeStats } from '../notices/timer.ts'
import { type Sample, sample } from './collect.ts'
import { requestMetrics } from './request-metrics.ts'
import { processSamples, runtimeMetrics } from './runtime-metrics.ts'
import { syncMetrics } from './sync-metrics.ts'

interface Parts {
  app: AppStats
  stores: readonly { stats(): StoreStats }[]
  log: { unwritten: Occupancy; lostLines: number }
  /** Undefined if no notices are sent. */
  notices: NoticeStats | undefined
  /** By task. */
  failures: Readonly<Record<string, number>>
  health: { samples(): Sample[] } | undefined
}

export function measureServer(store: PublicStore, { canConnect }: { canConnect: boolean }) {
  const requests = requestMetrics()
  /** All start at 0, because Prometheus sees an increase only in a series that already exists. */
  const connections = connectionSteps.flatMap((step) =>
    connectionOutcomes.map((outcome) => ({ step, outcome, count: 0 })),
  )
  const runtime = runtimeMetrics()
  const syncs = syncMetrics(store)
  return {
    observer: {
      request: requests.observe,
      parserError: requests.countParserError,
      connection(step, outcome) {
        const counter = connections.find((each) => each.step === step && each.outcome === outcome)
        if (counter !== undefined) counter.count++
      },
    } satisfies Observer,
    async collect({ app, stores, log, notices, failures, health }: Parts): Promise<Sample[]> {
      const stats = stores.map((each) => each.stats())
      return [
        ...(await processSamples()),
        ...requests.samples(),
        ...(canConnect ? connections : []).map(({ step, outcome, count }) =>
          sample('vitrine_connection_steps_total', count, step, outcome),
        ),
        ...cacheSamples(app),
        ...stats.flatMap(({ pools }) => pools.flatMap(poolSamples)),
        ...queueSamples(app, stats),
        ...occupancyOf('unread_responses', app.unread, 'vitrine_queue_current_bytes', 'vitrine_queue_limit_bytes'),
        ...occupancyOf('log', log.unwritten, 'vitrine_queue_current_bytes', 'vitrine_queue_limit_bytes'),
        sample('vitrine_log_lines_lost_total', log.lostLines),
        sample('vitrine_connections_refused_total', app.refusedConnections),
        ...runtime(),
        ...(await syncs()),
        ...(notices === undefined ? [] : noticeSamples(notices)),
        ...Object.entries(failures).map(([task, count]) => sample('vitrine_background_failures_total', count, task)),
        ...(health?.samples() ?? []),
      ]
    },
  }
}

const cacheSamples = ({ cache: { hits, misses, bytes } }: AppStats): Sample[] => [
  sample('vitrine_response_cache_lookups_total', hits, 'hit'),
  sample('vitrine_response_cache_lookups_total', misses, 'miss'),
  sample('vitrine_response_cache_current_bytes', bytes.current),
  sample('vitrine_response_cache_limit_bytes', bytes.limit),
]

const noticeSamples = (stats: NoticeStats): Sample[] =>
  Object.entries(stats).flatMap(([channel, { undelivered, ...attempts }]) => [
    sample('vitrine_notices_undelivered', undelivered, channel),
    ...Object.entries(attempts).map(([outcome, count]) =>
      sample('vitrine_notice_attempts_total', count, channel, outcome),
    ),
  ])

const poolSamples = ({ name, open, idle, waiting }: StoreStats['pools'][number]): Sample[] => [
  ...occupancyOf(name, open, 'vitrine_postgres_pool_connections_current', 'vitrine_postgres_pool_connections_limit'),
  sample('vitrine_postgres_pool_connections_idle', idle, name),
  ...occupancyOf(name, waiting, 'vitrine_postgres_pool_waiting_current', 'vitrine_postgres_pool_waiting_limit'),
]

function queueSamples(app: AppStats, stores: readonly StoreStats[]): Sample[] {
  const queues = {
    connections: app.connections,
    requests_in_progress: app.inProgress,
    pipelined_requests: app.pipelined,
    ...Object.assign({}, ...stores.map((store) => store.queues)),
  } as Record<string, Occupancy>
  return Object.entries(queues).flatMap(([name, occupancy]) =>
    occupancyOf(name, occupancy, 'vitrine_queue_current', 'vitrine_queue_limit'),
  )
}

const occupancyOf = (
  name: string,
  { current, limit }: Occupancy,
  currentMetric: Sample['metric'],
  limitMetric: Sample['metric'],
): Sample[] => [sample(currentMetric, current, name), sample(limitMetric, limit, name)]
