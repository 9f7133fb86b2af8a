/**
 * Loads four settings pages of one workspace over many connections, as one signed-in manager, and measures how long `GET /tasks`
 * of another workspace takes meanwhile: the numbers in docs/reliability.md.
 * `node_modules/.bin/node bench/one-person.ts [sqlite|postgres] [connections,…]`
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { paths } from '../src/web/paths.ts'
import { Browser } from '../test/support/person.ts'
import { withPostgres } from './harness/postgres.ts'
import { type Testbed, withTestbed } from './harness/testbed.ts'
import { prepareVitrine, RATE_LIMIT } from './harness/vitrine.ts'
import { median, quantile } from './report/statistics.ts'
import { table } from './report/table.ts'

const SECONDS = 5
const WARM_UP_MS = 2000
const EVERY_MS = 20
const KEYS = 200
const EMAIL = 'owner@acme.example'
const PAGES = [paths.overview, paths.keys, paths.requests, paths.audit].map((pageOf) => pageOf('acme'))
const [engine = 'sqlite', numbers = '0,60,200'] = process.argv.slice(2)

interface Load {
  port: number
  cookie: string
  connections: number
}

async function timedGet(port: number, path: string, headers: Record<string, string>, agent: Agent) {
  const startedAt = performance.now()
  const [response] = await once(get({ port, path, headers, agent }), 'response')
  for await (const _ of response);
  return { ms: performance.now() - startedAt, status: String(response.statusCode) }
}

/** In a process of its own, so that the times are not those of its work. */
async function load({ port, cookie, connections }: Load): Promise<void> {
  const statuses: Record<string, number> = {}
  let isOver = false
  process.once('message', () => {
    isOver = true
  })
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  await Promise.all(
    Array.from({ length: connections }, async (_, at) => {
      for (let next = at; !isOver; next++) {
        const { status } = await timedGet(port, PAGES[next % PAGES.length] as string, { cookie }, agent)
        statuses[status] = (statuses[status] ?? 0) + 1
      }
    }),
  )
  agent.destroy()
  process.send?.(statuses)
  process.disconnect()
}

async function timesWith(get: () => Promise<{ ms: number; status: string }>): Promise<number[]> {
  const times: number[] = []
  const until = performance.now() + SECONDS * 1000
  while (performance.now() < until) {
    const { ms, status } = await get()
    if (status !== '200') throw new Error(`/tasks returned ${status}`)
    times.push(ms)
    await delay(EVERY_MS)
  }
  return times
}

async function measure(testbed: Testbed, databaseUrl?: string): Promise<string> {
  const vitrine = prepareVitrine(testbed.folder, databaseUrl)
  const key = await vitrine.addWorkspace('other')
  const file = join(testbed.folder, 'acme.json')
  const keys = Array.from({ length: KEYS }, (_, at) => ({ label: `key ${at}`, rateLimit: RATE_LIMIT }))
  const acme = { slug: 'acme', name: 'Acme', members: [{ email: EMAIL, role: 'owner' }], keys }
  writeFileSync(file, JSON.stringify({ workspaces: [acme] }))
  await vitrine.runCommand('apply', file)
  const { port } = await testbed.require(vitrine.program)
  const person = new Browser(`http://127.0.0.1:${port}`)
  await person.follow(await vitrine.runCommand('member', 'link', '--email', EMAIL))

  // Its connection is open before the others: of a flood of new ones, one is accepted per tick.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const getTasks = () => timedGet(port, '/tasks', { authorization: `Bearer ${key}` }, agent)
  await getTasks()
  const rows: string[][] = []
  for (const connections of numbers.split(',').map(Number)) {
    const options: Load = { port, cookie: person.cookieHeader, connections }
    const child =
      connections > 0 && fork(import.meta.filename, { env: { ...process.env, LOAD: JSON.stringify(options) } })
    if (child) await delay(WARM_UP_MS)
    const times = await timesWith(getTasks)
    if (child) child.send('stop')
    const [statuses] = child ? await once(child, 'message') : []
    const shown = [median(times), quantile(times, 0.99), Math.max(...times)].map((ms) => ms.toFixed(1))
    rows.push([String(connections), ...shown, JSON.stringify(statuses ?? {})])
  }
  agent.destroy()
  return table(['connections', 'p50 ms', 'p99 ms', 'worst ms', 'page responses by status'], rows)
}

if (process.env.LOAD !== undefined) await load(JSON.parse(process.env.LOAD))
else {
  const results = await withTestbed(
    (testbed) =>
      engine === 'postgres' ? withPostgres(testbed, (database) => measure(testbed, database.url)) : measure(testbed),
    { isPinned: false },
  )
  process.stdout.write(`${results}\n`)
}
