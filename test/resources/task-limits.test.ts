import assert from 'node:assert/strict'
import { test } from 'node:test'
import { currentTasks } from '../../src/resources/tasks/list.ts'

test('every text of a task has the limit that the contract states', () => {
  const texts = currentTasks.fields.filter(({ kind }) => kind !== 'instant' && kind !== 'choice')
  assert.deepEqual(Object.fromEntries(texts.map(({ name, maxLength }) => [name, maxLength])), {
    id: 200,
    title: 500,
    details: 10_000,
    bookKey: 200,
    assigneeName: 200,
    assigneeEmail: 320,
    sourceSessionId: 200,
    sourceTitle: 500,
    sourceSummary: 10_000,
    sourceKind: 100,
  })
})
