/** Names that no database could be given are refused where they are defined. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkTable } from '../../src/database/check-table.ts'
import { type Column, creation, integer, type Table, tablesOf, text } from '../../src/database/table.ts'

const note = () => text({ maxLength: 10, description: '' })
const columns = { id: note(), title: note(), createdAt: creation({ hidden: true, description: '' }) }
const shelves: Table = { name: 'shelves', singular: 'shelf', version: 1, columns, sqlite: [], postgres: [] }
const withColumn = (field: string, column: Column = note()) => ({ columns: { ...columns, [field]: column } })

const LONG = 'x'.repeat(36)
const refused: [change: string, definition: object, message: string][] = [
  ['a table of the service', { name: 'members' }, 'the service has a table of this name'],
  ['another table of the service', { name: 'revisions' }, 'the service has a table of this name'],
  ['a table with a space', { name: 'a b' }, 'its name must be of lower-case letters and digits, at most 24'],
  ['a table with a capital', { name: 'bookShelves' }, 'its name must be of lower-case letters and digits, at most 24'],
  ['a long table', { name: LONG }, 'its name must be of lower-case letters and digits, at most 24'],
  ['a singular with a space', { singular: 'a b' }, 'its singular must be of lower-case letters, digits and hyphens'],
  ['version 0', { version: 0 }, 'its version must be a whole number from 1'],
  [
    'a nullable id',
    withColumn('id', text({ maxLength: 9, nullable: true, description: '' })),
    'id must be a text that is not nullable',
  ],
  ['a counted id', withColumn('id', integer({ description: '' })), 'id must be a text that is not nullable'],
  ['a quote', withColumn('a"b'), 'a"b must be of letters and digits, and begin with a small letter'],
  ['snake case', withColumn('due_at'), 'due_at must be of letters and digits, and begin with a small letter'],
  ['a long field', withColumn(LONG), `the column ${LONG} must have at most 35 characters`],
  ...['seq', 'workspaceId', 'source', 'deleted', 'rowid', 'ctid', 'xmax', 'constructor'].map(
    (field): [string, object, string] => [field, withColumn(field), `${field} is a name that is taken`],
  ),
]

test('an ordinary table is accepted', () => checkTable(shelves))

for (const [change, definition, message] of refused)
  test(`a table is refused: ${change}`, () => {
    const table = { ...shelves, ...definition } as Table
    assert.throws(() => checkTable(table), { message: `table ${table.name}: ${message}` })
  })

test('two resources cannot share a table, nor a command', () => {
  const table = { ...shelves, name: 'other' }
  assert.throws(() => tablesOf([{ table: shelves }, { table: { ...shelves, singular: 'x' } }]), /name shelves$/)
  assert.throws(() => tablesOf([{ table: shelves }, {}, { table }]), /singular shelf$/)
})
