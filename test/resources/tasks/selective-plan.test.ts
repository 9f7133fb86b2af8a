// Run once: each test names its engines.
/** A selective query reads in proportion to what it finds, on both engines. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { QueryConfig } from 'pg'
import type { Filters } from '../../../src/database/lists/reader.ts'
import type { ListConnections } from '../../../src/database/postgres/lists/reader.ts'
import { PostgresListReader } from '../../../src/database/postgres/lists/reader.ts'
import { Slots } from '../../../src/database/slots.ts'
import { connectForWriting } from '../../../src/database/sqlite/connect.ts'
import { SqliteListReader } from '../../../src/database/sqlite/lists/reader.ts'
import type { ReadSnapshot } from '../../../src/database/sqlite/lists/sliced-reads.ts'
import { table, taskList } from '../../../src/resources/tasks/current-tasks.ts'
import { skipWithoutPostgres } from '../../support/database.ts'
import { planningClient, touched } from '../../support/list-statement.ts'
import { migratedDatabaseUrl } from '../../support/migrated-database.ts'
import { startOperator } from '../../support/operator.ts'
import { NOON } from '../../support/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const ROWS = 20_000
const SELECTIVE: Filters[] = [
  { query: ['zephyr'] },
  { query: ['zephyr', 'task'] },
  { assignee: 'zoe' },
  { sourceSessionId: 's7' },
  { unassigned: true },
  { undated: true },
  { dueAfter: '2030-01-01T00:00:00.000Z', dueBefore: '2030-01-02T00:00:00.000Z' },
  { ids: ['t1', 't2', 'none'] },
  { bookKey: 'rare' },
  { assigneeEmail: 'zoe@x.example' },
]
const MISSPELT = { bookKey: 'rar', assigneeEmail: 'Zo@x.example', sourceSessionId: 's70001' }
const page = (filters: Filters) => ({ filters, limit: 20, withTotal: true })
const counts = (filters: Filters) => ({ filters, by: 'assignee', dateOf: (at: string) => at.slice(0, 10) })
const VALUES = `'t' || n, CASE WHEN n % 4000 = 7 THEN 'Zephyr task' ELSE 'Task ' || n END,
  CASE WHEN n % 4000 = 9 THEN NULL WHEN n % 4000 = 8 THEN '2030-01-01T12:00:00.000Z' ELSE '2031-01-01T00:00:00.000Z' END,
  CASE WHEN n % 4000 = 6 THEN 'rare' ELSE 'book' END,
  CASE WHEN n % 4000 = 5 THEN 'Zoe' WHEN n % 4000 = 4 THEN NULL ELSE 'Bo' END,
  CASE WHEN n % 4000 = 5 THEN 'zoe@x.example' WHEN n % 4000 = 4 THEN NULL ELSE 'bo@x.example' END, 's' || n`
const COLUMNS = 'workspace_id, id, title, due_at, book_key, assignee_name, assignee_email, source_session_id'

test('a selective query seeks, and sorts nothing that it walks (sqlite)', async (t) => {
  const db = connectForWriting(join(temporaryFolder(t), 'plan.db'), [table], { create: true })
  t.after(() => db.close())
  db.exec(`INSERT INTO workspaces (id, slug, name, created_at) VALUES ('ws_1', 'acme', 'Acme', '2026-01-01T00:00:00.000Z');
    INSERT INTO tasks (${COLUMNS}) WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${ROWS}) SELECT 'ws_1', ${VALUES} FROM s`)
  const seen = new Set<string>()
  const prepared = (sql: string) => {
    seen.add(sql)
    return db.prepare(sql)
  }
  let walked = 0
  const snapshot: ReadSnapshot = {
    get: (sql, values) => prepared(sql).get(values) as ReturnType<ReadSnapshot['get']>,
    all: (sql, values) => prepared(sql).all(values) as ReturnType<ReadSnapshot['all']>,
    *each(sql, values) {
      for (const row of prepared(sql).iterate(values)) {
        walked++
        yield row as ReturnType<ReadSnapshot['all']>[number]
      }
    },
    pause: async () => {},
  }
  const connections = {
    db,
    sliced: { run: <T>(_: string, work: (of: ReadSnapshot) => Promise<T>) => work(snapshot) },
    writeDb: db,
    background: { request() {} },
    onIndexChanged: () => assert.fail(),
  }
  const reader = new SqliteListReader(taskList, connections)
  const scope = { workspaceId: 'ws_1', now: NOON }
  for (const filters of SELECTIVE) {
    seen.clear()
    walked = 0
    const reading = await reader.page(scope, page(filters))
    await reader.counts(scope, counts(filters))
    assert.ok(reading.total && reading.total.count > 0, JSON.stringify(filters))
    assert.ok(walked <= 20, `${JSON.stringify(filters)}: walked ${walked} rows`)
    for (const sql of seen) {
      const plan = db
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => String(detail))
      for (const step of plan)
        assert.doesNotMatch(step, /SCAN tasks(?!_search)|TEMP B-TREE FOR ORDER/, `${sql}\n${plan.join('\n')}`)
    }
  }
})

test(`of ${ROWS} rows, a selective query touches few (postgres)`, skipWithoutPostgres(), async (t) => {
  const url = await migratedDatabaseUrl(t, 'postgres')
  const { workspace } = await startOperator(t, url)
  const client = await planningClient(t, url)
  const values = VALUES.replace(/CASE WHEN n % 4000 = 9 THEN NULL[\s\S]*?END/, (due) => `(${due})::timestamptz`)
  await client.query(
    `INSERT INTO vitrine.tasks (${COLUMNS}) SELECT '${workspace.id}', ${values} FROM generate_series(1, ${ROWS}) n`,
  )
  await client.query('VACUUM ANALYZE vitrine.tasks')
  let rows = 0
  const read = async (statement: QueryConfig) => {
    const { text, values: bound = [] } = statement
    if (/\$\d/.test(text)) {
      const plan = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, bound)
      rows += touched(plan.rows[0]['QUERY PLAN'][0].Plan)
    }
    return (await client.query(text, bound)).rows
  }
  const slots = new Slots({ total: 1, each: 1, waiting: 1 })
  const connections = { read, slots, background: { request() {} } } as unknown as ListConnections
  const reader = new PostgresListReader(taskList, connections)
  const scope = { workspaceId: workspace.id, now: NOON }
  for (const filters of SELECTIVE) {
    rows = 0
    const reading = await reader.page(scope, page(filters))
    assert.ok(reading.total && reading.total.count > 0, JSON.stringify(filters))
    // A word is first tried on a thousand rows, which are counted in each node of the plan.
    assert.ok(rows < 8000, `${JSON.stringify(filters)} touched ${rows} rows`)
  }
  for (const [filter, value] of Object.entries(MISSPELT)) {
    rows = 0
    const suggested = await reader.suggest(scope, filter, value)
    assert.notDeepEqual(suggested, [], filter)
    // Besides the first thousand rows, a hundred values on either side.
    assert.ok(rows < 12_000, `suggestions for ${filter} touched ${rows} rows`)
  }
})
