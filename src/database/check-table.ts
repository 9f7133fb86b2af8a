import { copiedTables, notCopied } from './copied-tables.ts'
import { BUILT_IN_COLUMNS, columnsOf, type Table } from './table.ts'

/** PostgreSQL cuts names off at 63 bytes: the longest of ours is that of an index, `<table>_by_<column>`. */
const MAX_TABLE_LENGTH = 24
const MAX_COLUMN_LENGTH = 35

/** Also the word by which an import record deletes, and the columns that a database gives to every table. */
const RESERVED_COLUMNS: readonly string[] = [
  ...BUILT_IN_COLUMNS,
  'deleted',
  ...'rowid oid tableoid xmin cmin xmax cmax ctid'.split(' '),
]

/** Refuses names that a database could not hold. */
export function checkTable(table: Table): void {
  const { name, singular, version } = table
  const demand = (isMet: boolean, demanded: string) => {
    if (!isMet) throw new Error(`table ${name}: ${demanded}`)
  }
  const ownTables = [...copiedTables([]).map((own) => own.name), ...Object.keys(notCopied)]
  demand(
    /^[a-z][a-z0-9]*$/.test(name) && name.length <= MAX_TABLE_LENGTH,
    `its name must be of lower-case letters and digits, at most ${MAX_TABLE_LENGTH}`,
  )
  demand(!ownTables.includes(name), 'the service has a table of this name')
  demand(/^[a-z][a-z0-9-]*$/.test(singular), 'its singular must be of lower-case letters, digits and hyphens')
  demand(Number.isSafeInteger(version) && version >= 1, 'its version must be a whole number from 1')
  const { id } = table.columns
  demand(id.kind === 'text' && !id.isNullable, 'id must be a text that is not nullable')
  for (const column of columnsOf(table)) {
    const { field } = column
    demand(/^[a-z][a-zA-Z0-9]*$/.test(field), `${field} must be of letters and digits, and begin with a small letter`)
    demand(
      column.name.length <= MAX_COLUMN_LENGTH,
      `the column ${column.name} must have at most ${MAX_COLUMN_LENGTH} characters`,
    )
    demand(!RESERVED_COLUMNS.includes(column.name) && !(field in {}), `${field} is a name that is taken`)
  }
}
