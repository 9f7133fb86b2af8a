import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openOperatorStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { resources } from '../../src/resources/index.ts'
import { skipWithoutPostgres } from '../support/database.ts'
import { startOperator } from '../support/operator.ts'
import { startPostgres, withClient } from '../support/postgres-server.ts'
import { getFrom, type Replica, startReplicas } from '../support/replicas.ts'
import { waitUntil } from '../support/wait.ts'

const options = skipWithoutPostgres()

/** A primary and a standby that streams from it, the URL that names both, and the service over it. */
async function pair(t: TestContext, settings: Record<string, string> = {}) {
  const primary = await startPostgres({ wal_level: 'replica', hot_standby: 'on', ...settings })
  t.after(() => primary.remove())
  const standby = await primary.createStandby('standby')
  const url = `postgres://postgres@127.0.0.1:${new URL(primary.url).port},127.0.0.1:${new URL(standby.url).port}/postgres?target_session_attrs=read-write`
  await waitUntil(async () =>
    withClient(primary.url, async (client) => {
      const { rows } = await client.query(`SELECT state FROM pg_stat_replication`)
      return rows[0]?.state === 'streaming'
    }),
  )
  const operator = await startOperator(t, url)
  const [replica] = await startReplicas(t, 1, { DATABASE_URL: url })
  assert.ok(replica)
  return { primary, standby, url, operator, replica }
}

async function ask(replica: Replica, token: string, path = '/tasks') {
  const response = await getFrom(replica, token, path)
  const { tasks = [] } = (await response.json()) as { tasks?: { title: string }[] }
  return { status: response.status, title: tasks[0]?.title, etag: response.headers.get('etag') }
}

const promote = (url: string) => withClient(url, (client) => client.query('SELECT pg_promote()'))

const untilWritten = ({ addTasks }: Awaited<ReturnType<typeof startOperator>>, title: string) =>
  waitUntil(() =>
    addTasks([{ id: 'one', title }]).then(
      () => true,
      () => false,
    ),
  )

test(
  'with a synchronous standby no acknowledged change is lost in a failover, and the service resumes by itself',
  options,
  async (t) => {
    const { primary, standby, operator, replica, url } = await pair(t)
    // The standby must have applied a change before it is acknowledged: it may be the primary in the next moment.
    await withClient(primary.url, async (client) => {
      await client.query(`ALTER SYSTEM SET synchronous_standby_names = 'standby'`)
      await client.query(`ALTER SYSTEM SET synchronous_commit = 'remote_apply'`)
      await client.query('SELECT pg_reload_conf()')
    })
    await waitUntil(async () =>
      withClient(primary.url, async (client) => {
        const { rows } = await client.query('SELECT sync_state FROM pg_stat_replication')
        return rows[0]?.sync_state === 'sync'
      }),
    )
    const { token } = await operator.createKey({ limit: 100_000, windowSeconds: 3600 })
    const revoked = await operator.createKey()
    assert.equal((await ask(replica, token)).status, 200)
    assert.equal((await ask(replica, revoked.token)).status, 200)

    // Changes and revocations continue while the primary is killed, and acknowledgements are recorded.
    let acknowledged = 0
    let isKilled = false
    const writer = (async () => {
      while (!isKilled) {
        const next = acknowledged + 1
        try {
          await operator.addTasks([{ id: 'one', title: String(next) }])
          acknowledged = next
        } catch {
          return
        }
      }
    })()
    await waitUntil(async () => acknowledged >= 5)
    await operator.keys.revoke(revoked.id)
    await primary.kill('SIGKILL')
    isKilled = true
    await writer

    // Sessions outlive their main process for a moment.
    await waitUntil(async () => (await ask(replica, token)).status === 500)
    await waitUntil(async () => (await ask(replica, token, '/readyz')).status === 503)
    assert.equal((await ask(replica, token, '/healthz')).status, 200)
    await promote(standby.url)
    const promotedAt = performance.now()
    await waitUntil(async () => (await ask(replica, token)).status === 200)
    t.diagnostic(`served again ${Math.round(performance.now() - promotedAt)} ms after the promotion`)
    assert.ok(Number((await ask(replica, token)).title) >= acknowledged, 'an acknowledged change is there')
    assert.equal((await ask(replica, revoked.token)).status, 401, 'an acknowledged revocation holds')
    assert.equal((await ask(replica, token, '/readyz')).status, 200)

    // The new primary takes changes, from the command line too, and the old host is not missed. It waits for no standby.
    await withClient(standby.url, async (client) => {
      await client.query('ALTER SYSTEM RESET synchronous_standby_names')
      await client.query('SELECT pg_reload_conf()')
    })
    const store = await openOperatorStore(parseDatabaseUrl(url), resources, { create: false })
    t.after(() => store.close())
    await untilWritten(operator, 'after the failover')
    assert.equal((await ask(replica, token)).title, 'after the failover')

    // A server that takes no writes, for whatever reason, is not the one.
    const readOnly = (onOrOff: string) =>
      withClient(standby.url, async (client) => {
        await client.query('SET default_transaction_read_only = off')
        await client.query(`ALTER SYSTEM SET default_transaction_read_only = ${onOrOff}`)
        await client.query('SELECT pg_reload_conf()')
      })
    await readOnly('on')
    await waitUntil(async () => (await ask(replica, token)).status === 500)
    await waitUntil(async () => (await ask(replica, token, '/readyz')).status === 503)
    await readOnly('off')
    await waitUntil(async () => (await ask(replica, token)).status === 200)
  },
)

test(
  'with an asynchronous standby, unstreamed changes are lost, and no response based on them is served again',
  options,
  async (t) => {
    const { primary, standby, operator, replica } = await pair(t)
    const { token } = await operator.createKey({ limit: 100_000, windowSeconds: 3600 })
    await operator.addTasks([{ id: 'one', title: 'kept' }])
    const kept = await ask(replica, token)
    await waitUntil(async () =>
      withClient(standby.url, async (client) => {
        const { rows } = await client
          .query(`SELECT body::json ->> 'title' AS title FROM vitrine.list_items`)
          .catch(() => ({ rows: [] }))
        return rows[0]?.title === 'kept'
      }),
    )
    // The standby falls behind: later changes are only on the primary and in the replica's memory.
    await withClient(standby.url, async (client) => {
      await client.query(`ALTER SYSTEM SET primary_conninfo = ''`)
      await client.query('SELECT pg_reload_conf()')
    })
    await waitUntil(async () =>
      withClient(primary.url, async (client) => (await client.query('SELECT FROM pg_stat_replication')).rowCount === 0),
    )
    await operator.addTasks([{ id: 'one', title: 'lost' }])
    const lost = await ask(replica, token)
    assert.equal(lost.title, 'lost')
    await primary.kill('SIGKILL')
    await promote(standby.url)
    await waitUntil(async () => (await ask(replica, token)).status === 200)
    const back = await ask(replica, token)
    assert.equal(back.title, 'kept', 'the state of the new primary, not what the replica remembers')
    assert.equal(back.etag, kept.etag)
    // As many changes as were lost: a revision that merely counted would come to the same number for another state.
    await untilWritten(operator, 'new')
    const now = await ask(replica, token)
    assert.equal(now.title, 'new')
    assert.notEqual(now.etag, lost.etag)
  },
)
