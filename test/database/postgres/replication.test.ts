/** Rows that arrive by logical replication: a real publisher, and a service over the subscriber. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { openOperatorStore, parseDatabaseUrl } from '../../../src/database/open.ts'
import { resources } from '../../../src/resources/index.ts'
import { resources as withBooks } from '../../resources/books/index.ts'
import { testWithPostgres as test } from '../../support/database.ts'
import { startOperator } from '../../support/operator.ts'
import { startPostgres, withClient } from '../../support/postgres-server.ts'
import { program } from '../../support/program.ts'
import { getFrom, startReplicas } from '../../support/replicas.ts'
import { subscribe, untilApplied, untilCopied } from '../../support/subscription.ts'

const MANY = 3000

/** Two servers with the schema of Vitrine; only the first has data. */
async function startTwo(t: TestContext) {
  const [publisher, subscriber] = await Promise.all([startPostgres({ wal_level: 'logical' }), startPostgres()])
  t.after(() => publisher.remove())
  t.after(() => subscriber.remove())
  const operator = await startOperator(t, publisher.url)
  const empty = await openOperatorStore(parseDatabaseUrl(subscriber.url), resources, { create: true })
  await empty.close()
  const on = (url: string) => async (sql: string) =>
    withClient(url, async (client) => (await client.query(sql)).rows as Record<string, string>[])
  return { from: publisher.url, to: subscriber.url, operator, write: on(publisher.url), read: on(subscriber.url) }
}

test('the next request sees every replicated change: the first copy, inserts, updates, deletes, truncates', async (t) => {
  const { from, to, operator, write } = await startTwo(t)
  const workspace = operator.workspace.id
  await operator.addTasks([{ id: 'first', title: 'First' }])
  const { token, id } = await operator.createKey()
  // The workspace and the keys first, and then the tasks: their first copy must be seen by a server that is running.
  const inserts = Array.from({ length: MANY }, (_, i) => `('${workspace}', 'c${i}', 'Copied', 'completed')`)
  await write(`INSERT INTO vitrine.tasks (workspace_id, id, title, status) VALUES ${inserts.join()}`)
  await subscribe({ from, to, publication: 'FOR TABLE vitrine.workspaces, vitrine.api_keys' })
  const [replica] = await startReplicas(t, 1, { DATABASE_URL: to })
  const get = async (path: string) => {
    const response = await getFrom(replica, token, path)
    return {
      status: response.status,
      body: (await response.json()) as { tasks?: { title: string }[]; workspace?: object },
    }
  }
  const titles = async () => (await get('/tasks')).body.tasks?.map(({ title }) => title)
  const shownAfter = async (sql: string) => {
    await write(sql)
    await untilApplied({ from })
    return titles()
  }

  assert.deepEqual(await titles(), [])
  await write('ALTER PUBLICATION shown ADD TABLE vitrine.tasks')
  await withClient(to, (client) => client.query('ALTER SUBSCRIPTION shown REFRESH PUBLICATION'))
  await untilCopied(to)
  assert.deepEqual(await titles(), ['First'])

  const insert = (task: string, title: string) =>
    `INSERT INTO vitrine.tasks (workspace_id, id, title) VALUES ('${workspace}', '${task}', '${title}')`
  assert.deepEqual(await shownAfter(insert('second', 'Second')), ['First', 'Second'])
  assert.deepEqual(await shownAfter(`UPDATE vitrine.tasks SET title = 'Changed' WHERE id = 'first'`), [
    'Changed',
    'Second',
  ])
  assert.deepEqual(await shownAfter(`UPDATE vitrine.tasks SET status = 'cancelled' WHERE id = 'c7'`), [
    'Changed',
    'Second',
  ])
  assert.deepEqual(await shownAfter(`DELETE FROM vitrine.tasks WHERE id = 'first'`), ['Second'])
  await write(`INSERT INTO vitrine.workspaces (id, slug, name) VALUES ('another', 'another', 'Another')`)
  assert.deepEqual(await shownAfter(`UPDATE vitrine.tasks SET workspace_id = 'another' WHERE id = 'second'`), [])
  assert.deepEqual(await shownAfter(`UPDATE vitrine.tasks SET workspace_id = '${workspace}' WHERE id = 'second'`), [
    'Second',
  ])
  assert.deepEqual(await shownAfter('TRUNCATE vitrine.tasks'), [])
  assert.deepEqual(await shownAfter(insert('third', 'Third')), ['Third'])

  await shownAfter(`UPDATE vitrine.workspaces SET name = 'Renamed' WHERE slug = 'acme'`)
  assert.deepEqual((await get('/workspace')).body.workspace, {
    ...{ id: workspace, name: 'Renamed', slug: 'acme', timezone: null, currencyCode: null, countryCode: null },
  })
  await shownAfter('UPDATE vitrine.workspaces SET archived_at = now()')
  assert.equal((await get('/workspace')).status, 404)
  await shownAfter('UPDATE vitrine.workspaces SET archived_at = NULL')
  assert.equal((await get('/workspace')).status, 200)
  await shownAfter('DELETE FROM vitrine.workspaces')
  assert.equal((await get('/workspace')).status, 404)
  await operator.keys.revoke(id)
  await untilApplied({ from })
  assert.equal((await get('/tasks')).status, 401)
})

