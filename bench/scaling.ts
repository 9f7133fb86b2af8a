/**
 * What one replica and its PostgreSQL spend on a request, directly, through PgBouncer, and with more workspaces than its cache
 * holds: the numbers of docs/scaling.md.
 * `node_modules/.bin/node bench/scaling.ts [seconds for each measurement]`
 */
import { freePort } from '../test/support/listen.ts'
import { skipWithoutPgBouncer, startPgBouncer } from '../test/support/pgbouncer.ts'
import { cacheMetrics } from './harness/cache-metrics.ts'
import { type BenchDatabase, withPostgres } from './harness/postgres.ts'
import { cpuSecondsOfTree } from './harness/process-stats.ts'
import { CONNECTIONS } from './harness/schedule.ts'
import { measureCpu, type Server } from './harness/server.ts'
import { type Testbed, withTestbed } from './harness/testbed.ts'
import { getWithKey, prepareVitrine } from './harness/vitrine.ts'
import { createWorkspaces } from './harness/workspaces.ts'
import { type Load, load } from './load/load.ts'
import { quantile } from './report/statistics.ts'
import { table } from './report/table.ts'

const WARM_UP_SECONDS = 1
const LATENCY_RATE = 500
const KEYS = [1, 200]
const seconds = Number(process.argv[2] ?? 5)

const HEADER = [
  'keys',
  'through',
  'requests/s',
  'replica CPU µs/request',
  'pooler CPU µs/request',
  'database CPU µs/request',
  'transactions/request',
  'p50 ms',
  'p99 ms',
]

interface Way {
  through: string
  url: string
  poolerCpuSeconds(): number
}

async function measureAll(testbed: Testbed, database: BenchDatabase): Promise<string> {
  const pooler = skipWithoutPgBouncer().skip === undefined ? await startPgBouncer(database.url) : undefined
  const ways: Way[] = [{ through: 'nothing', url: database.url, poolerCpuSeconds: () => 0 }]
  if (pooler !== undefined)
    ways.push({ through: 'PgBouncer', url: pooler.url, poolerCpuSeconds: () => cpuSecondsOfTree(pooler.pid()) })
  try {
    const rows: string[][] = []
    for (const count of KEYS) {
      const slugs = Array.from({ length: count }, (_, i) => `bench-${count}-${i}`)
      const requests = (await createWorkspaces(database.url, slugs)).map(({ key }) => getWithKey(key, '/tasks'))
      for (const way of ways) {
        const server = await testbed.require(prepareVitrine(testbed.folder, way.url).program)
        rows.push([String(count), way.through, ...(await measure(server, requests, { database, way }))])
        await server.stop()
      }
    }
    return table(HEADER, rows)
  } finally {
    await pooler?.remove()
  }
}

async function measure(
  server: Server,
  requests: readonly Buffer[],
  { database, way }: { database: BenchDatabase; way: Way },
): Promise<string[]> {
  await loadEach(server, requests, WARM_UP_SECONDS)
  const transactionsBefore = await database.transactions()
  const before = { pooler: way.poolerCpuSeconds(), database: database.cpuSeconds() }
  const { result: loads, cpuSeconds } = await measureCpu(server, () => loadEach(server, requests, seconds))
  const after = { pooler: way.poolerCpuSeconds(), database: database.cpuSeconds() }
  const transactions = (await database.transactions()) - transactionsBefore
  const total = loads.reduce((sum, one) => sum + one.requests, 0)
  const latenciesMs = (await loadEach(server, requests, seconds, LATENCY_RATE)).flatMap((one) => one.latenciesMs)
  const perRequest = (spentSeconds: number) => ((spentSeconds * 1e6) / total).toFixed(0)
  return [
    (total / seconds).toFixed(0),
    perRequest(cpuSeconds),
    perRequest(after.pooler - before.pooler),
    perRequest(after.database - before.database),
    (transactions / total).toFixed(2),
    quantile(latenciesMs, 0.5).toFixed(2),
    quantile(latenciesMs, 0.99).toFixed(2),
  ]
}

