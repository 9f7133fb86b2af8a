import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Row } from '../../src/lists/column.ts'
import { type List, listsOf } from '../../src/lists/definition.ts'
import { onlyIn } from '../../src/lists/only.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { resources } from '../resources/declared/orders.ts'

const [, orders] = listsOf(resources) as [List, List]

/** Undefined if the list is not limited. */
const shows = (list: List, text: string | null, row: Row): boolean | undefined => onlyIn(list, text)?.matches?.(row)

const task = (row: Row): Row => ({ bookKey: null, assigneeEmail: null, sourceSessionId: null, ...row })

test('a limit demands one of the values of its list, and nothing of others', () => {
  const text = JSON.stringify({ tasks: { bookKey: ['linen', 'wool'] } })
  const shown = ['linen', 'wool', 'Linen', 'lin', null].map((bookKey) => shows(currentTasks, text, task({ bookKey })))
  assert.deepEqual(shown, [true, true, false, false, false])
  assert.equal(onlyIn(orders, text), undefined)
  assert.equal(onlyIn(currentTasks, null), undefined)
  const address = JSON.stringify({ tasks: { assigneeEmail: ['ana@x.example'] } })
  assert.equal(shows(currentTasks, address, task({ assigneeEmail: 'Ana@X.example' })), true)
  assert.equal(shows(currentTasks, address, task({})), false)
})

const unclear = [
  '',
  'linen',
  '{}',
  '[]',
  'null',
  '{"tasks":null}',
  '{"tasks":{}}',
  '{"tasks":{"bookKey":[]}}',
  '{"tasks":{"bookKey":"linen"}}',
  '{"tasks":{"bookKey":[null]}}',
  '{"tasks":{"title":["linen"]}}',
  '{"tasks":{"book":["linen"]}}',
  '{"tasks":{"bookKey":["linen"],"sourceSessionId":["linen"]}}',
  '{"tasks":{"bookKey":["linen"]},"orders":7}',
]

for (const text of unclear)
  test(`a limit that cannot be understood shows nothing: ${text}`, () => {
    const row = task({ id: 'linen', title: 'linen', bookKey: 'linen', sourceSessionId: 'linen' })
    assert.equal(shows(currentTasks, text, row), false)
  })
