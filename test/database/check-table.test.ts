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
  ['a table of the service', { name: 'members' }, 'the service already has a table with this name'],
  ['another table of the service', { name: 'revisions' }, 'the service already has a table with this name'],
  ['a table with a space', { name: 'a b' }, 'its name must consist of at most 24 lower-case letters and digits'],
  [
    'a table with a capital',
    { name: 'bookShelves' },
    'its name must consist of at most 24 lower-case letters and digits',
  ],
  ['a long table', { name: LONG }, 'its name must consist of at most 24 lower-case letters and digits'],
  [
    'a singular with a space',
    { singular: 'a b' },
    'its singular must consist of lower-case letters, digits and hyphens',
  ],
  ['version 0', { version: 0 }, 'its version must be a positive integer'],
  [
    'a nullable id',
    withColumn('id', text({ maxLength: 9, nullable: true, description: '' })),
    'id must be a text column that is not nullable',
  ],
  ['a counted id', withColumn('id', integer({ description: '' })), 'id must be a text column that is not nullable'],
  ['a quote', withColumn('a"b'), 'a"b must be camelCase, of letters and digits only'],
  ['snake case', withColumn('due_at'), 'due_at must be camelCase, of letters and digits only'],
  ['a long field', withColumn(LONG), `the column ${LONG} must be at most 35 characters long`],
  ...['seq', 'workspaceId', 'source', 'deleted', 'rowid', 'ctid', 'xmax', 'constructor'].map(
    (field): [string, object, string] => [field, withColumn(field), `${field} is a reserved name`],
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
