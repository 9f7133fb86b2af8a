import { copiedTables, notCopied } from './copied-tables.ts'
import { BUILT_IN_COLUMNS, columnsOf, type Table } from './table.ts'

/** PostgreSQL truncates names to 63 bytes. Our longest are index names: `<table>_by_<column>`. */
const MAX_TABLE_LENGTH = 24
const MAX_COLUMN_LENGTH = 35

/** Includes `deleted`, which import records use, and the system columns that databases add to every table. */
const RESERVED_COLUMNS: readonly string[] = [
  ...BUILT_IN_COLUMNS,
  'deleted',
  ...'rowid oid tableoid xmin cmin xmax cmax ctid'.split(' '),
]

/** Rejects names that one of the databases could not store. */
export function checkTable(table: Table): void {
  const { name, singular, version } = table
  const requireThat = (isMet: boolean, requirement: string) => {
    if (!isMet) throw new Error(`table ${name}: ${requirement}`)
  }
  const ownTables = [...copiedTables([]).map((own) => own.name), ...Object.keys(notCopied)]
  requireThat(
    /^[a-z][a-z0-9]*$/.test(name) && name.length <= MAX_TABLE_LENGTH,
    `its name must consist of at most ${MAX_TABLE_LENGTH} lower-case letters and digits`,
  )
  requireThat(!ownTables.includes(name), 'the service already has a table with this name')
  requireThat(/^[a-z][a-z0-9-]*$/.test(singular), 'its singular must consist of lower-case letters, digits and hyphens')
  requireThat(Number.isSafeInteger(version) && version >= 1, 'its version must be a positive integer')
  const { id } = table.columns
  requireThat(id.kind === 'text' && !id.isNullable, 'id must be a text column that is not nullable')
  for (const column of columnsOf(table)) {
    const { field } = column
    requireThat(/^[a-z][a-zA-Z0-9]*$/.test(field), `${field} must be camelCase, of letters and digits only`)
    requireThat(
      column.name.length <= MAX_COLUMN_LENGTH,
      `the column ${column.name} must be at most ${MAX_COLUMN_LENGTH} characters long`,
    )
    requireThat(!RESERVED_COLUMNS.includes(column.name) && !(field in {}), `${field} is a reserved name`)
  }
}
