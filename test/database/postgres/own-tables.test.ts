import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { connectElsewhere, freshDatabaseUrl, skipWithoutPostgres } from '../../support/database.ts'
import { startOperator } from '../../support/operator.ts'
import { startReplicas } from '../../support/replicas.ts'

const sql = readFileSync(new URL('../../../docs/sql/own-tables.sql', import.meta.url), 'utf8')
const TEAM = '0b8f6a52-7d43-4a5e-9a0e-2f4f5d1c7e11'
const TODO = '6f2d9c10-1111-4a5e-9a0e-2f4f5d1c7e22'

test(
  "an application's own tables are shown through triggers, and each change by the very next request",
  skipWithoutPostgres(),
  async (t) => {
    const url = await freshDatabaseUrl(t, 'postgres')
    const operator = await startOperator(t, url)
    const application = await connectElsewhere(url)
    t.after(() => application.close())
    await application.run(sql)
    await application.run(`INSERT INTO shop.team VALUES ('${TEAM}', 'deli', 'Deli', 'Europe/Rome', 'EUR', 'IT')`)
    const wanted = { label: 'x', permissions: ['workspace:read', 'tasks:read'], quota: null, expiresAt: null }
    const { token } = await operator.keys.create('deli', wanted)
    const [replica] = await startReplicas(t, 1, { DATABASE_URL: url })
    const get = async (path: string) => {
      const response = await fetch(`${replica?.url}${path}`, { headers: { authorization: `Bearer ${token}` } })
      return { status: response.status, body: await response.json() }
    }
    const subjects = async () => {
      const { body } = (await get('/tasks')) as { body: { tasks: { title: string; dueAt: string | null }[] } }
      return body.tasks.map(({ title, dueAt }) => [title, dueAt])
    }

    assert.deepEqual(await get('/workspace'), {
      status: 200,
      body: {
        workspace: {
          id: TEAM,
          name: 'Deli',
          slug: 'deli',
          timezone: 'Europe/Rome',
          currencyCode: 'EUR',
          countryCode: 'IT',
        },
      },
    })
    assert.deepEqual(await subjects(), [])
    await application.run(
      `INSERT INTO shop.todo VALUES ('${TODO}', '${TEAM}', 'Order lemons', NULL, '2026-12-01 09:00:00.123456+01')`,
    )
    assert.deepEqual(await subjects(), [['Order lemons', '2026-12-01T08:00:00.123Z']])
    await application.run(`UPDATE shop.todo SET subject = 'Order limes'`)
    assert.deepEqual(await subjects(), [['Order limes', '2026-12-01T08:00:00.123Z']])
    await application.run(`UPDATE shop.todo SET hidden_until = now() + interval '1 hour'`)
    assert.deepEqual(await subjects(), [])
    await application.run(`UPDATE shop.todo SET hidden_until = NULL, done = true`)
    assert.deepEqual(await subjects(), [])
    await application.run(`BEGIN; UPDATE shop.todo SET done = false; ROLLBACK`)
    assert.deepEqual(await subjects(), [])
    await application.run(`UPDATE shop.todo SET done = false`)
    assert.equal((await subjects()).length, 1)
    await application.run(`DELETE FROM shop.todo`)
    assert.deepEqual(await subjects(), [])
    await application.run(`UPDATE shop.team SET closed = true`)
    assert.equal((await get('/workspace')).status, 404)
  },
)

test('tables written directly move the revision too, whatever the statement', skipWithoutPostgres(), async (t) => {
  const url = await freshDatabaseUrl(t, 'postgres')
  await startOperator(t, url)
  const elsewhere = await connectElsewhere(url)
  t.after(() => elsewhere.close())
  const revision = async () => (await elsewhere.all<{ number: string }>('SELECT number FROM revisions'))[0]?.number
  const statements = [
    `INSERT INTO tasks (workspace_id, id, title) SELECT id, 'a', 'A' FROM workspaces`,
    `INSERT INTO tasks (workspace_id, id, title) SELECT id, n::text, 'A' FROM workspaces, generate_series(1, 1000) n`,
    `UPDATE tasks SET title = 'B'`,
    `DELETE FROM tasks WHERE id = 'a'`,
    'TRUNCATE tasks',
    `UPDATE workspaces SET name = 'B'`,
  ]
  for (const statement of statements) {
    const before = Number(await revision())
    await elsewhere.run(statement)
    assert.ok(Number(await revision()) > before, statement)
  }
})
