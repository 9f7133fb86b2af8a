import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
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
/** Beside it the same key is used this often on a new connection for each request. */
const NEW_CONNECTION_RATE = 10
const [FEW, MANY] = [128, 600]
/** What is left of a flood is worked off before the next case begins. */
const PAUSE_MS = 500
const schedules = { quick: { rounds: 2, seconds: 1 }, full: { rounds: 9, seconds: 4 } }

interface Seen {
  p50Ms: number[]
  p99Ms: number[]
  newP50Ms: number[]
  newWorstMs: number[]
  newAsked: number
  newUnanswered: number
  responsesPerSecond: number[]
  shed: number
  responses: number
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
      { name: 'nothing', rate: 0, connections: 0 },
      { name: 'ten times as much', rate: 10 * STEADY.rate, connections: FEW },
      { name: 'twice the capacity', rate: 2 * capacity, connections: FEW },
      { name: `the same on ${MANY} connections`, rate: 2 * capacity, connections: MANY },
    ].map((one) => ({ ...one, seen: nothingYet() }))
    for (let round = 0; round < rounds; round++)
      for (const { rate, connections, seen } of cases) {
        const flooding =
          rate > 0 &&
          (await startFlood({
            port: server.port,
            request: floodRequest.toString('latin1'),
            connections,
            rate,
            seconds,
          }))
        await Promise.all([
          measureSteady(server, steadyRequest, seconds, seen),
          measureNewConnections(server, steadyRequest, seconds, seen),
        ])
        if (flooding) note(await flooding.result, seconds, seen)
        await delay(PAUSE_MS)
        server.emptyLog()
      }
    const alone = (cases[0] as (typeof cases)[number]).seen
    return [
      explanation(capacity, rounds, seconds),
      table(
        HEADER,
        cases.map(({ name, seen }) => rowOf(name, seen, alone)),
      ),
      table(
        NEW_CONNECTION_HEADER,
        cases.map(({ name, seen }) => newConnectionRowOf(name, seen, alone)),
      ),
    ].join('\n\n')
  })

const nothingYet = (): Seen => ({
  p50Ms: [],
  p99Ms: [],
  newP50Ms: [],
  newWorstMs: [],
  newAsked: 0,
  newUnanswered: 0,
  responsesPerSecond: [],
  shed: 0,
  responses: 0,
})

/** Resolves when every connection of the flood has been accepted and answered once. */
async function startFlood(options: FloodOptions): Promise<{ result: Promise<Flood> }> {
  const child = fork(join(import.meta.dirname, '../load/flood.ts'), { stdio: 'inherit' })
  child.send(options)
  await once(child, 'message')
  return { result: once(child, 'message').then(([result]) => result as Flood) }
}

async function measureSteady({ port }: Server, request: Buffer, seconds: number, seen: Seen): Promise<void> {
  // The flood should not end before.
  const { latenciesMs } = await load({ port, request, ...STEADY, seconds: seconds * 0.9, status: 200 })
  seen.p50Ms.push(quantile(latenciesMs, 0.5))
  seen.p99Ms.push(quantile(latenciesMs, 0.99))
}

/** From when a request was due to the end of its response, over a connection of its own. */
async function measureNewConnections({ port }: Server, request: Buffer, seconds: number, seen: Seen): Promise<void> {
  const latenciesMs: number[] = []
  const ask = async (index: number) => {
    await delay((1000 * index) / NEW_CONNECTION_RATE)
    const dueAt = performance.now()
    try {
      await load({ port, request, connections: 1, seconds: 0, status: 200 })
    } catch {
      seen.newUnanswered++
    }
    latenciesMs.push(performance.now() - dueAt)
  }
  await Promise.all(Array.from({ length: Math.ceil(seconds * 0.9 * NEW_CONNECTION_RATE) }, (_, index) => ask(index)))
  seen.newAsked += latenciesMs.length
  seen.newP50Ms.push(quantile(latenciesMs, 0.5))
  seen.newWorstMs.push(Math.max(...latenciesMs))
}

function note({ responses }: Flood, seconds: number, seen: Seen): void {
  const total = Object.values(responses).reduce((sum, count) => sum + count, 0)
  seen.responsesPerSecond.push(total / seconds)
  seen.responses += total
  seen.shed += responses['503'] ?? 0
}

const HEADER = ['the other key sends', 'p50 ms', 'times', 'p99 ms', 'times', 'answers/s to the other', 'of them 503']

const rowOf = (name: string, seen: Seen, alone: Seen): string[] => [
  name,
  median(seen.p50Ms).toFixed(2),
  seen === alone ? '1' : withSpread(spreadOf(ratios(seen.p50Ms, alone.p50Ms)), 1),
  median(seen.p99Ms).toFixed(2),
  seen === alone ? '1' : withSpread(spreadOf(ratios(seen.p99Ms, alone.p99Ms)), 1),
  seen.responses === 0 ? '' : median(seen.responsesPerSecond).toFixed(0),
  seen.responses === 0 ? '' : `${((100 * seen.shed) / seen.responses).toFixed(1)} %`,
]

const NEW_CONNECTION_HEADER = [
  'the other key sends',
  'new connection: p50 ms',
  'times',
  'worst ms',
  'times',
  'refused or given up',
]

const newConnectionRowOf = (name: string, seen: Seen, alone: Seen): string[] => [
  name,
  median(seen.newP50Ms).toFixed(1),
  seen === alone ? '1' : withSpread(spreadOf(ratios(seen.newP50Ms, alone.newP50Ms)), 1),
  median(seen.newWorstMs).toFixed(1),
  seen === alone ? '1' : withSpread(spreadOf(ratios(seen.newWorstMs, alone.newWorstMs)), 1),
  `${((100 * seen.newUnanswered) / seen.newAsked).toFixed(1)} %`,
]

const explanation = (capacity: number, rounds: number, seconds: number): string =>
  `A key asks for its 100 tasks ${STEADY.rate} times a second on ${STEADY.connections} connections, while another key floods the same server on
${FEW} or ${MANY} connections, several requests at a time on each, whether or not answers come. The cases take turns, ${rounds} rounds of ${seconds} s each.
The capacity is what the server did before for ${CONNECTIONS} connections that wait for their answers: ${capacity.toFixed(0)} requests a second. Times are
the first key's, in milliseconds from when a request was due; "times" is against the same round without a flood, the median and the
middle half of the rounds. Beside it the same key is asked with ${NEW_CONNECTION_RATE} times a second on a new connection for each request, which is given
up after five seconds; "worst" is the worst of a round. The flood and the measuring process share a core.`
