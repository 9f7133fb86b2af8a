/** What a request costs in one checkout of Vitrine against others: `node bench/checkouts.ts BASE OTHER…`. */
import { mkdirSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { hasStatus, isJson } from './harness/checks.ts'
import { type Check, compare, isFailure, type Target } from './harness/compare.ts'
import { exchange } from './harness/exchange.ts'
import { taskFixture, workspaceFixture } from './harness/fixture.ts'
import { describeMachine } from './harness/machine.ts'
import { mcpWorks, v2Works } from './harness/mcp-works.ts'
import { type Testbed, withTestbed } from './harness/testbed.ts'
import { getWithKey, prepareVitrine } from './harness/vitrine.ts'
import { median, ratios, spreadOf } from './report/statistics.ts'
import { table, withSpread } from './report/table.ts'

const USAGE = `node bench/checkouts.ts [--passes 3] [--rounds 12] [--seconds 0.25] BASE OTHER…

Each argument is the folder of a checkout with its packages installed. The first is the baseline; it also takes part a
second time, as "base again", which shows how far two equal servers differ. What a checkout has not, such as /v2/mcp, it is
not asked for; where the baseline has it not, the others are shown in µs.
`

const tasks = { tasks: taskFixture }

interface Work {
  name: string
  toRequest(key: string): Buffer
  check: Check
}

const works: readonly Work[] = [
  { name: '`GET /tasks`', toRequest: (key) => getWithKey(key, '/tasks'), check: isJson(tasks) },
  { name: '`GET /workspace`', toRequest: (key) => getWithKey(key, '/workspace'), check: hasStatus(200) },
  ...mcpWorks,
  ...v2Works,
]

/** Whether a server has the path at all; what it answers there is checked when it is measured. */
async function offers({ server, key }: Start, { toRequest }: Work): Promise<boolean> {
  if (server instanceof Error) return false
  return (await exchange(server.port, toRequest(key))).status !== 404
}

interface Checkout {
  name: string
  checkout: string
}

type Start = Pick<Target, 'name' | 'server'> & { key: string }

/** A database of its own for each, made by its own command line: another's use records would be changes to look at. */
async function start(testbed: Testbed, { name, checkout }: Checkout, place: number): Promise<Start> {
  const folder = join(testbed.folder, String(place))
  mkdirSync(folder)
  const vitrine = prepareVitrine(folder, undefined, join(checkout, 'bin/vitrine'))
  const key = await vitrine.addWorkspace(workspaceFixture.slug)
  const server = await testbed.require({ ...vitrine.program, name, probe: getWithKey(key, '/tasks') })
  server.pause()
  return { name, server, key }
}

/** Requests per CPU-second of each checkout in each round, by the name of the work. */
type Rounds = Map<string, Map<string, number[]>>

/** New processes for every pass: two processes of the same program are compiled and laid out a little differently. */
const pass = (checkouts: readonly Checkout[], seen: Rounds, { rounds, seconds }: { rounds: number; seconds: number }) =>
  withTestbed(async (testbed) => {
    const started: Start[] = []
    for (const [place, checkout] of checkouts.entries()) started.push(await start(testbed, checkout, place))
    const schedule = { warmUpSeconds: 2, roundSeconds: seconds, rounds, latencySeconds: 0 }
    for (const work of works) {
      for (const { server } of started) if (!(server instanceof Error)) server.resume()
      const able: Start[] = []
      for (const one of started) if (await offers(one, work)) able.push(one)
      const targets = able.map(({ name, server, key }) => ({
        name,
        server,
        request: work.toRequest(key),
        check: work.check,
      }))
      const results = await compare(targets, schedule)
      for (const { server } of started) if (!(server instanceof Error)) server.pause()
      const figures = seen.get(work.name) ?? new Map<string, number[]>()
      seen.set(work.name, figures)
      for (const result of results) {
        if (isFailure(result)) throw new Error(`${work.name}: ${result.name}: ${result.failure}`)
        figures.set(result.name, [...(figures.get(result.name) ?? []), ...result.perCpuSecond])
      }
    }
  })

/** Against the baseline, or by itself; nothing if it was not measured. */
function costOf(figures: readonly number[] | undefined, baseline: readonly number[] | undefined): string {
  if (figures === undefined) return ''
  return baseline === undefined
    ? `${(1e6 / median(figures)).toFixed(1)} µs`
    : withSpread(spreadOf(ratios(baseline, figures)), 3)
}

function report(checkouts: readonly Checkout[], seen: Rounds): string {
  const [base, ...others] = checkouts.map(({ name }) => name) as [string, ...string[]]
  const rows = [...seen].map(([work, figures]) => {
    const baseline = figures.get(base)
    const costs = others.map((name) => costOf(figures.get(name), baseline))
    return [work, costOf(baseline, undefined), ...costs]
  })
  return table(['CPU time of a request', base, ...others.map((name) => `${name}, times base`)], rows)
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    passes: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '12' },
    seconds: { type: 'string', default: '0.25' },
  },
})
const [base, ...others] = positionals.map((folder) => resolve(folder))
if (base === undefined || others.length === 0) {
  process.stderr.write(USAGE)
  process.exit(2)
}
const checkouts = [
  { name: 'base', checkout: base },
  { name: 'base again', checkout: base },
  ...others.map((checkout) => ({ name: basename(checkout), checkout })),
]
const seen: Rounds = new Map()
process.stdout.write(
  `${describeMachine()}; ${values.passes} passes of ${values.rounds} rounds of ${values.seconds} s\n\n`,
)
for (let i = 0; i < Number(values.passes); i++)
  await pass(checkouts, seen, { rounds: Number(values.rounds), seconds: Number(values.seconds) })
process.stdout.write(`${report(checkouts, seen)}\n`)
process.exit()