test('a transaction of many replicated rows advances the revision once', async (t) => {
  const { from, to, operator, write, read } = await startTwo(t)
  await subscribe({ from, to, publication: 'FOR TABLE vitrine.workspaces, vitrine.tasks' })
  const revision = async () => (await read('SELECT number FROM vitrine.revisions'))[0]?.number
  const before = await revision()
  await write(
    `INSERT INTO vitrine.tasks (workspace_id, id, title) SELECT '${operator.workspace.id}', n::text, 'A' FROM generate_series(1, ${MANY}) n`,
  )
  await untilApplied({ from })
  assert.notEqual(await revision(), before)
  // Every move leaves a version of the row behind: thousands of them would take many pages of 8 KiB.
  const [{ size } = {}] = await read(`SELECT pg_relation_size('vitrine.revisions') AS size`)
  assert.ok(Number(size) <= 2 * 8192, `${size} bytes`)
})

test('a replicated row that breaks a limit does not stop the replication; doctor names it', async (t) => {
  const { from, to, operator, write, read } = await startTwo(t)
  await write('ALTER TABLE vitrine.tasks DISABLE TRIGGER tasks_checked')
  await subscribe({ from, to, publication: 'FOR TABLE vitrine.workspaces, vitrine.tasks' })
  const insert = (id: string, title: string) =>
    write(
      `INSERT INTO vitrine.tasks (workspace_id, id, title) VALUES ('${operator.workspace.id}', '${id}', '${title}')`,
    )
  await insert('nameless', '')
  await insert('good', 'Good')
  await untilApplied({ from })
  assert.deepEqual(
    (await read('SELECT id FROM vitrine.tasks ORDER BY seq')).map(({ id }) => id),
    ['nameless', 'good'],
  )
  const { stdout, code } = await program(t, { DATABASE_URL: to }).run('doctor')
  assert.equal(code, 1)
  assert.match(stdout, /^FAIL {2}rows: tasks "nameless": title must not be empty; /m)
  assert.match(stdout, /^ok {4}schema: complete$/m)
})

test('the subscriber marks a replicated snooze, whatever the publisher knows about marks', async (t) => {
  const { from, to, operator, write, read } = await startTwo(t)
  await subscribe({
    ...{ from, to },
    publication:
      'FOR TABLE vitrine.workspaces, vitrine.tasks (seq, workspace_id, id, title, status, snoozed_until, created_at)',
  })
  await write(
    `INSERT INTO vitrine.tasks (workspace_id, id, title, snoozed_until) VALUES ('${operator.workspace.id}', 'a', 'A', now() - interval '1 hour')`,
  )
  await untilApplied({ from })
  const marks = async () => (await read('SELECT snooze_expired FROM vitrine.tasks'))[0]?.snooze_expired
  assert.equal(await marks(), true)
  await write(`UPDATE vitrine.tasks SET snoozed_until = now() + interval '1 hour'`)
  await untilApplied({ from })
  assert.equal(await marks(), false)
})

test("every resource's table has the triggers for replicated rows", async (t) => {
  const server = await startPostgres()
  t.after(() => server.remove())
  const store = await openOperatorStore(parseDatabaseUrl(server.url), withBooks, { create: true })
  await store.close()
  const { rows } = await withClient(server.url, (client) =>
    client.query(`SELECT tgname AS name, tgenabled AS enabled FROM pg_trigger WHERE tgenabled <> 'O' ORDER BY tgname`),
  )
  const enabled = Object.fromEntries(rows.map((row) => [row.name, row.enabled]))
  assert.deepEqual([enabled.books_replicated, enabled.books_truncated], ['R', 'A'])
})
