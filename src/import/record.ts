import { type Column, importedColumns, isRequired, type Row, type Table } from '../database/table.ts'
import { checker, type Fault, unstorable } from '../lib/checker.ts'
import { toInstant } from '../lib/instant.ts'
import { isPlainText } from '../lib/plain-text.ts'
import { type Field, integer, nullableInteger, nullableString, object, optional, string } from '../lib/schema.ts'

/** What an import record may say of a resource: every column of its table, but for the database's own marks. */
export interface RecordReader {
  fieldNames: readonly string[]
  requiredFields: readonly string[]
  /** The row as it is stored, or everything that is wrong with the record. */
  read(value: unknown): { row: Row } | { faults: Fault[] }
  /** A cell of a CSV file, as JSON would have it. */
  fromText(field: string, text: string): string | number
}

type ImportedColumn = ReturnType<typeof importedColumns>[number]

/**
 * Null says the same as leaving a field out. Instants are checked by being converted: to check them beforehand would read
 * each of them twice, and that is most of the work.
 */
export function recordReader(table: Table): RecordReader {
  const columns = importedColumns(table)
  const recordOf = (fieldFor: (column: ImportedColumn) => Field) =>
    object(
      Object.fromEntries(
        columns.map((column) => [column.field, isRequired(column) ? fieldFor(column) : optional(fieldFor(column))]),
      ),
    )
  const faultsOf = checker(recordOf(fieldOf))
  const faultsButInstants = checker(
    recordOf((column) => fieldOf(column.kind === 'instant' ? { ...column, kind: 'text' } : column)),
  )
  const fieldNames = columns.map(({ field }) => field)
  const isInteger = new Set(columns.filter(({ kind }) => kind === 'integer').map(({ field }) => field))
  return {
    fieldNames,
    requiredFields: columns.filter(isRequired).map(({ field }) => field),
    read(value) {
      const row = faultsButInstants(value).length === 0 ? toRow(columns, value as Row) : undefined
      return row === undefined
        ? { faults: [...faultsOf(value).map(hinted(value)), ...unstorable(value, fieldNames)] }
        : { row }
    },
    fromText: (field, text) => (isInteger.has(field) && /^-?\d{1,16}$/.test(text) ? Number(text) : text),
  }
}

function fieldOf(column: ImportedColumn): Field {
  const { kind, maxLength, minimum, maximum, choices } = column
  const isNullable = !isRequired(column)
  if (kind === 'integer') {
    const range = { ...(minimum !== undefined && { minimum }), ...(maximum !== undefined && { maximum }) }
    return isNullable ? nullableInteger(range) : integer(range)
  }
  const options = {
    ...(maxLength !== undefined && { maxLength }),
    ...(formats[kind] !== undefined && { format: formats[kind] }),
    ...(choices !== undefined && { enum: [...choices, null] }),
  }
  const filled = kind === 'text' && !column.isNullable ? { ...options, minLength: 1 } : options
  return isNullable ? nullableString(filled) : string({ ...options, minLength: 1 })
}

const formats: Partial<Record<Column['kind'], 'date-time' | 'email'>> = { instant: 'date-time', email: 'email' }

/** Many trackers count their ids. */
const hinted = (value: unknown) => (fault: Fault) =>
  fault.field === 'id' && typeof Reflect.get(Object(value), 'id') === 'number'
    ? { ...fault, problem: `${fault.problem}; a map takes numbers as ids: --map` }
    : fault

/** Undefined if something is not an instant, or cannot be stored. */
function toRow(columns: readonly ImportedColumn[], record: Row): Row | undefined {
  const row: Row = {}
  for (const { field, kind, default: preset } of columns) {
    const value = record[field] ?? preset ?? null
    const stored = kind === 'instant' && typeof value === 'string' ? toInstant(value) : value
    if (stored === undefined || (typeof stored === 'string' && !isPlainText(stored))) return undefined
    row[field] = stored
  }
  return row
}
