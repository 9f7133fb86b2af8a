/**
 * A stranger pipelines requests with invented session cookies; how long do /healthz and a signed-in person wait?
 * `node_modules/.bin/node bench/false-cookies.ts [connections] [requests on each]`
 */

import { fork, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openOperatorStore, parseDatabaseUrl } from '../src/database/open.ts'
import { addMember } from '../src/members/members.ts'
import { resources } from '../src/resources/index.ts'
import { createWorkspace } from '../src/resources/workspace/workspaces.ts'
import { exchange } from '../test/support/exchange.ts'
import { Browser, KEYS } from '../test/support/person.ts'
import { startPostgres } from '../test/support/postgres-server.ts'

const PORT = 4311
const URL_HERE = `http://127.0.0.1:${PORT}`
const MOST_SECONDS = 60
const [connections = 300, requests = 120] = process.argv.slice(2).map(Number)

/** In a process of its own, so that the times are not those of its work. */
async function flood(): Promise<void> {
  const answers: Record<string, number> = {}
  const over = AbortSignal.timeout(MOST_SECONDS * 1000)
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect({ port: PORT, host: '127.0.0.1', signal: over }).on('error', () => {})
      const cookies = Array.from({ length: requests }, () => randomBytes(32).toString('base64url'))
      const heads = cookies.map(
        (cookie) => `GET ${KEYS} HTTP/1.1\r\nHost: x\r\nCookie: vitrine_session=${cookie}\r\n\r\n`,
      )
      socket.write(heads.join(''))
      let left = requests
      socket.on('data', (chunk) => {
        for (const [, status = ''] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3})/g)) {
          answers[status] = (answers[status] ?? 0) + 1
          if (--left === 0) socket.destroy()
        }
      })
      await new Promise((resolve) => socket.once('close', resolve))
      answers.unanswered = (answers.unanswered ?? 0) + left
    }),
  )
  process.send?.(answers)
  process.disconnect()
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const startedAt = performance.now()
  const value = await work()
  return { ms: Math.round(performance.now() - startedAt), value }
}

async function measure(): Promise<void> {
  const database = await startPostgres()
  const store = await openOperatorStore(parseDatabaseUrl(database.url), resources, { create: true })
  const now = new Date().toISOString()
  await createWorkspace(store, { name: 'Acme', slug: 'acme' }, 'bench', now)
  await addMember(store, 'acme', { email: 'owner@acme.example', role: 'owner' }, 'bench', now)
  const server = spawn(join(import.meta.dirname, '../bin/vitrine'), ['serve'], {
    env: { ...process.env, DATABASE_URL: database.url, PORT: String(PORT), PUBLIC_URL: URL_HERE },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  try {
    await new Promise((resolve) => server.stderr?.once('data', resolve))
    const person = new Browser(URL_HERE)
    await person.signIn(store, 'owner@acme.example')
    const child = fork(import.meta.filename, [String(connections), String(requests)], {
      env: { ...process.env, FLOOD: '1' },
    })
    const flooded = timed(() => new Promise((resolve) => child.once('message', resolve)))
    let isOver = false
    flooded.then(() => {
      isOver = true
    })
    const health: number[] = []
    while (!isOver) {
      const { ms, value } = await timed(() => exchange(URL_HERE, '/healthz'))
      if (value.status !== 200) throw new Error(`/healthz answered ${value.status}`)
      health.push(ms)
      await delay(20)
    }
    const page = await timed(() => person.get(KEYS))
    const { ms, value: answers } = await flooded
    const sorted = health.sort((a, b) => a - b)
    const figures = {
      requests: connections * requests,
      floodMs: ms,
      answers,
      healthzMs: { asked: sorted.length, median: sorted[sorted.length >> 1], worst: sorted.at(-1) },
      pageAfterwards: { status: page.value.status, ms: page.ms },
    }
    process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`)
  } finally {
    server.kill()
    await store.close()
    await database.remove()
  }
}

await (process.env.FLOOD === '1' ? flood() : measure())
