import { type Fault, fault } from '../../lib/fault.ts'
import { BUILT_IN_COLUMNS, columnsOf, type Table } from '../table.ts'
import { copiedTables, notCopied } from './copied-tables.ts'

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

/** Names that a database, the command line or a client could not use, by the member of a definition. */
export function tableFaults({ name, singular, columns }: Pick<Table, 'name' | 'singular' | 'columns'>): Fault[] {
  const { id } = columns
  return [
    ...fault(
      'name',
      !(/^[a-z][a-z0-9]*$/.test(name) && name.length <= MAX_TABLE_LENGTH) &&
        `must consist of at most ${MAX_TABLE_LENGTH} lower-case letters and digits, and begin with a letter`,
    ),
    ...fault('name', RESERVED_TABLES.includes(name) && 'is the name of a table that the service already has'),
    ...fault(
      'singular',
      !(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(singular) && singular.length <= MAX_TABLE_LENGTH) &&
        `must consist of at most ${MAX_TABLE_LENGTH} lower-case letters and digits, with single hyphens between words`,
    ),
    ...fault('fields.id', (id?.kind !== 'text' || id.isNullable) && 'must be a text that is not nullable'),
    ...columnsOf({ columns }).flatMap(({ field, name: column }) => [
      ...fault(
        `fields.${field}`,
        !/^[a-z][a-zA-Z0-9]*$/.test(field) && 'must be camelCase, of letters and digits only',
      ),
      ...fault(
        `fields.${field}`,
        column.length > MAX_COLUMN_LENGTH &&
          `must be at most ${MAX_COLUMN_LENGTH} characters long as a column, and ${column} has ${column.length}`,
      ),
      ...fault(
        `fields.${field}`,
        (RESERVED_COLUMNS.includes(column) || BESIDE_FIELDS.includes(field) || field in {}) &&
          'is a reserved name; choose another',
      ),
    ]),
  ]
}

export function checkTable(table: Table): void {
  const [first] = tableFaults(table)
  if (first !== undefined) throw new Error(`table ${table.name}: ${first.field} ${first.problem}`)
  if (!Number.isSafeInteger(table.version) || table.version < 1)
    throw new Error(`table ${table.name}: its version must be a positive integer`)
}
