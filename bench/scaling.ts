/** What one replica and its PostgreSQL spend on a request: the numbers of docs/scaling.md. Linux only: it reads /proc. */

import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { openOperatorStore, parseDatabaseUrl } from '../src/database/open.ts'
import { Keys } from '../src/keys/life-cycle.ts'
import { resources } from '../src/resources/index.ts'
import { createWorkspace } from '../src/resources/workspace/workspaces.ts'
import { skipWithoutPgBouncer, startPgBouncer } from '../test/support/pgbouncer.ts'
import { startPostgres } from '../test/support/postgres-server.ts'
import { load, toBytes } from './load.ts'

const SECONDS = Number(process.argv[2] ?? 5)
const PORT = 4310

const database = await startPostgres()
const store = await openOperatorStore(parseDatabaseUrl(database.url), resources, { create: true })
const client = new pg.Client({ connectionString: database.url })
await client.connect()

async function makeKeys(workspaces: number): Promise<string[]> {
  const tokens: string[] = []
  for (let i = 0; i < workspaces; i++) {
    const slug = `bench-${workspaces}-${i}`
    const { id } = await createWorkspace(store, { name: slug, slug }, 'bench', new Date().toISOString())
    await client.query(
      `INSERT INTO vitrine.tasks (workspace_id, id, title, details, due_at)
       SELECT $1, 'task_' || n, 'Confirm the order with Alvés & Filhos, 東京 ' || n, repeat('They hold the price. ', 12), now() + n * interval '1 hour'
       FROM generate_series(1, 100) n`,
      [id],
    )
    const wanted = {
      label: 'bench',
      permissions: ['workspace:read', 'tasks:read'],
      quota: { limit: 1e9, windowSeconds: 60 },
      expiresAt: null,
    }
    tokens.push((await new Keys(store, 'bench').create(slug, wanted)).token)
  }
  return tokens
}

/** CPU seconds of a process and all its descendants. */
function cpuOf(root: number): number {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const fields =
          readFileSync(join('/proc', pid, 'stat'), 'utf8')
            .split(') ')[1]
            ?.split(' ') ?? []
        return [{ pid: Number(pid), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }]
      } catch {
        return []
      }
    })
  const family = new Set([root])
  for (let grew = true; grew; ) {
    grew = false
    for (const { pid, parent } of stats) if (family.has(parent) && !family.has(pid)) grew = Boolean(family.add(pid))
  }
  return stats.filter(({ pid }) => family.has(pid)).reduce((total, { ticks }) => total + ticks / 100, 0)
}

const postmaster = Number((await client.query(`SELECT pg_backend_pid() AS pid`)).rows[0].pid)
const postmasterPid = Number(readFileSync(`/proc/${postmaster}/stat`, 'utf8').split(') ')[1]?.split(' ')[1])

async function serve(databaseUrl: string): Promise<ChildProcess> {
  const child = spawn(join(import.meta.dirname, '../bin/vitrine'), ['serve'], {
    env: { ...process.env, DATABASE_URL: databaseUrl, PORT: String(PORT) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await new Promise((resolve) => child.stderr?.once('data', resolve))
  return child
}

async function transactions(): Promise<number> {
  await client.query('SELECT pg_stat_force_next_flush()')
  const { rows } = await client.query(`SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()`)
  return Number(rows[0].xact_commit)
}

const lines = [
  '| keys | through | requests/s | replica CPU µs/request | pooler CPU µs/request | database CPU µs/request | transactions/request | p50 ms | p99 ms |',
  '|---|---|---|---|---|---|---|---|---|',
]
const pooler = skipWithoutPgBouncer().skip === undefined ? await startPgBouncer(database.url) : undefined
const ways = [
  { through: 'nothing', url: database.url },
  ...(pooler === undefined ? [] : [{ through: 'PgBouncer', url: pooler.url }]),
]
const tokensOf = new Map<number, string[]>()
for (const keys of [1, 200]) tokensOf.set(keys, await makeKeys(keys))
for (const { keys, through, url } of [1, 200].flatMap((keys) => ways.map((way) => ({ keys, ...way })))) {
  const tokens = tokensOf.get(keys) ?? []
  const requests = tokens.map((token) =>
    toBytes({ method: 'GET', path: '/tasks', headers: { authorization: `Bearer ${token}` } }),
  )
  const server = await serve(url)
  const pid = server.pid ?? 0
  // Each connection has a key of its own, as replicas see it.
  const run = (seconds: number, rate?: number) =>
    Promise.all(
      Array.from({ length: 32 }, (_, i) =>
        load({
          port: PORT,
          request: requests[i % requests.length] as Buffer,
          connections: 1,
          seconds,
          status: 200,
          ...(rate !== undefined && { rate: rate / 32 }),
        }),
      ),
    )
  await run(1)
  const poolerCpu = () => (pooler === undefined ? 0 : cpuOf(pooler.pid()))
  const before = {
    replica: cpuOf(pid),
    pooler: poolerCpu(),
    database: cpuOf(postmasterPid),
    statements: await transactions(),
  }
  const results = await run(SECONDS)
  const total = results.reduce((sum, { requests: n }) => sum + n, 0)
  const spent = {
    replica: ((cpuOf(pid) - before.replica) / total) * 1e6,
    pooler: ((poolerCpu() - before.pooler) / total) * 1e6,
    database: ((cpuOf(postmasterPid) - before.database) / total) * 1e6,
    statements: ((await transactions()) - before.statements) / total,
  }
  const latencies = (await run(SECONDS, 500)).flatMap(({ latenciesMs }) => latenciesMs).sort((a, b) => a - b)
  const at = (q: number) => latencies[Math.floor(latencies.length * q)]?.toFixed(2)
  lines.push(
    `| ${keys} | ${through} | ${Math.round(total / SECONDS)} | ${spent.replica.toFixed(0)} | ${spent.pooler.toFixed(0)} | ${spent.database.toFixed(0)} | ${spent.statements.toFixed(2)} | ${at(0.5)} | ${at(0.99)} |`,
  )
  server.kill()
  await new Promise((resolve) => server.once('exit', resolve))
}
process.stdout.write(`${lines.join('\n')}\n`)
await client.end()
await store.close()
await pooler?.remove()
await database.remove()
