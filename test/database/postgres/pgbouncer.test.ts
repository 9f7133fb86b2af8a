import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openOperatorStore, parseDatabaseUrl } from '../../../src/database/open.ts'
import { createPool } from '../../../src/database/postgres/pool/connect.ts'
import { resources } from '../../../src/resources/index.ts'
import { connectElsewhere, freshDatabaseUrl, postgresUrl, skipWithoutPostgres } from '../../support/database.ts'
import { startOperator } from '../../support/operator.ts'
import { program } from '../../support/program.ts'
import { getFrom, type Replica, startReplicas } from '../../support/replicas.ts'
import { waitUntil } from '../../support/wait.ts'
import { type PgBouncer, skipWithoutPgBouncer, startPgBouncer } from './pgbouncer.ts'

const CLIENTS = 32
const options = { ...skipWithoutPostgres(), ...skipWithoutPgBouncer() }
let bouncer: PgBouncer

/** Five server sessions in transaction mode; otherwise with PgBouncer's defaults. */
before(async () => {
  if (options.skip === undefined) bouncer = await startPgBouncer(postgresUrl() ?? '')
})
after(() => bouncer?.remove())

type Context = Parameters<typeof freshDatabaseUrl>[0]

async function pooledDatabase(t: Context, through = bouncer) {
  const direct = await freshDatabaseUrl(t, 'postgres')
  const pooled = new URL(through.url)
  pooled.pathname = new URL(direct).pathname
  return { direct, pooled: pooled.href }
}

async function ask(replica: Replica | undefined, token: string, path = '/tasks') {
  const response = await getFrom(replica, token, path)
  return { status: response.status, headers: response.headers, body: (await response.json()) as Record<string, never> }
}

const times = <T>(count: number, work: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)))

