/**
 * Three replicas behind HAProxy with thousands of active workspaces, with and without routing by key: what a request costs the
 * replicas, the proxy and PostgreSQL, and how many responses are cached. The numbers of docs/performance.md.
 * `node_modules/.bin/node bench/fleet.ts [workspaces] [seconds for each measurement]`
 */
import pg from 'pg'
import { freePort } from '../test/support/listen.ts'
import { startProxy } from '../test/support/proxies.ts'
import { cacheMetrics } from './harness/cache-metrics.ts'
import { type BenchDatabase, withPostgres } from './harness/postgres.ts'
import { cpuSecondsOfTree } from './harness/process-stats.ts'
import { CONNECTIONS } from './harness/schedule.ts'
import type { Server } from './harness/server.ts'
import { type Testbed, withTestbed } from './harness/testbed.ts'
import { getWithKey, prepareVitrine } from './harness/vitrine.ts'
import { createWorkspaces } from './harness/workspaces.ts'
import { load } from './load/load.ts'
import { quantile } from './report/statistics.ts'
import { table } from './report/table.ts'

const REPLICAS = 3
const LATENCY_RATE = 200
const [workspaces, seconds] = [Number(process.argv[2] ?? 10_000), Number(process.argv[3] ?? 30)]

type Changes = Parameters<typeof startProxy>[2]

/** TLS and the log would be most of the proxy's work, and are the same either way. */
const PLAIN: [string, string][] = [
  ['    http-request redirect scheme https code 308 unless { ssl_fc }\n', ''],
  ['    log stdout format raw daemon\n', ''],
]
/** As docs/performance.md describes it. */
const BY_KEY: [string, string] = ['    balance roundrobin', '    balance hdr(Authorization)\n    hash-type consistent']

const routings: Record<string, Changes> = { 'round robin': PLAIN, 'by key': [...PLAIN, BY_KEY] }

/** Any of them, equally often: with a few that are asked for more, a cache does better. */
const inRandomOrder = (requests: readonly Buffer[], count: number): Buffer[] =>
  Array.from({ length: count }, () => requests[Math.floor(Math.random() * requests.length)] as Buffer)

async function measure(
  testbed: Testbed,
  database: BenchDatabase,
  keys: readonly string[],
  changes: Changes,
): Promise<string[]> {
  const { program } = prepareVitrine(testbed.folder, database.url)
  const replicas: { server: Server; metricsPort: number }[] = []
  for (let i = 0; i < REPLICAS; i++) {
    const metricsPort = await freePort()
    const env = { ...program.env, METRICS_PORT: String(metricsPort), TRUST_PROXY: '1' }
    replicas.push({ server: await testbed.require({ ...program, env }), metricsPort })
  }
  const ports = replicas.map(({ server }) => server.port)
  const proxy = await startProxy('haproxy', ports, changes)
  const port = Number(new URL(proxy.plainUrl).port)
  const requests = keys.map((key) => getWithKey(key, '/tasks'))
  const send = (request: readonly Buffer[], forSeconds: number, rate?: number) =>
    load({ port, request, connections: CONNECTIONS, seconds: forSeconds, status: 200, ...(rate && { rate }) })
  const metrics = () => Promise.all(replicas.map(({ metricsPort }) => cacheMetrics(metricsPort)))
  const cpuSeconds = () => ({
    replicas: replicas.reduce((sum, { server }) => sum + cpuSecondsOfTree(server.pid), 0),
    proxy: cpuSecondsOfTree(proxy.pid),
    database: database.cpuSeconds(),
  })
  try {
    // As many as there are workspaces on each replica, so that the caches are full.
    for (let sent = 0; sent < REPLICAS * keys.length; )
      sent += (await send(inRandomOrder(requests, keys.length), 10)).requests
    const [cpuBefore, before, committed] = [cpuSeconds(), await metrics(), await database.transactions()]
    const { requests: total } = await send(inRandomOrder(requests, 20 * keys.length), seconds)
    const [cpuAfter, after] = [cpuSeconds(), await metrics()]
    const transactions = (await database.transactions()) - committed
    const sessions = await sessionsOf(database)
    const { latenciesMs } = await send(inRandomOrder(requests, 20 * keys.length), seconds / 2, LATENCY_RATE)
    const grown = (of: 'hits' | 'misses') => after.reduce((sum, one, i) => sum + one[of] - (before[i]?.[of] ?? 0), 0)
    const perRequest = (of: keyof typeof cpuAfter) => (((cpuAfter[of] - cpuBefore[of]) * 1e6) / total).toFixed(0)
    return [
      (total / seconds).toFixed(0),
      `${((100 * grown('hits')) / (grown('hits') + grown('misses'))).toFixed(0)} %`,
      perRequest('replicas'),
      perRequest('proxy'),
      perRequest('database'),
      (transactions / total).toFixed(2),
      String(sessions),
      quantile(latenciesMs, 0.5).toFixed(1),
      quantile(latenciesMs, 0.99).toFixed(1),
    ]
  } finally {
    await proxy.stop()
    for (const { server } of replicas) await server.stop()
  }
}

async function query<Row extends pg.QueryResultRow>({ url }: BenchDatabase, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

const sessionsOf = async (database: BenchDatabase): Promise<number> => {
  const [row] = await query<{ sessions: number }>(
    database,
    `SELECT count(*)::int AS sessions FROM pg_stat_activity
     WHERE backend_type = 'client backend' AND application_name LIKE 'vitrine%'`,
  )
  return row?.sessions ?? 0
}

const HEADER = [
  'routing',
  'requests/s',
  'hits',
  'replica CPU µs/request',
  'proxy CPU µs/request',
  'database CPU µs/request',
  'transactions/request',
  'database sessions',
  'p50 ms',
  'p99 ms',
]

const results = await withTestbed(
  (testbed) =>
    withPostgres(testbed, async (database) => {
      const slugs = Array.from({ length: workspaces }, (_, i) => `fleet-${i}`)
      const keys = (await createWorkspaces(database.url, slugs)).map(({ key }) => key)
      // Otherwise PostgreSQL does it in the background, while it is measured.
      await query(database, 'VACUUM ANALYZE')
      const rows: string[][] = []
      for (const [name, changes] of Object.entries(routings))
        rows.push([name, ...(await measure(testbed, database, keys, changes))])
      return table(HEADER, rows)
    }),
  { isPinned: false },
)
process.stdout.write(`${workspaces} workspaces, ${REPLICAS} replicas\n\n${results}\n`)
