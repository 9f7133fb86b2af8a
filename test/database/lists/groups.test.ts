import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GroupCounter } from '../../../src/database/lists/groups.ts'
import { taskList } from '../../../src/resources/tasks/current-tasks.ts'

test('the largest groups come first, ties by code points, and no value last', () => {
  const groups = new GroupCounter(taskList, ['bookKey'], { filters: {}, by: 'bookKey', dateOf: String })
  const names = Array.from({ length: 100 }, (_, i) => `book ${String(i).padStart(2, '0')}`)
  for (const name of names.toReversed()) groups.add([name], false)
  for (const value of [null, 'Zoo', '\u{1f600}', '\u{ff21}']) groups.add([value], true, 2)
  const counts = groups.result({ count: 108, isMinimum: false }, 0)
  const values = ['Zoo', '\u{ff21}', '\u{1f600}', null, ...names.slice(0, 46)]
  assert.deepEqual(
    counts.groups.map(({ value }) => value),
    values,
  )
  assert.deepEqual([counts.more, counts.overdue, counts.groups[0]], [54, 8, { value: 'Zoo', count: 2, overdue: 2 }])
})
