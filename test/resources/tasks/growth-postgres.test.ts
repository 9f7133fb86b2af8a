// Run once: it only concerns the PostgreSQL server.
import { test } from 'node:test'
import type { Position } from '../../../src/database/lists/reader.ts'
import { PostgresListReader } from '../../../src/database/postgres/lists/reader.ts'
import { taskList } from '../../../src/resources/tasks/current-tasks.ts'
import { skipWithoutPostgres } from '../../support/database.ts'
import { assertTouchesFew, planningClient } from '../../support/list-statement.ts'
import { migratedDatabaseUrl } from '../../support/migrated-database.ts'
import { startOperator } from '../../support/operator.ts'

const TASKS = 20_000
/**
 * Over all steps of a plan. Which of two good ones PostgreSQL takes depends on the rows that it samples: it may sort the thousand
 * woken ones of a shape below. One that grew with the workspace would touch every task, in several steps.
 */
const A_FEW = 5000
const MINUTE_MS = 60_000

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

for (const [name, status, snoozedUntil] of shapes) {
  test(`of ${TASKS} tasks, ${name}, a page touches only a few`, skipWithoutPostgres(), async (t) => {
    const url = await migratedDatabaseUrl(t, 'postgres')
    const { workspace } = await startOperator(t, url)
    const client = await planningClient(t, url)
    await client.query(`
      INSERT INTO vitrine.tasks (workspace_id, id, title, due_at, book_key, assignee_email, status, snoozed_until)
      SELECT '${workspace.id}', n::text, 'Task', CASE WHEN n % 4 > 0 THEN now() + n * interval '1 minute' END,
             'book' || n % 50, 'person' || n % 70 || '@x.example', ${status}, ${snoozedUntil}
      FROM generate_series(1, ${TASKS}) n`)
    await client.query('ANALYZE vitrine.tasks')
    const scope = { workspaceId: workspace.id, now: Date.now() + 1000 }
    await assertTouchesFew(client, A_FEW, 'the whole body', (connections) =>
      new PostgresListReader(taskList, connections).firstRows(scope),
    )
    for (const filters of filterSets)
      for (const after of positionsIn(scope.now)) {
        if (after?.[0] === null && isDated(filters)) continue
        const page = { limit: 100, filters, ...(after !== undefined && { after }) }
        await assertTouchesFew(client, A_FEW, JSON.stringify(page), (connections) =>
          new PostgresListReader(taskList, connections).page(scope, page),
        )
      }
  })
}

const dueBefore = '2099-01-01T00:00:00.000Z'
const dueAfter = '2026-01-01T00:00:00.000Z'
const filterSets: Record<string, string>[] = [
  {},
  { dueAfter },
  { bookKey: 'book0', dueBefore, dueAfter },
  { assigneeEmail: 'person0@x.example' },
  { bookKey: 'book0', assigneeEmail: 'person0@x.example' },
]
const isDated = (filters: Record<string, string>) => 'dueBefore' in filters || 'dueAfter' in filters

/** The beginning, and the middle of the dated ones and of the undated ones. */
const positionsIn = (now: number): (Position | undefined)[] => [
  undefined,
  [new Date(now + (TASKS / 2) * MINUTE_MS).toISOString(), '1'],
  [null, String(TASKS / 2)],
]
