import assert from 'node:assert/strict'
import { test } from 'node:test'
import { itemRule } from '../../src/cli/commands/doctor/items.ts'
import type { Row } from '../../src/lists/column.ts'
import { itemOf } from '../../src/lists/item.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'

const faultsOf = itemRule([currentTasks])

/** A stored task, as if its fields had been changed by hand. */
function stored(row: Row): Row {
  const { body, rest } = itemOf(currentTasks, { id: 'a', title: 'A', createdAt: '2026-11-15T12:00:00.000Z', ...row })
  return { list: 'tasks', id: 'a', body, rest }
}

test('an item that fits its definition has no faults, and neither has one whose list has no definition', () => {
  assert.deepEqual(faultsOf(stored({ dueAt: '2026-11-15T12:00:00.000Z', status: 'completed' })), [])
  assert.deepEqual(faultsOf({ ...stored({ title: '' }), list: 'orders' }), [])
})

for (const [row, fault] of [
  [{ title: '' }, 'title must not be empty'],
  [{ assigneeEmail: 'nobody' }, 'assigneeEmail must be an email address'],
  [{ status: 'lost' }, 'status must be one of open, completed, cancelled'],
  [{ dueAt: '2026-11-15T12:00:00Z' }, 'dueAt is not an instant'],
] as const)
  test(`a field that does not fit is named: ${fault}`, () => {
    const [first, ...others] = faultsOf(stored(row))
    assert.ok(first?.startsWith(fault), first)
    assert.deepEqual(others, [])
  })

test('JSON that is broken or of another row is reported', () => {
  assert.deepEqual(faultsOf({ ...stored({}), body: '{"id":' }), ['is not JSON'])
  assert.deepEqual(faultsOf({ ...stored({}), id: 'b' }), ['has another id in its JSON'])
})
