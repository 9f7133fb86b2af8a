import assert from 'node:assert/strict'
import { test } from 'node:test'
import { argumentNormaliser } from '../../src/resources/normalised-arguments.ts'
import { tasks } from '../../src/resources/tasks/contract.ts'
import { workspace } from '../../src/resources/workspace/contract.ts'
import { books } from './books/contract.ts'

const normalise = argumentNormaliser(tasks)

/** As text: two objects that differ in the order of their members are equal otherwise. */
const textOf = (args: object) => JSON.stringify(normalise({ ...args }))

for (const { asked, as } of [
  { asked: {}, as: undefined },
  { asked: { limit: 100 }, as: undefined },
  { asked: { limit: 100, bookKey: 'a' }, as: '{"bookKey":"a"}' },
  {
    asked: { dueBefore: '2026-11-15T10:00:00+01:00', limit: 5 },
    as: '{"limit":5,"dueBefore":"2026-11-15T09:00:00.000Z"}',
  },
  {
    asked: { limit: 5, dueBefore: '2026-11-15t09:00:00.0009z' },
    as: '{"limit":5,"dueBefore":"2026-11-15T09:00:00.000Z"}',
  },
  { asked: { assigneeEmail: 'Priya@NORTHWIND.example' }, as: '{"assigneeEmail":"priya@northwind.example"}' },
])
  test(`equal questions have one form: ${JSON.stringify(asked)}`, () => assert.equal(textOf(asked), as))

test('questions that differ keep their differences', () => {
  const asked = [
    { bookKey: 'A' },
    { bookKey: 'a' },
    { bookKey: ' a' },
    { bookKey: '' },
    { assigneeEmail: 'a' },
    { assigneeEmail: '\u212a' },
    { assigneeEmail: 'k' },
    { limit: 99 },
    { limit: 99, bookKey: 'a' },
    { dueBefore: '2026-11-15T09:00:00.001Z' },
    { dueBefore: '2026-11-15T09:00:00.002Z' },
  ]
  assert.equal(new Set(asked.map(textOf)).size, asked.length)
})

test('the rules are those of each resource', () => {
  assert.equal(argumentNormaliser(workspace)({}), undefined)
  const ofBooks = argumentNormaliser(books)
  assert.equal(ofBooks({ limit: 50 }), undefined)
  assert.deepEqual(ofBooks({ author: 'Eça', limit: 49 }), { limit: 49, author: 'Eça' })
})
