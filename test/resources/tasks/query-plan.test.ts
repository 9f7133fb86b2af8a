import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { connectForWriting } from '../../../src/database/sqlite/connect.ts'
import { tablesOf } from '../../../src/database/table.ts'
import { resources } from '../../../src/resources/index.ts'
import { currentTasksSql } from '../../../src/resources/tasks/sqlite.ts'
import { temporaryFolder } from '../../support/database.ts'

type Filters = Parameters<typeof currentTasksSql>[1]['filters']

const [bookKey, assigneeEmail, dueBefore] = ['x', 'x', 'x']

const cases: [name: string, filters: Filters, unsnoozed: string][] = [
  ['all', {}, 'USING COVERING INDEX tasks_unsnoozed (workspace_id=?)'],
  ['due before', { dueBefore }, 'USING COVERING INDEX tasks_unsnoozed (workspace_id=? AND <expr>=? AND due_at<?)'],
  ['of a book', { bookKey }, 'USING INDEX tasks_of_book (workspace_id=? AND book_key=?)'],
  [
    'of a book, due before',
    { bookKey, dueBefore },
    'USING INDEX tasks_of_book (workspace_id=? AND book_key=? AND <expr>=? AND due_at<?)',
  ],
  ['of an assignee', { assigneeEmail }, 'USING INDEX tasks_of_assignee (workspace_id=? AND <expr>=?)'],
  [
    'of a book and an assignee',
    { bookKey, assigneeEmail },
    'USING INDEX tasks_of_book_and_assignee (workspace_id=? AND book_key=? AND <expr>=?)',
  ],
  [
    'of a book and an assignee, due before',
    { bookKey, assigneeEmail, dueBefore },
    'USING INDEX tasks_of_book_and_assignee (workspace_id=? AND book_key=? AND <expr>=? AND <expr>=? AND due_at<?)',
  ],
]

interface Step {
  id: number
  parent: number
  detail: string
}

for (const [name, filters, unsnoozed] of cases) {
  test(`current tasks are found by index, and only the few whose snooze has just ended are sorted: ${name}`, (t) => {
    const db = connectForWriting(join(temporaryFolder(t), 'plan.db'), tablesOf(resources), { create: true })
    const planOf = (isMerged: boolean) =>
      db
        .prepare(`EXPLAIN QUERY PLAN ${currentTasksSql(isMerged, { filters }).rows([], 'LIMIT 100')}`)
        .all() as unknown as Step[]
    const [plain, steps] = [planOf(false), planOf(true)]
    db.close()
    assert.deepEqual(
      plain.map(({ detail }) => detail.replace('COVERING ', '')),
      [`SEARCH tasks ${unsnoozed.replace('COVERING ', '')}`],
    )
    const plan = steps.map(({ detail }) => detail).join('\n')
    const below = (detail: string) => {
      const found = steps.find((step) => step.detail === detail)
      assert.ok(found, `${detail} in\n${plan}`)
      return steps.filter((step) => step.parent === found.id).map((step) => step.detail)
    }
    below('MERGE (UNION ALL)')
    // In the order of its index, so that reading it ends with the last task that is answered.
    assert.deepEqual(below('LEFT'), [`SEARCH tasks ${unsnoozed}`], plan)
    const [expired = '', sort] = below('RIGHT')
    assert.match(
      expired,
      /INDEX tasks_snoozed \(workspace_id=\? AND snooze_expired=\? AND snoozed_until>\? AND snoozed_until<\?\)$/,
    )
    assert.equal(sort, 'USE TEMP B-TREE FOR ORDER BY')
    assert.equal(plan.match(/TEMP B-TREE/g)?.length, 1, plan)
    assert.doesNotMatch(plan, /SCAN tasks/)
  })
}
