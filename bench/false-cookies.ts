/**
 * Pipelines requests with invented session cookies, and measures how long /healthz and a signed-in person wait
 * meanwhile.
 * `node_modules/.bin/node bench/false-cookies.ts [connections] [requests on each]`
 */
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Browser, KEYS } from '../test/support/person.ts'
import { exchange } from './harness/exchange.ts'
import { type BenchDatabase, withPostgres } from './harness/postgres.ts'
import { type Testbed, withTestbed } from './harness/testbed.ts'
import { prepareVitrine } from './harness/vitrine.ts'
import { median } from './report/statistics.ts'
import { table } from './report/table.ts'

const MAX_SECONDS = 60
const EMAIL = 'owner@acme.example'
const [connections = 600, requests = 60] = process.argv.slice(2).map(Number)

/** In a process of its own, so that the times are not those of its work. */
async function flood(port: number): Promise<void> {
  const responses: Record<string, number> = {}
  const timeout = AbortSignal.timeout(MAX_SECONDS * 1000)
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect({ port, host: '127.0.0.1', signal: timeout }).on('error', () => {})
      const cookies = Array.from({ length: requests }, () => randomBytes(32).toString('base64url'))
      const heads = cookies.map(
        (cookie) => `GET ${KEYS} HTTP/1.1\r\nHost: x\r\nCookie: vitrine_session=${cookie}\r\n\r\n`,
      )
      socket.write(heads.join(''))
      let left = requests
      socket.on('data', (chunk) => {
        for (const [, status = ''] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3})/g)) {
          responses[status] = (responses[status] ?? 0) + 1
          if (--left === 0) socket.destroy()
        }
      })
      await new Promise((resolve) => socket.once('close', resolve))
      responses.none = (responses.none ?? 0) + left
    }),
  )
  process.send?.(responses)
  process.disconnect()
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const startedAt = performance.now()
  const value = await work()
  return { ms: Math.round(performance.now() - startedAt), value }
}

async function measure(testbed: Testbed, database: BenchDatabase): Promise<string> {
  const vitrine = prepareVitrine(testbed.folder, database.url)
  await vitrine.runCommand('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  await vitrine.runCommand('member', 'add', '--workspace', 'acme', '--email', EMAIL, '--role', 'owner')
  const { port } = await testbed.require(vitrine.program)
  const person = new Browser(`http://127.0.0.1:${port}`)
  await person.follow(await vitrine.runCommand('member', 'link', '--email', EMAIL))

  const child = fork(import.meta.filename, process.argv.slice(2), { env: { ...process.env, FLOOD_PORT: String(port) } })
  let isOver = false
  const flooded = timed(() => once(child, 'message')).finally(() => {
    isOver = true
  })
  const healthMs: number[] = []
  while (!isOver) {
    const { ms, value } = await timed(() => exchange(port, vitrine.program.probe))
    if (value.status !== 200) throw new Error(`/healthz returned ${value.status}`)
    healthMs.push(ms)
    await delay(20)
  }
  const page = await timed(() => person.get(KEYS))
  if (page.value.status !== 200) throw new Error(`the settings page returned ${page.value.status}`)
  const { ms: floodMs, value } = await flooded
  return table(
    [
      'requests',
      'took ms',
      'responses by status',
      '/healthz median ms',
      '/healthz worst ms',
      'settings page after it, ms',
    ],
    [
      [
        String(connections * requests),
        String(floodMs),
        JSON.stringify(value[0]),
        median(healthMs).toFixed(0),
        String(Math.max(...healthMs)),
        String(page.ms),
      ],
    ],
  )
}

if (process.env.FLOOD_PORT === undefined) {
  const results = await withTestbed((testbed) => withPostgres(testbed, (database) => measure(testbed, database)), {
    isPinned: false,
  })
  process.stdout.write(`${results}\n`)
} else await flood(Number(process.env.FLOOD_PORT))