/** Each connection has a key of its own, as replicas see it. */
function loadEach({ port }: Server, requests: readonly Buffer[], seconds: number, rate?: number): Promise<Load[]> {
  const paced = rate === undefined ? {} : { rate: rate / CONNECTIONS }
  return Promise.all(
    Array.from({ length: CONNECTIONS }, (_, i) =>
      load({
        port,
        request: requests[i % requests.length] as Buffer,
        connections: 1,
        seconds,
        status: 200,
        ...paced,
      }),
    ),
  )
}

/** Small, so that a few hundred workspaces outgrow it. Their bodies are those of the fixture. */
const CACHE_MIB = 16
const TIMES_CACHE = [0.7, 1, 1.4, 3]

/** Callers of as many workspaces as several times the cache holds, in turn: the order that caches like least. */
async function measureInTurn(testbed: Testbed, database: BenchDatabase): Promise<string> {
  const { program } = prepareVitrine(testbed.folder, database.url)
  const start = async (metricsPort: number) => {
    const env = { ...program.env, CACHE_MIB: String(CACHE_MIB), METRICS_PORT: String(metricsPort) }
    return testbed.require({ ...program, env })
  }
  const fitting = await workspacesThatFit(start, database)
  const slugs = Array.from({ length: Math.ceil(fitting * Math.max(...TIMES_CACHE)) }, (_, i) => `turn-${i}`)
  const requests = (await createWorkspaces(database.url, slugs)).map(({ key }) => getWithKey(key, '/tasks'))
  const rows: string[][] = []
  for (const times of TIMES_CACHE) {
    const metricsPort = await freePort()
    const server = await start(metricsPort)
    const inTurn = requests.slice(0, Math.round(fitting * times))
    let sent = 0
    const send = async (forSeconds: number) => {
      const at = sent % inTurn.length
      const request = [...inTurn.slice(at), ...inTurn.slice(0, at)]
      const done = await load({
        port: server.port,
        request,
        connections: CONNECTIONS,
        seconds: forSeconds,
        status: 200,
      })
      sent += done.requests
      return done
    }
    const sendRounds = async (rounds: number) => {
      const end = sent + rounds * inTurn.length
      while (sent < end) await send(WARM_UP_SECONDS)
    }
    await sendRounds(WARM_UP_ROUNDS)
    const before = { ...(await cacheMetrics(metricsPort)), sent, databaseSeconds: database.cpuSeconds() }
    const { cpuSeconds } = await measureCpu(server, () => sendRounds(MEASURED_ROUNDS))
    const databaseSeconds = database.cpuSeconds() - before.databaseSeconds
    const { hits, misses } = await cacheMetrics(metricsPort)
    const ratio = (hits - before.hits) / (hits - before.hits + misses - before.misses)
    const perRequest = (spent: number) => ((spent * 1e6) / (sent - before.sent)).toFixed(0)
    rows.push([
      String(times),
      String(inTurn.length),
      `${(ratio * 100).toFixed(0)} %`,
      perRequest(cpuSeconds),
      perRequest(databaseSeconds),
    ])
    await server.stop()
  }
  return table(['times the cache', 'workspaces', 'hits', 'replica CPU µs/request', 'database CPU µs/request'], rows)
}

const WARM_UP_ROUNDS = 3
/** Those that hit come one after the other in each round, so parts of rounds must count little. */
const MEASURED_ROUNDS = 10

/** By the memory that ten of them take. */
async function workspacesThatFit(start: (metricsPort: number) => Promise<Server>, database: BenchDatabase) {
  const slugs = Array.from({ length: 10 }, (_, i) => `weighed-${i}`)
  const request = (await createWorkspaces(database.url, slugs)).map(({ key }) => getWithKey(key, '/tasks'))
  const metricsPort = await freePort()
  const server = await start(metricsPort)
  await load({ port: server.port, request, connections: 1, seconds: 1, status: 200 })
  const { bytes } = await cacheMetrics(metricsPort)
  await server.stop()
  return (CACHE_MIB * 1024 * 1024) / (bytes / slugs.length)
}

const results = await withTestbed(
  (testbed) =>
    withPostgres(testbed, async (database) =>
      [await measureAll(testbed, database), await measureInTurn(testbed, database)].join('\n\n'),
    ),
  { isPinned: false },
)
process.stdout.write(`${results}\n`)
