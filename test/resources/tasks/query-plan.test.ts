// Run once: it tests SQLite’s own plans and documents.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Range } from '../../../src/database/lists/keyset.ts'
import { connectForWriting } from '../../../src/database/sqlite/connect.ts'
import { firstRowsSql, positionSql, SQLITE, selectSql } from '../../../src/database/sqlite/lists/list.ts'
import { tablesOf } from '../../../src/database/table.ts'
import { resources } from '../../../src/resources/index.ts'
import { taskList } from '../../../src/resources/tasks/current-tasks.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const names = ['bookKey', 'assigneeEmail', 'dueBefore', 'dueAfter']
const subsets = Array.from({ length: 2 ** names.length }, (_, bits) => names.filter((_, i) => bits & (1 << i)))

const indexes: Record<string, string> = {
  '': 'tasks_unsnoozed (workspace_id=?',
  bookKey: 'tasks_of_book (workspace_id=? AND book_key=?',
  assigneeEmail: 'tasks_of_assignee (workspace_id=? AND <expr>=?',
  'bookKey,assigneeEmail': 'tasks_of_book_and_assignee (workspace_id=? AND book_key=? AND <expr>=?',
}

/** What is sought behind the filters; <expr> is whether there is a due date. */
const ranges: [name: string, range: Range, sought: string][] = [
  ['the first page', [], ''],
  ['the same due time', ['equal', 'greater'], ' AND <expr>=? AND due_at=? AND seq>?'],
  ['later ones', ['greater'], ' AND <expr>=? AND due_at>?'],
  ['undated ones', ['null'], ' AND <expr>=? AND due_at=?'],
  ['after an undated one', ['null', 'greater'], ' AND <expr>=? AND due_at=? AND seq>?'],
]

function seekOf(filters: string[], range: Range, sought: string): string {
  const index = indexes[filters.filter((name) => !name.startsWith('due')).join()]
  const [isBefore, isAfter] = [filters.includes('dueBefore'), filters.includes('dueAfter')]
  if (range.length === 0 && (isBefore || isAfter))
    return `${index} AND <expr>=?${isAfter ? ' AND due_at>?' : ''}${isBefore ? ' AND due_at<?' : ''})`
  return `${index}${sought}${range[0] === 'greater' && isBefore ? ' AND due_at<?' : ''})`
}

interface Step {
  id: number
  parent: number
  detail: string
}

for (const filters of subsets) {
  const given = Object.fromEntries(filters.map((name) => [name, 'x']))
  const isDated = filters.some((name) => name.startsWith('due'))
  const possible = ranges.filter(([, range]) => !(isDated && range[0] === 'null'))

  test(`tasks by ${filters.join() || 'nothing'}: every page is a seek, and only the few whose snooze has just ended are sorted`, (t) => {
    const db = connectForWriting(join(temporaryFolder(t), 'plan.db'), tablesOf(resources), { create: true })
    t.after(() => db.close())
    for (const [name, range, sought] of possible)
      for (const isWhole of filters.length === 0 && range.length === 0 ? [true, false] : [false]) {
        const planOf = (isMerged: boolean) => {
          const rows = taskList.compileFilters(given, SQLITE, () => '?')
          const sql = isWhole
            ? firstRowsSql(taskList, isMerged)
            : selectSql(taskList.table, rows, isMerged)(positionSql(rows.order), range, 'LIMIT 100')
          // Of two lower bounds an index seeks by one, and reads on from there.
          const bounds = sql.match(/"?due_at"? >=? /g) ?? []
          assert.ok(bounds.length <= (isMerged ? 2 : 1), sql)
          return db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as unknown as Step[]
        }
        const seek = seekOf(filters, range, sought)
        const [plain, steps] = [planOf(false), planOf(true)]
        assert.deepEqual(
          plain.map(({ detail }) => detail.replace('COVERING ', '')),
          [`SEARCH tasks USING INDEX ${seek}`],
          name,
        )
        const plan = `${name}:\n${steps.map(({ detail }) => detail).join('\n')}`
        const below = (detail: string) => {
          const found = steps.find((step) => step.detail === detail)
          assert.ok(found, `${detail} in ${plan}`)
          return steps.filter((step) => step.parent === found.id).map((step) => step.detail.replace('COVERING ', ''))
        }
        below('MERGE (UNION ALL)')
        // In the order of its index, so that reading it ends with the last listed task.
        assert.deepEqual(below('LEFT'), [`SEARCH tasks USING INDEX ${seek}`], plan)
        const [expired = '', sort] = below('RIGHT')
        assert.match(
          expired,
          /INDEX tasks_snoozed \(workspace_id=\? AND snooze_expired=\? AND snoozed_until>\? AND snoozed_until<\?\)$/,
        )
        assert.equal(sort, 'USE TEMP B-TREE FOR ORDER BY')
        assert.equal(plan.match(/TEMP B-TREE/g)?.length, 1, plan)
        assert.doesNotMatch(plan, /SCAN tasks/)
      }
  })
}
