import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reasonNotCurrent } from '../../src/lists/current.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'

const NOON = Date.parse('2026-11-15T12:00:00.000Z')

test('a row that is not shown says why', () => {
  const reasonOf = (row: Record<string, string | boolean | null>, of: Parameters<typeof reasonNotCurrent>[0]) =>
    reasonNotCurrent(of, row, NOON)
  assert.equal(reasonOf({ status: 'open', snoozedUntil: null }, currentTasks), undefined)
  assert.equal(reasonOf({ status: 'open', snoozedUntil: '2026-11-15T12:00:00.000Z' }, currentTasks), undefined)
  assert.equal(reasonOf({ status: 'completed', snoozedUntil: null }, currentTasks), 'completed')
  assert.equal(
    reasonOf({ status: 'open', snoozedUntil: '2026-11-15T12:00:00.001Z' }, currentTasks),
    'snoozed until 2026-11-15T12:00:00.001Z',
  )
  const current = { urgent: [true], embargo: 'past' } as const
  assert.equal(reasonOf({ urgent: false, embargo: null }, { current }), 'urgent false')
  assert.equal(reasonOf({ urgent: null, embargo: null }, { current }), 'urgent null')
  const embargo = '2027-01-01T00:00:00.000Z'
  assert.equal(reasonOf({ urgent: true, embargo }, { current }), `hidden until ${embargo}`)
})
