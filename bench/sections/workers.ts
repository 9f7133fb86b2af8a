import { hasStatus } from '../harness/checks.ts'
import { spentNs } from '../harness/cpu-time.ts'
import { exchange } from '../harness/exchange.ts'
import { asKeyHolder } from '../harness/exhibit.ts'
import { workspaceFixture } from '../harness/fixture.ts'
import { makeFolder } from '../harness/folder.ts'
import { cores, unpin } from '../harness/machine.ts'
import type { BenchOptions } from '../harness/pace.ts'
import { type Server, startServer } from '../harness/server.ts'
import { median, ratios, spreadOf } from '../harness/statistics.ts'
import { table, withSpread } from '../harness/table.ts'
import { prepareVitrine } from '../harness/vitrine.ts'
import { load, toBytes } from '../load.ts'

export const title = 'All cores'

/** Four times those of the other works: the system spreads connections by chance, and few would fall unevenly. */
const CONNECTIONS = 128

const WORKERS = [1, 2] as const

interface Work {
  name: string
  request: Buffer
  bodyLength: number
}

/** One server's turns: what it did in a second, and what that cost itself and whoever made the load. */
interface Turns {
  server: Server
  perSecond: number[]
  serverUs: number[]
  loadUs: number[]
}

export async function run({ quick, ...options }: BenchOptions): Promise<string> {
  const rounds = options.rounds ?? (quick ? 5 : 15)
  const seconds = options.roundSeconds ?? (quick ? 0.4 : 1)
  const { server: one, load: other } = cores()
  unpin()
  const folder = makeFolder()
  const vitrine = prepareVitrine(folder)
  const key = await vitrine.addWorkspace(workspaceFixture.slug)
  const servers: Server[] = []
  try {
    for (const workers of WORKERS) {
      const env = { ...vitrine.program.env, WORKERS: String(workers) }
      servers.push(await startServer({ ...vitrine.program, env }, `${one},${other}`, folder))
    }
    const rows: string[][] = []
    for (const { name, request } of worksWith(key)) {
      const answer = await exchange((servers[0] as Server).port, request)
      const fault = hasStatus(200)(answer)
      if (fault !== undefined) throw new Error(`${name}: ${fault}`)
      const work = { name, request, bodyLength: answer.body.length }
      rows.push(rowOf(work, await takeTurns(servers, work, { rounds, seconds })))
    }
    return `${explanation(rounds, seconds)}\n\n${table(HEADER, rows)}`
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

const worksWith = (key: string) => [
  { name: '`GET /tasks`, 100 tasks', request: asKeyHolder(key, '/tasks') },
  { name: '`GET /workspace`', request: asKeyHolder(key, '/workspace') },
  {
    name: '`tools/call` `list_tasks` with `limit` 100, a query for each',
    request: toBytes({
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

async function takeTurns(
  servers: readonly Server[],
  work: Work,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Turns[]> {
  const turns = servers.map((server): Turns => ({ server, perSecond: [], serverUs: [], loadUs: [] }))
  for (const { server } of turns) await strain(server, work, seconds)
  for (let round = 0; round < rounds; round++)
    for (const { server, perSecond, serverUs, loadUs } of turns) {
      const before = { server: server.cpuTime(), load: process.cpuUsage() }
      const done = await strain(server, work, seconds)
      const { user, system } = process.cpuUsage(before.load)
      perSecond.push(done.requests / done.seconds)
      serverUs.push(spentNs(before.server, server.cpuTime()) / 1000 / done.requests)
      loadUs.push((user + system) / done.requests)
      server.emptyLog()
    }
  return turns
}

const strain = ({ port }: Server, { request, bodyLength }: Work, seconds: number) =>
  load({ port, request, connections: CONNECTIONS, seconds, status: 200, bodyLength })

const HEADER = [
  'work',
  'requests/s, 1 worker → 2',
  'times',
  'server, CPU µs a request, 1 → 2',
  'load, CPU µs a request, 1 → 2',
  'cores busy, 1 → 2',
  'times, if both cores were busy',
]

function rowOf({ name }: Work, [one, two]: readonly Turns[]): string[] {
  if (one === undefined || two === undefined) throw new Error('both must have had their turns')
  const both = (of: (turns: Turns) => number, digits: number) =>
    [one, two].map((turns) => of(turns).toFixed(digits)).join(' → ')
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

const coresBusy = ({ perSecond, serverUs, loadUs }: Turns): number =>
  median(perSecond.map((requests, round) => (requests * ((serverUs[round] ?? 0) + (loadUs[round] ?? 0))) / 1e6))

const explanation = (rounds: number, seconds: number): string =>
  `\`vitrine serve\` with \`WORKERS=1\` and with \`WORKERS=2\` over the same SQLite file take turns, ${rounds} rounds of ${seconds} s each,
${CONNECTIONS} connections. Nothing is pinned: the server and whoever makes the load, a single thread, share two cores. "Times" are requests
per second of wall time, two workers against one in the same round, the median and the middle half of the rounds.

With one worker, the load takes its share of the other core, so more than one core is busy already; a second worker can only have what is left
of it. The last column is what that comes to: 2 divided by the cores busy with one worker. It can be passed only where a request gets
cheaper, as it does for the load when more answers are ready at once. Where the load comes from elsewhere, it would be 2.`
