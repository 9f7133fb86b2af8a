import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { connectForWriting } from '../../src/storage/sqlite/connect.ts'
import { currentTasksSql } from '../../src/storage/sqlite/current-tasks.ts'
import { temporaryFolder } from '../support/service.ts'

const cases: [name: string, sql: string, expected: string[]][] = [
  [
    'few woken: the awake in due order, the woken sorted in',
    currentTasksSql('merged', ['id'], {}),
    ['USING INDEX tasks_awake (workspace_id=?)', 'USING INDEX tasks_asleep (workspace_id=? AND snoozed_until<?)'],
  ],
  [
    'many woken: all open tasks in due order',
    currentTasksSql('walked', ['id'], {}),
    ['USING COVERING INDEX tasks_open (workspace_id=?)'],
  ],
  [
    'of a book',
    currentTasksSql('walked', ['id'], { bookKey: 'x' }),
    ['USING COVERING INDEX tasks_of_book (workspace_id=? AND book_key=?)'],
  ],
  [
    'of an assignee',
    currentTasksSql('walked', ['id'], { assigneeEmail: 'x' }),
    ['USING INDEX tasks_of_assignee (workspace_id=? AND <expr>=?)'],
  ],
  [
    'due before',
    currentTasksSql('merged', ['id'], { dueBefore: 'x' }),
    ['USING INDEX tasks_awake (workspace_id=? AND <expr>=? AND due_at<?)'],
  ],
]

for (const [name, sql, expected] of cases) {
  test(`current tasks are found by index, without a scan and without sorting them all: ${name}`, (t) => {
    const db = connectForWriting(join(temporaryFolder(t), 'plan.db'), { create: true })
    const plan = db
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map((row) => String(row.detail))
    db.close()
    for (const step of expected)
      assert.ok(
        plan.some((detail) => detail.includes(step)),
        `${step} in\n${plan.join('\n')}`,
      )
    assert.ok(!plan.some((detail) => /^SCAN tasks/.test(detail)), plan.join('\n'))
    const sorts = plan.filter((detail) => detail.includes('TEMP B-TREE FOR ORDER BY')).length
    // Merging sorts the few hundred candidates of its two halves; walking sorts nothing.
    assert.equal(sorts, sql.includes('UNION ALL') ? 1 : 0, plan.join('\n'))
  })
}
