/** Syncs, the application's own tables and other programs lock the same rows: no transaction fails because of another's lock order. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type pg from 'pg'
import type { OperatorStore } from '../../../src/database/store.ts'
import { testWithPostgres as test } from '../../support/database.ts'
import { withClient } from '../../support/postgres-server.ts'
import { startShop } from '../../support/shop.ts'
import { openStore } from '../../support/stores.ts'
import { manyTasks, syncInto } from '../../support/syncing.ts'
import { waitUntil } from '../../support/wait.ts'

const id = (n: number) => `00000000-0000-4000-8000-00000000000${n}`
const [DELI, BAKERY] = [id(1), id(2)]

/** Teams and todos, shown; and a source that is synced into the workspace of a team. */
async function startShown(t: TestContext) {
  const shop = await startShop(t)
  await shop.asApp(`INSERT INTO shop.team (id, handle, title) VALUES ('${DELI}', 'deli', 'Deli'), ('${BAKERY}', 'bakery', 'Bakery');
    INSERT INTO shop.todo (team, subject) SELECT id, 'Todo ' || n FROM shop.team, generate_series(1, 20) n`)
  await shop.install()
  /** Applies to a role's later sessions: PostgreSQL aborts the session that detects a deadlock first. */
  const setDeadlockTimeout = (role: string, time: string) => {
    t.after(() => shop.asSuperuser(`ALTER ROLE ${role} RESET deadlock_timeout`))
    return shop.asSuperuser(`ALTER ROLE ${role} SET deadlock_timeout = '${time}'`)
  }
  const waitForLock = (role: string) =>
    waitUntil(async () => {
      const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database() AND usename = '${role}'`
      return (await shop.asSuperuser(waiting)).length > 0
    })
  return { ...shop, setDeadlockTimeout, waitForLock, openOperator: () => openStore(t, shop.as('vitrine_operator')) }
}

const lockRevision = (client: pg.Client) =>
  client.query(`BEGIN; SELECT FROM vitrine.revisions WHERE workspace_id = '${DELI}' FOR UPDATE`)

test("a sync that waits behind an application's commit does not block it", async (t) => {
  const { as, setDeadlockTimeout, waitForLock, openOperator, asApp } = await startShown(t)
  await setDeadlockTimeout('vitrine_operator', '1h')
  await setDeadlockTimeout('shop_app', '10ms')
  const store = await openOperator()
  for (const [i, statement] of [
    `UPDATE shop.team SET title = 'Delicatessen' WHERE id = '${DELI}'`,
    `UPDATE shop.team SET handle = CASE id WHEN '${DELI}' THEN 'bakery' ELSE 'deli' END::text`,
    `UPDATE shop.team SET handle = CASE id WHEN '${DELI}' THEN 'deli' ELSE 'bakery' END::text`,
    `UPDATE shop.todo SET team = '${BAKERY}' WHERE id = (SELECT id FROM shop.todo WHERE team = '${DELI}' LIMIT 1)`,
    `DELETE FROM shop.todo WHERE id = (SELECT id FROM shop.todo WHERE team = '${DELI}' LIMIT 1)`,
    `WITH gone AS (DELETE FROM shop.todo WHERE team = '${DELI}') UPDATE shop.team SET closed = true WHERE id = '${DELI}'`,
    `DELETE FROM shop.team WHERE id = '${DELI}'`,
  ].entries()) {
    const slug = i === 2 ? 'bakery' : 'deli'
    await withClient(as('postgres'), async (holder) => {
      await lockRevision(holder)
      const committed = asApp(statement)
      await waitForLock('shop_app')
      const synced = syncInto(
        store,
        manyTasks(3, (n) => `Task ${n} of ${i}`),
        { workspace: slug },
      )
      await waitForLock('vitrine_operator')
      await holder.query('COMMIT')
      await committed
      // The last one finds its workspace gone.
      const outcome = await synced
      if (i < 6) assert.equal(typeof outcome, 'object', `${statement}: ${outcome}`)
      else assert.match(String(outcome), /its workspace does not exist/)
    })
  }
})

test('no application commit and no sync fails while both write to the same workspaces', async (t) => {
  const { as, setDeadlockTimeout, openOperator, asOperator } = await startShown(t)
  for (const role of ['vitrine_operator', 'shop_app']) await setDeadlockTimeout(role, '10ms')
  const failures: unknown[] = []
  let isDone = false
  let commits = 0
  const one = (team: string) => `(SELECT id FROM shop.todo WHERE team = '${team}' ORDER BY random() LIMIT 1)`
  const statements = [DELI, BAKERY].flatMap((team) => [
    `UPDATE shop.team SET title = 'Team ' || random() WHERE id = '${team}'`,
    `UPDATE shop.todo SET subject = 'Todo ' || random() WHERE id = ${one(team)}`,
    `INSERT INTO shop.todo (team, subject) VALUES ('${team}', 'New')`,
    `DELETE FROM shop.todo WHERE id = ${one(team)}`,
    `UPDATE shop.todo SET team = '${team}' WHERE id = ${one(team === DELI ? BAKERY : DELI)}`,
    `UPDATE shop.todo SET subject = 'Both ' || random() WHERE id IN (SELECT id FROM shop.todo ORDER BY id LIMIT 4 FOR UPDATE)`,
  ])
  const writers = [0, 1, 2, 3].map((n) =>
    withClient(as('shop_app'), async (client) => {
      for (let i = n; !isDone; i += 1 + n) {
        await client.query(statements[i % statements.length] ?? '').catch((error) => failures.push(error))
        commits++
      }
    }),
  )
  const outcomes: unknown[] = []
  const syncs = ['deli', 'bakery'].map(async (workspace) => {
    const store = await openOperator()
    for (let i = 0; i < 40; i++)
      outcomes.push(
        await syncInto(
          store,
          manyTasks(20, (n) => `Task ${n} of ${i}`),
          { workspace },
        ),
      )
  })
  await Promise.all(syncs)
  isDone = true
  await Promise.all(writers)
  assert.ok(commits > 100, `${commits} commits`)
  assert.deepEqual(failures, [])
  assert.deepEqual(
    outcomes.filter((outcome) => typeof outcome === 'string'),
    [],
  )
  const [{ count } = {}] = await asOperator(`SELECT count(*) FROM vitrine.tasks WHERE source = 'tracker'`)
  assert.equal(count, '40')
})

test('a sync that PostgreSQL aborts because of a deadlock is retried, and writes what it should', async (t) => {
  const { as, setDeadlockTimeout, waitForLock, openOperator, asOperator } = await startShown(t)
  await setDeadlockTimeout('vitrine_operator', '5s')
  await setDeadlockTimeout('postgres', '1h')
  const store = await openOperator()
  await withClient(as('postgres'), async (other) => {
    // Another program, which locks in the order that Vitrine never does.
    await lockRevision(other)
    const synced = syncInto(store, manyTasks(3), { workspace: 'deli' })
    await waitForLock('vitrine_operator')
    await other.query(`DELETE FROM vitrine.tasks WHERE workspace_id = '${DELI}'`)
    await other.query(`SELECT FROM vitrine.workspaces WHERE id = '${DELI}' FOR UPDATE; COMMIT`)
    assert.deepEqual(await synced, { created: 3, changed: 0, gone: 0, unchanged: 0 })
  })
  const [{ count } = {}] = await asOperator(`SELECT count(*) FROM vitrine.tasks WHERE source = 'tracker'`)
  assert.equal(count, '3')
})

test('a retried sync repeats the comparison of the aborted transaction', async (t) => {
  const { as, setDeadlockTimeout, waitForLock, openOperator, asOperator } = await startShown(t)
  await setDeadlockTimeout('vitrine_operator', '5s')
  await setDeadlockTimeout('postgres', '1h')
  const store = await openOperator()
  await syncInto(store, manyTasks(3), { workspace: 'deli' })
  const changedMeanwhile = {
    read: store.read.bind(store),
    stage: store.stage.bind(store),
    transaction: async (work: Parameters<OperatorStore['transaction']>[0]) => {
      await asOperator(`UPDATE vitrine.tasks SET title = 'Changed' WHERE source = 'tracker' AND id = '2'`)
      return store.transaction(work)
    },
  } as OperatorStore
  await withClient(as('postgres'), async (other) => {
    await other.query(`BEGIN; SELECT FROM vitrine.tasks WHERE source = 'tracker' AND id = '1' FOR UPDATE`)
    const titles = (n: number) => (n === 1 ? 'Renamed' : `Task ${n}`)
    const synced = syncInto(changedMeanwhile, manyTasks(3, titles), { workspace: 'deli' })
    await waitForLock('vitrine_operator')
    await other.query(`SELECT FROM vitrine.revisions WHERE workspace_id = '${DELI}' FOR UPDATE; COMMIT`)
    assert.deepEqual(await synced, { created: 0, changed: 2, gone: 0, unchanged: 1 })
  })
  assert.deepEqual(
    (await asOperator(`SELECT title FROM vitrine.tasks WHERE source = 'tracker' ORDER BY id`)).map(
      ({ title }) => title,
    ),
    ['Task 0', 'Renamed', 'Task 2'],
  )
})
