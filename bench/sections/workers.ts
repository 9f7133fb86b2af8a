import { hasStatus } from '../harness/checks.ts'
import { exchange } from '../harness/exchange.ts'
import { workspaceFixture } from '../harness/fixture.ts'
import type { BenchOptions } from '../harness/schedule.ts'
import { measureCpu, type Server } from '../harness/server.ts'
import { type Testbed, withTestbed } from '../harness/testbed.ts'
import { getWithKey, prepareVitrine } from '../harness/vitrine.ts'
import { load, toBytes } from '../load/load.ts'
import { median, ratios, spreadOf } from '../report/statistics.ts'
import { table, withSpread } from '../report/table.ts'

export const title = 'All cores'

/** Four times those of the other workloads: the system spreads connections by chance, and few would fall unevenly. */
const CONNECTIONS = 128

const WORKERS = [1, 2] as const

interface Target {
  server: Server
  key: string
}

/** One server's rounds with one request: what it did in a second, and what that cost itself and the load generator. */
interface Samples {
  server: Server
  request: Buffer
  bodyLength: number
  perSecond: number[]
  serverUs: number[]
  loadUs: number[]
}

export const run = ({ quick, ...options }: BenchOptions): Promise<string> =>
  withTestbed(
    async (testbed) => {
      const rounds = options.rounds ?? (quick ? 5 : 15)
      const seconds = options.roundSeconds ?? (quick ? 0.4 : 1)
      const targets: Target[] = []
      for (const workers of WORKERS) targets.push(await startTarget(testbed, workers))
      const rows: string[][] = []
      for (const workload of workloads) {
        const samples = []
        for (const { server, key } of targets) samples.push(await begin(server, workload.requestWith(key)))
        await measureInTurns(samples, { rounds, seconds })
        rows.push(rowOf(workload.name, samples))
      }
      return `${explanation(rounds, seconds)}\n\n${table(HEADER, rows)}`
    },
    { isPinned: false },
  )

/** Each has a file of its own with the same data: SQLite's has one server. */
async function startTarget(testbed: Testbed, workers: number): Promise<Target> {
  const vitrine = prepareVitrine(testbed.folder, `sqlite:${testbed.folder}/workers-${workers}.db`)
  const key = await vitrine.addWorkspace(workspaceFixture.slug)
  const env = { ...vitrine.program.env, WORKERS: String(workers) }
  return { server: await testbed.require({ ...vitrine.program, env }), key }
}

const workloads = [
  { name: '`GET /tasks`, 100 tasks', requestWith: (key: string) => getWithKey(key, '/tasks') },
  { name: '`GET /workspace`', requestWith: (key: string) => getWithKey(key, '/workspace') },
  {
    name: '`tools/call` `list_tasks` with `limit` 100, a query for each',
    requestWith: (key: string) =>
      toBytes({
        method: 'POST',
        path: '/mcp',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'list_tasks', arguments: { limit: 100 } },
        }),
      }),
  },
]

async function begin(server: Server, request: Buffer): Promise<Samples> {
  const response = await exchange(server.port, request)
  const fault = hasStatus(200)(response)
  if (fault !== undefined) throw new Error(fault)
  return { server, request, bodyLength: response.body.length, perSecond: [], serverUs: [], loadUs: [] }
}

async function measureInTurns(
  all: readonly Samples[],
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<void> {
  for (const samples of all) await applyLoad(samples, seconds)
  for (let round = 0; round < rounds; round++)
    for (const samples of all) {
      const { server, perSecond, serverUs, loadUs } = samples
      const loadBefore = process.cpuUsage()
      const { result: done, cpuSeconds } = await measureCpu(server, () => applyLoad(samples, seconds))
      const { user, system } = process.cpuUsage(loadBefore)
      perSecond.push(done.requests / done.seconds)
      serverUs.push((cpuSeconds * 1e6) / done.requests)
      loadUs.push((user + system) / done.requests)
      server.emptyLog()
    }
}

const applyLoad = ({ server, request, bodyLength }: Samples, seconds: number) =>
  load({ port: server.port, request, connections: CONNECTIONS, seconds, status: 200, bodyLength })

const HEADER = [
  'workload',
  'requests/s, 1 worker → 2',
  'times',
  'server, CPU µs a request, 1 → 2',
  'load, CPU µs a request, 1 → 2',
  'cores busy, 1 → 2',
  'times, if both cores were busy',
]

function rowOf(name: string, [one, two]: readonly Samples[]): string[] {
  if (one === undefined || two === undefined) throw new Error('both must have been measured')
  const both = (of: (samples: Samples) => number, digits: number) =>
    [one, two].map((samples) => of(samples).toFixed(digits)).join(' → ')
  return [
    name,
    both(({ perSecond }) => median(perSecond), 0),
    withSpread(spreadOf(ratios(two.perSecond, one.perSecond))),
    both(({ serverUs }) => median(serverUs), 1),
    both(({ loadUs }) => median(loadUs), 1),
    both(coresBusy, 2),
    (2 / coresBusy(one)).toFixed(2),
  ]
}

const coresBusy = ({ perSecond, serverUs, loadUs }: Samples): number =>
  median(perSecond.map((requests, round) => (requests * ((serverUs[round] ?? 0) + (loadUs[round] ?? 0))) / 1e6))

const explanation = (rounds: number, seconds: number): string =>
  `\`vitrine serve\` with \`WORKERS=1\` and with \`WORKERS=2\` over SQLite files with the same data take turns, ${rounds} rounds of ${seconds} s each,
${CONNECTIONS} connections. Nothing is pinned: the server and the load generator, a single thread, share two cores. "Times" are requests
per second of wall time, two workers against one in the same round, the median and the middle half of the rounds.

With one worker, the load takes its share of the other core, so more than one core is busy already; a second worker can only have what is left
of it. The last column is what that comes to: 2 divided by the cores busy with one worker. It can be passed only where a request gets
cheaper, as it does for the load when more answers are ready at once. Where the load comes from elsewhere, it would be 2.`
