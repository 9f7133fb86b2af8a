/** Names that no database supports are rejected in the definition. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Table } from '../../src/database/table.ts'
import { checkTable } from '../../src/database/tables/check-table.ts'
import { type Column, creation, integer, text } from '../../src/lists/column.ts'

const note = () => text({ maxLength: 10, description: '' })
const columns = { id: note(), title: note(), createdAt: creation({ published: false, description: '' }) }
const listing = { order: [], limit: 10 }
const shelves: Table = { name: 'shelves', singular: 'shelf', version: 1, columns, listing }
const withColumn = (field: string, column: Column = note()) => ({ columns: { ...columns, [field]: column } })

const LONG = 'x'.repeat(36)
const refused: [change: string, definition: object, message: string][] = [
  ['a table of the service', { name: 'members' }, 'name is the name of a table that the service already has'],
  ['another table of the service', { name: 'revisions' }, 'name is the name of a table that the service already has'],
  [
    'a table with a space',
    { name: 'a b' },
    'name must consist of at most 24 lower-case letters and digits, and begin with a letter',
  ],
  [
    'a table with a capital',
    { name: 'bookShelves' },
    'name must consist of at most 24 lower-case letters and digits, and begin with a letter',
  ],
  [
    'a long table',
    { name: LONG },
    'name must consist of at most 24 lower-case letters and digits, and begin with a letter',
  ],
  [
    'a singular with a space',
    { singular: 'a b' },
    'singular must consist of at most 24 lower-case letters and digits, with single hyphens between words',
  ],
  ['version 0', { version: 0 }, 'its version must be a positive integer'],
  [
    'a nullable id',
    withColumn('id', text({ maxLength: 9, nullable: true, description: '' })),
    'fields.id must be a text that is not nullable',
  ],
  ['a counted id', withColumn('id', integer({ description: '' })), 'fields.id must be a text that is not nullable'],
  ['a quote', withColumn('a"b'), 'fields.a"b must be camelCase, of letters and digits only'],
  ['snake case', withColumn('due_at'), 'fields.due_at must be camelCase, of letters and digits only'],
  [
    'a long field',
    withColumn(LONG),
    `fields.${LONG} must be at most 35 characters long as a column, and ${LONG} has 36`,
  ],
  ...[
    'seq',
    'workspaceId',
    'source',
    'deleted',
    'rowid',
    'ctid',
    'xmax',
    'constructor',
    'truncated',
    'whyNotAnswered',
  ].map((field): [string, object, string] => [
    field,
    withColumn(field),
    `fields.${field} is a reserved name; choose another`,
  ]),
]

test('an ordinary table is accepted', () => checkTable(shelves))

for (const [change, definition, message] of refused)
  test(`a table is refused: ${change}`, () => {
    const table = { ...shelves, ...definition } as Table
    assert.throws(() => checkTable(table), { message: `table ${table.name}: ${message}` })
  })
