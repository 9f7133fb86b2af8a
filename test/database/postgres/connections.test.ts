import assert from 'node:assert/strict'
import { permissionsOf } from '../../../src/resources/define.ts'
import { resources } from '../../../src/resources/index.ts'
import { addMember, createWorkspace } from '../../support/changes.ts'
import { connectElsewhere, testWithPostgres as test } from '../../support/database.ts'
import { keysIn } from '../../support/listed-keys.ts'
import { migratedDatabaseUrl } from '../../support/migrated-database.ts'
import { startOperator } from '../../support/operator.ts'
import { Browser, KEYS } from '../../support/person.ts'
import { startReplicas } from '../../support/replicas.ts'
import { waitUntil } from '../../support/wait.ts'

test('a replica under load opens ten connections and no more: five admit, four read, one is the settings page’s', async (t) => {
  const url = await migratedDatabaseUrl(t, 'postgres')
  const operator = await startOperator(t, url)
  const [replica] = await startReplicas(t, 1, { DATABASE_URL: url })
  assert.ok(replica)
  const slugs = ['acme', 'bolt', 'cove', 'dune']
  const now = new Date().toISOString()
  for (const slug of slugs.slice(1)) await createWorkspace(operator.store, { name: slug, slug }, 'test', now)
  const newKey = { label: 'x', permissions: permissionsOf(resources), quota: null, expiresAt: null }
  const keys = await Promise.all(
    Array.from({ length: 40 }, (_, i) => keysIn(operator.store).create(slugs[i % slugs.length] ?? '', newKey)),
  )
  const email = 'owner@acme.example'
  await addMember(operator.store, 'acme', { email, role: 'owner' }, 'test', now)
  const browser = new Browser(replica.url)
  await browser.signIn(operator.store, email)
  const elsewhere = await connectElsewhere(url, t)
  // A session whose statement lasted its two seconds was replaced, and is closing.
  const notReplaced = `(CASE state WHEN 'active' THEN clock_timestamp() ELSE state_change END - query_start > '1.5 s') IS NOT TRUE`
  const open = async (condition: string) => {
    await elsewhere.run('SELECT pg_stat_clear_snapshot()')
    const rows = await elsewhere.all<{ name: string; n: number }>(
      `SELECT application_name AS name, count(*)::int AS n FROM pg_stat_activity
       WHERE datname = current_database() AND application_name IN ('vitrine admits', 'vitrine reads', 'vitrine settings')
         AND ${condition}
       GROUP BY 1`,
    )
    return Object.fromEntries(rows.map(({ name, n }) => [name, n]))
  }

  const most: Record<string, number> = {}
  // Half of them are list queries, which leave connections to others.
  const mcp = (token: string, i: number) =>
    fetch(`${replica.url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_tasks","arguments":${i % 8 < 4 ? `{"bookKey":"${i}"}` : '{}'}}}`,
    }).then((response) => response.text())
  // On a busy machine, requests may share their statements, and statements end before they are seen: so more are sent meanwhile.
  const reaches = async (expected: Record<string, number>, send?: () => Promise<void>) => {
    let isOver = false
    const seeing = waitUntil(async () => {
      for (const [name, n] of Object.entries(await open(notReplaced))) most[name] = Math.max(most[name] ?? 0, n)
      return Object.entries(expected).every(([name, n]) => (most[name] ?? 0) >= n)
    }).finally(() => {
      isOver = true
    })
    const sending = async () => {
      while (send !== undefined && !isOver) await send()
    }
    await Promise.all([seeing, sending()])
  }

  // Tables are locked, so that all statements on them are in the database at once: first the batch of these uses.
  await elsewhere.run('BEGIN; LOCK TABLE key_use IN ACCESS EXCLUSIVE MODE')
  await Promise.all(keys.map(({ token }, i) => mcp(token, i)))
  await elsewhere.run('LOCK TABLE list_items, quota_windows IN ACCESS EXCLUSIVE MODE')
  const load = new Set<Promise<unknown>>()
  const add = (request: Promise<unknown>) => {
    const sent = request.finally(() => load.delete(sent))
    load.add(sent)
  }
  // One after the other, or they would share their statements.
  const addLoad = async () => {
    if (load.size < 400) add(browser.get(KEYS))
    for (const [i, { token }] of keys.entries()) {
      if (load.size < 400) add(mcp(token, i))
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  await reaches({ 'vitrine admits': 5 }, addLoad)
  await elsewhere.run('COMMIT; BEGIN; LOCK TABLE list_items IN ACCESS EXCLUSIVE MODE')
  await reaches({ 'vitrine reads': 4, 'vitrine settings': 1 }, addLoad)
  await elsewhere.run('COMMIT')
  await Promise.all(load)
  await reaches({})
  const allowed: Record<string, number> = { 'vitrine admits': 5, 'vitrine reads': 4, 'vitrine settings': 1 }
  assert.deepEqual(most, allowed)
  // Replaced sessions are closed, so that no more than these are left.
  await waitUntil(async () => Object.entries(await open('true')).every(([name, n]) => n <= (allowed[name] ?? 0)))
})

test("measuring the database's size and finding sessions wait for their turn like any read, not for the connection", async (t) => {
  const { store } = await startOperator(t, await migratedDatabaseUrl(t, 'postgres'))
  const held = Promise.withResolvers<void>()
  const began = Promise.withResolvers<void>()
  const transaction = store.transaction(() => {
    began.resolve()
    return held.promise
  })
  await began.promise
  const space = store.space()
  const session = store.findSession('0'.repeat(64))
  await new Promise((resolve) => setImmediate(resolve))
  const { queues, pools } = store.stats()
  held.resolve()
  await transaction
  assert.deepEqual([queues.transactions?.current, pools[0]?.waiting.current], [2, 0])
  assert.equal(await session, undefined)
  assert.ok((await space).sizeBytes > 1_000_000)
})
