import type { FieldError } from '../lib/checker.ts'
import { copiedTables, notCopied } from './copied-tables.ts'
import { BUILT_IN_COLUMNS, columnsOf, type Table } from './table.ts'

/** PostgreSQL truncates names to 63 bytes. Our longest are index names: `<table>_by_<column>`. */
export const MAX_TABLE_LENGTH = 24
const MAX_COLUMN_LENGTH = 35

/** SQLite reserves index names that begin with `sqlite_`. */
const RESERVED_TABLES = [...copiedTables([]).map(({ name }) => name), ...Object.keys(notCopied), 'sqlite']

/** Includes `deleted`, which import records use, and the system columns that databases add to every table. */
const RESERVED_COLUMNS: readonly string[] = [
  ...BUILT_IN_COLUMNS,
  'deleted',
  ...'rowid oid tableoid xmin cmin xmax cmax ctid'.split(' '),
]

/** What tools and commands show besides a row's fields. */
const BESIDE_FIELDS = ['truncated', 'whyNotAnswered']

type Named = Pick<Table, 'name' | 'singular' | 'columns'>

/** Names that a database, the command line or a client could not use, by the member of a definition. */
export function tableFaults({ name, singular, columns }: Named): FieldError[] {
  const fault = (isMet: boolean, field: string, problem: string): FieldError[] => (isMet ? [] : [{ field, problem }])
  const { id } = columns
  return [
    ...fault(
      /^[a-z][a-z0-9]*$/.test(name) && name.length <= MAX_TABLE_LENGTH,
      'name',
      `must consist of at most ${MAX_TABLE_LENGTH} lower-case letters and digits, and begin with a letter`,
    ),
    ...fault(!RESERVED_TABLES.includes(name), 'name', 'is the name of a table that the service already has'),
    ...fault(
      /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(singular) && singular.length <= MAX_TABLE_LENGTH,
      'singular',
      `must consist of at most ${MAX_TABLE_LENGTH} lower-case letters and digits, with single hyphens between words`,
    ),
    ...fault(id?.kind === 'text' && !id.isNullable, 'fields.id', 'must be a text that is not nullable'),
    ...columnsOf({ columns }).flatMap(({ field, name: column }) => [
      ...fault(/^[a-z][a-zA-Z0-9]*$/.test(field), `fields.${field}`, 'must be camelCase, of letters and digits only'),
      ...fault(
        column.length <= MAX_COLUMN_LENGTH,
        `fields.${field}`,
        `must be at most ${MAX_COLUMN_LENGTH} characters long as a column, and ${column} has ${column.length}`,
      ),
      ...fault(
        !(RESERVED_COLUMNS.includes(column) || BESIDE_FIELDS.includes(field) || field in {}),
        `fields.${field}`,
        'is a reserved name; choose another',
      ),
    ]),
  ]
}

export function checkTable(table: Table): void {
  const [fault] = tableFaults(table)
  if (fault !== undefined) throw new Error(`table ${table.name}: ${fault.field} ${fault.problem}`)
  if (!Number.isSafeInteger(table.version) || table.version < 1)
    throw new Error(`table ${table.name}: its version must be a positive integer`)
}
