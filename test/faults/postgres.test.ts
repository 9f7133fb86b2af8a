import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { startCutProxy } from '../support/cut-proxy.ts'
import { skipWithoutPostgres } from '../support/database.ts'
import { startOperator } from '../support/operator.ts'
import { type PostgresServer, startPostgres, withClient } from '../support/postgres-server.ts'
import { program } from '../support/program.ts'
import { getFrom, type Replica, startReplicas } from '../support/replicas.ts'
import { waitUntil } from '../support/wait.ts'

const options = skipWithoutPostgres()
let database: PostgresServer
let made = 0

// A separate server for this file, because these tests break it.
before(async () => {
  if (options.skip === undefined) database = await startPostgres({ max_connections: '30' })
})
after(() => database?.remove())

type Context = Parameters<typeof startOperator>[0]

async function freshDatabase(): Promise<string> {
  const name = `faults_${++made}`
  await withClient(database.url, (client) => client.query(`CREATE DATABASE ${name}`))
  return database.url.replace(/postgres$/, name)
}

async function service(t: Context, serverUrl = (url: string) => url) {
  const url = await freshDatabase()
  const operator = await startOperator(t, url)
  const [replica] = await startReplicas(t, 1, { DATABASE_URL: serverUrl(url) })
  assert.ok(replica)
  return { url, operator, replica }
}

const ask = async (replica: Replica, token: string, path = '/tasks') => {
  const response = await getFrom(replica, token, path)
  return { status: response.status, headers: response.headers, body: await response.text() }
}

/** Each book is another response, which is not cached. */
const askForBook = async ({ url }: Replica, token: string, book: number) => {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_tasks","arguments":{"bookKey":"${book}"}}}`,
  })
  return ((await response.json()) as { error?: { code: number } }).error?.code
}

async function assertFailsCleanly(replica: Replica, token: string): Promise<void> {
  const { status, headers, body } = await ask(replica, token)
  assert.equal(status, 500)
  assert.equal(headers.get('content-type'), 'application/problem+json')
  assert.equal(JSON.parse(body).code, 'internal_error')
  assert.doesNotMatch(body, /ECONN|postgres|pg|timeout|127\.0\.0\.1/i)
}

/** Resolves when they are gone. */
const terminateSessions = () =>
  withClient(database.url, async (client) => {
    const { rows } = await client.query<{ pid: number }>(
      `SELECT pid, pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name LIKE 'vitrine %'`,
    )
    // PostgreSQL returns false after too long a wait, but also for a session that had just ended by itself.
    const pids = rows.map(({ pid }) => pid)
    const left = await client.query('SELECT pid FROM pg_stat_activity WHERE pid = ANY($1)', [pids])
    assert.deepEqual(left.rows, [])
  })

async function untilServed(replica: Replica, token: string) {
  let response = await ask(replica, token)
  await waitUntil(async () => {
    if (response.status !== 200) response = await ask(replica, token)
    return response.status === 200
  })
  return response
}

test(
  'while the database is down: 500s and 503 on /readyz, 200 on /healthz; service resumes by itself, counts and revocations kept',
  options,
  async (t) => {
    const { operator, replica } = await service(t)
    const { token } = await operator.createKey({ limit: 100, windowSeconds: 3600 })
    const revoked = await operator.createKey()
    assert.equal((await ask(replica, token)).headers.get('ratelimit-remaining'), '99')
    await operator.keys.revoke(revoked.id)

    await database.stop()
    await Promise.all(Array.from({ length: 20 }, () => assertFailsCleanly(replica, token)))
    assert.equal((await ask(replica, token, '/readyz')).status, 503)
    assert.equal((await ask(replica, token, '/healthz')).status, 200)

    await database.start()
    assert.equal((await untilServed(replica, token)).headers.get('ratelimit-remaining'), '98')
    assert.equal((await ask(replica, revoked.token)).status, 401)
    assert.equal((await ask(replica, token, '/readyz')).status, 200)
  },
)

test('a crash of the database loses no key and no revocation', options, async (t) => {
  const { operator, replica } = await service(t)
  const { token } = await operator.createKey()
  const revoked = await operator.createKey()
  await ask(replica, token)
  await operator.keys.revoke(revoked.id)
  await database.kill()
  await assertFailsCleanly(replica, token)
  await database.start()
  await untilServed(replica, token)
  assert.equal((await ask(replica, revoked.token)).status, 401)
})

