import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StatementNames } from '../../../src/database/postgres/statement-names.ts'

test('a name stands for one text, and however many texts there are, names are few', () => {
  const names = new StatementNames('list', 2)
  const [first, second, third] = ['SELECT 1', 'SELECT 2', 'SELECT 3'].map((text) => names.named(text))
  assert.notEqual(first?.name, undefined)
  assert.notEqual(first?.name, second?.name)
  assert.deepEqual(third, { text: 'SELECT 3' })
  assert.deepEqual(names.named('SELECT 1'), first)
  assert.deepEqual(names.named('SELECT 3'), third)
})