test('through a pooler, 32 clients on five sessions get the right responses', options, async (t) => {
  const { pooled } = await pooledDatabase(t)
  const operator = await startOperator(t, pooled)
  const replicas = await startReplicas(t, 2, { DATABASE_URL: pooled })
  const keys = await times(CLIENTS, () => operator.createKey({ limit: 1000, windowSeconds: 3600 }))
  const mcp = (token: string, replica: Replica | undefined) =>
    fetch(`${replica?.url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_tasks","arguments":{"limit":5}}}',
    }).then(async (response) => ({ status: response.status, text: await response.text() }))

  for (let round = 0; round < 4; round++) {
    await operator.addTasks([{ id: 'one', title: `Round ${round}`, dueAt: '2026-12-01T09:00:00.000Z' }])
    await times(CLIENTS, async (i) => {
      const { token } = keys[i] as { token: string }
      for (let n = 0; n < 8; n++) {
        const replica = replicas[(i + n) % 2]
        if (n % 4 === 3) {
          const { status, text } = await mcp(token, replica)
          assert.equal(status, 200)
          assert.ok(text.includes(`Round ${round}`), text)
        } else if (n % 4 === 2) assert.equal((await ask(replica, token, '/workspace')).status, 200)
        else {
          const { status, body } = await ask(replica, token)
          assert.equal(status, 200, JSON.stringify(body))
          const [{ title, dueAt }] = body.tasks as unknown as [{ title: string; dueAt: string }]
          assert.deepEqual({ title, dueAt }, { title: `Round ${round}`, dueAt: '2026-12-01T09:00:00.000Z' })
        }
      }
    })
  }
  const { headers } = await ask(replicas[0], keys[0]?.token ?? '')
  assert.equal(headers.get('ratelimit-remaining'), String(1000 - 4 * 8 - 1))

  const { token } = await operator.createKey({ limit: 40, windowSeconds: 3600 })
  const burst = await times(100, (i) => ask(replicas[i % 2], token))
  assert.equal(burst.filter(({ status }) => status === 200).length, 40)
  assert.equal(burst.filter(({ status }) => status === 429).length, 60)

  await times(CLIENTS, async (i) => {
    await operator.keys.revoke(keys[i]?.id ?? '')
    for (const replica of replicas) assert.equal((await ask(replica, keys[i]?.token ?? '')).status, 401)
  })
  await waitUntil(async () => {
    const used = (await operator.keys.list('acme')).find(({ id }) => id === keys[1]?.id)
    return used?.useCount === 4 * 8
  })
})

test('every command works through the pooler', options, async (t) => {
  const { direct, pooled } = await pooledDatabase(t)
  const { ok, folder, start } = program(t, { DATABASE_URL: pooled })
  await ok('migrate')
  await ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  const file = join(folder, 'tasks.ndjson')
  const lines = Array.from({ length: 5000 }, (_, i) => JSON.stringify({ id: `t${i}`, title: 'T'.repeat(100) }))
  writeFileSync(file, lines.join('\n'))
  await ok('task', 'import', '--workspace', 'acme', file)
  await ok('task', 'import', '--workspace', 'acme', file)
  const snapshot = join(folder, 'snapshot.csv')
  writeFileSync(snapshot, 'id,title\ns1,One\ns2,Two\n')
  const sync = ['task', 'sync', '--workspace', 'acme', '--source', 'tracker', '--json']
  assert.equal(await ok(...sync, '--dry-run', snapshot), '{"created":2,"changed":0,"gone":0,"unchanged":0}')
  assert.equal(await ok(...sync, snapshot), '{"created":2,"changed":0,"gone":0,"unchanged":0}')
  writeFileSync(snapshot, 'id,title\ns2,2\n')
  assert.equal(await ok(...sync, snapshot), '{"created":0,"changed":1,"gone":1,"unchanged":0}')
  assert.equal(await ok(...sync, snapshot), '{"created":0,"changed":0,"gone":0,"unchanged":1}')
  const key = await ok('key', 'create', '--workspace', 'acme', '--label', 'nightly')
  await ok('member', 'add', '--workspace', 'acme', '--email', 'a@acme.example', '--role', 'owner')
  await ok('member', 'link', '--email', 'a@acme.example')
  assert.match(await ok('audit', '--workspace', 'acme'), /tasks\.imported/)
  await ok('doctor')
  await ok('copy', '--from', pooled, '--to', `sqlite:${join(folder, 'copy.db')}`)
  const other = await pooledDatabase(t)
  await ok('copy', '--from', `sqlite:${join(folder, 'copy.db')}`, '--to', other.pooled)

  const server = await start('serve')
  const response = await fetch(`${server.url}/tasks`, { headers: { authorization: `Bearer ${key}` } })
  assert.equal(((await response.json()) as { tasks: unknown[] }).tasks.length, 100)
  assert.equal((await fetch(`${server.url}/settings/sign-in`)).status, 200)
  assert.equal(await server.stop(), 0)
  for (const url of [direct, other.direct]) {
    const elsewhere = await connectElsewhere(url)
    assert.deepEqual(await elsewhere.all('SELECT count(*)::int AS n FROM list_items'), [{ n: 5001 }])
    await elsewhere.close()
  }
})

test('a source is synced by one process at a time, through the pooler and beside it', options, async (t) => {
  const { pooled, direct } = await pooledDatabase(t)
  const stores = await Promise.all(
    [pooled, pooled, direct].map((url) => openOperatorStore(parseDatabaseUrl(url), resources, { create: true })),
  )
  t.after(() => Promise.all(stores.map((store) => store.close())))
  for (const first of stores) {
    await using lock = await first.lock('tasks of tracker')
    assert.ok(lock)
    for (const other of stores) if (other !== first) assert.equal(await other.lock('tasks of tracker'), undefined)
  }
})

test('the reading connections cannot write, through the pooler as without it', options, async (t) => {
  const { direct, pooled } = await pooledDatabase(t)
  await startOperator(t, direct)
  for (const url of [direct, pooled]) {
    const pool = createPool({ url }, { purpose: 'test', max: 1, readOnly: true })
    t.after(() => pool.end())
    const text = `UPDATE vitrine.workspaces SET name = 'changed'`
    await assert.rejects(pool.query({ name: 'write', text }), { code: '25006' })
  }
})
