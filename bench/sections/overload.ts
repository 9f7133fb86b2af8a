import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { workspaceFixture } from '../harness/fixture.ts'
import { type BenchOptions, CONNECTIONS, warmUpJit } from '../harness/schedule.ts'
import type { Server } from '../harness/server.ts'
import { withTestbed } from '../harness/testbed.ts'
import { getWithKey, prepareVitrine } from '../harness/vitrine.ts'
import type { Flood, FloodOptions } from '../load/flood.ts'
import { load } from '../load/load.ts'
import { median, quantile, ratios, spreadOf } from '../report/statistics.ts'
import { table, withSpread } from '../report/table.ts'

export const title = 'Overload'

/** A well-behaved key asks this often, on a few connections, one request at a time on each. */
const STEADY = { rate: 50, connections: 4 }
const FLOOD_CONNECTIONS = 128
const schedules = { quick: { rounds: 2, seconds: 1 }, full: { rounds: 9, seconds: 4 } }

interface Seen {
  p50Ms: number[]
  p99Ms: number[]
  answersPerSecond: number[]
  shed: number
  answers: number
}

export const run = (options: BenchOptions): Promise<string> =>
  withTestbed(async (testbed) => {
    const prepared = prepareVitrine(testbed.folder)
    const key = await prepared.addWorkspace(workspaceFixture.slug)
    const otherKey = await prepared.addKey(workspaceFixture.slug)
    const [steadyRequest, floodRequest] = [getWithKey(key, '/tasks'), getWithKey(otherKey, '/tasks')]
    const server = await testbed.require({ ...prepared.program, probe: steadyRequest })
    await warmUpJit(server, steadyRequest, 200)
    const schedule = options.quick ? schedules.quick : schedules.full
    const { rounds = schedule.rounds, roundSeconds: seconds = schedule.seconds } = options
    const { requests, seconds: took } = await load({
      port: server.port,
      request: steadyRequest,
      connections: CONNECTIONS,
      seconds,
      status: 200,
    })
    const capacity = requests / took
    const cases = [
      { name: 'nothing', floodRate: 0 },
      { name: 'ten times as much', floodRate: 10 * STEADY.rate },
      { name: 'twice the capacity', floodRate: 2 * capacity },
    ].map((one) => ({ ...one, seen: { p50Ms: [], p99Ms: [], answersPerSecond: [], shed: 0, answers: 0 } as Seen }))
    for (let round = 0; round < rounds; round++)
      for (const { floodRate, seen } of cases) {
        const flooding = floodRate > 0 && flood({ ...floodOptions(server, floodRequest, seconds), rate: floodRate })
        await measureSteady(server, steadyRequest, seconds, seen)
        if (flooding) note(await flooding, seconds, seen)
        server.emptyLog()
      }
    const alone = (cases[0] as (typeof cases)[number]).seen
    return [
      explanation(capacity, rounds, seconds),
      table(
        HEADER,
        cases.map(({ name, seen }) => rowOf(name, seen, alone)),
      ),
    ].join('\n\n')
  })

const floodOptions = ({ port }: Server, request: Buffer, seconds: number) => ({
  port,
  request: request.toString('latin1'),
  connections: FLOOD_CONNECTIONS,
  seconds,
})

async function flood(options: FloodOptions): Promise<Flood> {
  const child = fork(join(import.meta.dirname, '../load/flood.ts'), { stdio: 'inherit' })
  child.send(options)
  const [result] = (await once(child, 'message')) as [Flood]
  return result
}

async function measureSteady({ port }: Server, request: Buffer, seconds: number, seen: Seen): Promise<void> {
  // The flood takes a moment to begin, and should not end before.
  const { latenciesMs } = await load({ port, request, ...STEADY, seconds: seconds * 0.9, status: 200 })
  seen.p50Ms.push(quantile(latenciesMs, 0.5))
  seen.p99Ms.push(quantile(latenciesMs, 0.99))
}

function note({ answers }: Flood, seconds: number, seen: Seen): void {
  const total = Object.values(answers).reduce((sum, count) => sum + count, 0)
  seen.answersPerSecond.push(total / seconds)
  seen.answers += total
  seen.shed += answers['503'] ?? 0
}

const HEADER = ['the other key sends', 'p50 ms', 'times', 'p99 ms', 'times', 'answers/s to the other', 'of them 503']

const rowOf = (name: string, seen: Seen, alone: Seen): string[] => [
  name,
  median(seen.p50Ms).toFixed(2),
  seen === alone ? '1' : withSpread(spreadOf(ratios(seen.p50Ms, alone.p50Ms)), 1),
  median(seen.p99Ms).toFixed(2),
  seen === alone ? '1' : withSpread(spreadOf(ratios(seen.p99Ms, alone.p99Ms)), 1),
  seen.answers === 0 ? '' : median(seen.answersPerSecond).toFixed(0),
  seen.answers === 0 ? '' : `${((100 * seen.shed) / seen.answers).toFixed(1)} %`,
]

const explanation = (capacity: number, rounds: number, seconds: number): string =>
  `A key asks for its 100 tasks ${STEADY.rate} times a second on ${STEADY.connections} connections, while another key floods the same server on
${FLOOD_CONNECTIONS} connections, several requests at a time on each, whether or not answers come. The cases take turns, ${rounds} rounds of ${seconds} s each.
The capacity is what the server did before for ${CONNECTIONS} connections that wait for their answers: ${capacity.toFixed(0)} requests a second. Times are
the first key's, in milliseconds from when a request was due; "times" is against the same round without a flood, the median and the
middle half of the rounds. The flood and the measuring process share a core.`
