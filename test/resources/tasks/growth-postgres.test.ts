import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { currentTasksStatement } from '../../../src/resources/tasks/postgres.ts'
import { freshDatabaseUrl, skipWithoutPostgres } from '../../support/database.ts'
import { startOperator } from '../../support/operator.ts'

const TASKS = 50_000

/** How many of them are open and unsnoozed, snoozed, or whose snooze has ended; the later in the order, the greater is n. */
const shapes: [name: string, status: string, snoozedUntil: string][] = [
  [
    'mixed',
    `(ARRAY['open', 'completed', 'cancelled'])[1 + n % 3]`,
    `CASE n % 10 WHEN 0 THEN now() + interval '1 day' WHEN 1 THEN now() - interval '1 day' END`,
  ],
  ['nearly all asleep', `'open'`, `CASE WHEN n % 1000 > 0 THEN now() + interval '1 day' END`],
  [
    'asleep all but the last, which have woken',
    `'open'`,
    `CASE WHEN n < ${TASKS - 1000} THEN now() + interval '1 day' ELSE now() - interval '1 day' END`,
  ],
  ['nearly all woken', `'open'`, `CASE WHEN n % 1000 > 0 THEN now() - n * interval '1 second' END`],
  ['nearly all completed', `CASE WHEN n % 1000 > 0 THEN 'completed' ELSE 'open' END`, 'NULL'],
]

interface Node {
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Node[]
}

const touched = (node: Node): number =>
  node['Actual Loops'] *
    (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)) +
  (node.Plans ?? []).reduce((sum, child) => sum + touched(child), 0)

for (const [name, status, snoozedUntil] of shapes) {
  test(`of ${TASKS} tasks, ${name}, a list touches only a few`, skipWithoutPostgres(), async (t) => {
    const url = await freshDatabaseUrl(t, 'postgres')
    const { workspace } = await startOperator(t, url)
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    t.after(() => client.end())
    await client.query(`
      INSERT INTO vitrine.tasks (workspace_id, id, title, due_at, book_key, assignee_email, status, snoozed_until)
      SELECT '${workspace.id}', n::text, 'Task', CASE WHEN n % 4 > 0 THEN now() + n * interval '1 minute' END,
             'book' || n % 50, 'person' || n % 70 || '@x.example', ${status}, ${snoozedUntil}
      FROM generate_series(1, ${TASKS}) n`)
    await client.query('ANALYZE vitrine.tasks')
    const viewpoint = { workspaceId: workspace.id, now: Date.now() + 1000 }
    const filters = [
      {},
      { dueBefore: '2099-01-01T00:00:00.000Z' },
      { bookKey: 'book0' },
      { assigneeEmail: 'person0@x.example' },
      { bookKey: 'book0', assigneeEmail: 'person0@x.example' },
      { bookKey: 'book0', assigneeEmail: 'nobody@x.example' },
    ]
    for (const filter of filters) {
      const { text, values } = currentTasksStatement(viewpoint, { limit: 100, filters: filter, findNext: true })
      const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values)
      const { Plan } = rows[0]['QUERY PLAN'][0] as { Plan: Node }
      assert.ok(touched(Plan) < 2000, `${touched(Plan)} rows with ${JSON.stringify(filter)}`)
    }
  })
}