test('broken connections are replaced', options, async (t) => {
  const { operator, replica } = await service(t)
  const { token } = await operator.createKey()
  await ask(replica, token)
  for (let round = 0; round < 3; round++) {
    await terminateSessions()
    await untilServed(replica, token)
  }
})

test('a slow database costs a request a bounded wait, and the backlog ends with it', options, async (t) => {
  const { url, operator, replica } = await service(t)
  const { token } = await operator.createKey()
  await ask(replica, token)
  const blocker = new pg.Client({ connectionString: url })
  await blocker.connect()
  await blocker.query('BEGIN; LOCK TABLE vitrine.api_keys IN ACCESS EXCLUSIVE MODE')
  await Promise.all(Array.from({ length: 50 }, () => assertFailsCleanly(replica, token)))
  await blocker.query('ROLLBACK')
  await blocker.end()
  await untilServed(replica, token)
})

test(
  'while a table is locked, replicas that have read it stay ready: cached responses are still served',
  options,
  async (t) => {
    const { url, operator, replica } = await service(t)
    const { token } = await operator.createKey()
    assert.equal((await ask(replica, token, '/readyz')).status, 200)
    assert.equal((await ask(replica, token)).status, 200)
    const [fresh] = await startReplicas(t, 1, { DATABASE_URL: url })
    assert.ok(fresh)
    await withClient(url, async (blocker) => {
      await blocker.query('BEGIN; LOCK TABLE vitrine.list_items IN ACCESS EXCLUSIVE MODE')
      assert.equal((await ask(replica, token)).status, 200)
      // They take every connection that reads, and each waits until its statement is cancelled.
      const waiting = Array.from({ length: 8 }, (_, i) => askForBook(replica, token, i))
      const ready = async () => (await ask(replica, token, '/readyz')).status
      let isOver = false
      const watched = Promise.all(waiting).finally(() => {
        isOver = true
      })
      while (!isOver) assert.equal(await ready(), 200)
      assert.deepEqual(await watched, Array(8).fill(-32603), 'none of them could be served')
      assert.equal(await ready(), 200)
      assert.equal((await ask(fresh, token, '/readyz')).status, 503, 'it has nothing to serve')
    })
    assert.equal((await ask(fresh, token, '/readyz')).status, 200)
  },
)

test('the server waits for a database that has no free connection', options, async (t) => {
  const url = await freshDatabase()
  const operator = await startOperator(t, url)
  const { token } = await operator.createKey()
  const [replica] = await startReplicas(t, 1, { DATABASE_URL: url })
  assert.ok(replica)
  // Idle ones would end by themselves, and leave a place.
  await terminateSessions()
  const hogs: pg.Client[] = []
  try {
    for (;;) {
      const hog = new pg.Client({ connectionString: url })
      hog.on('error', () => {})
      await hog.connect()
      hogs.push(hog)
    }
  } catch {
    // None left.
  }
  await assertFailsCleanly(replica, token)
  await Promise.all(hogs.map((hog) => hog.end()))
  await untilServed(replica, token)
})

test('a network that drops every packet costs a bounded wait', options, async (t) => {
  const target = new URL(database.url)
  const proxy = await startCutProxy(Number(target.port))
  t.after(() => proxy.close())
  const { operator, replica } = await service(t, (url) => url.replace(`:${target.port}/`, `:${proxy.port}/`))
  const { token } = await operator.createKey()
  await ask(replica, token)
  proxy.setSilent(true)
  await Promise.all(Array.from({ length: 20 }, () => assertFailsCleanly(replica, token)))
  proxy.setSilent(false)
  await untilServed(replica, token)
})

test('a server that is stopped while the network drops every packet exits by itself', options, async (t) => {
  const { port } = new URL(database.url)
  const proxy = await startCutProxy(Number(port))
  t.after(() => proxy.close())
  const url = await freshDatabase()
  const { token } = await (await startOperator(t, url)).createKey()
  const server = await program(t, { DATABASE_URL: url.replace(`:${port}/`, `:${proxy.port}/`) }).start('serve')
  assert.equal((await getFrom(server, token)).status, 200)
  proxy.setSilent(true)
  assert.equal(await server.stop(), 0)
  assert.match(server.output(), /"msg":"stopped"/)
})
