/**
 * What one replica and its PostgreSQL spend on a request, directly and through PgBouncer: the numbers of
 * docs/performance.md.
 * `node_modules/.bin/node bench/scaling.ts [seconds for each measurement]`
 */
import { skipWithoutPgBouncer, startPgBouncer } from '../test/database/postgres/pgbouncer.ts'
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
    ways.push({ through: 'PgBouncer', url: pooler.url, poolerCpuSeconds: () => cpuSecondsOfTree(pooler.pid) })
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

const results = await withTestbed((testbed) => withPostgres(testbed, (database) => measureAll(testbed, database)), {
  isPinned: false,
})
process.stdout.write(`${results}\n`)
