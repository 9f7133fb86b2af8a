import { type Column, importedColumns, isRequired, type Row, type Table } from '../database/table.ts'
import { checker, type FieldError, isObject, unstorable } from '../lib/checker.ts'
import { toInstant } from '../lib/instant.ts'
import { isPlainText } from '../lib/plain-text.ts'
import { type Field, integer, nullableInteger, nullableString, object, optional, string } from '../lib/schema.ts'

/** A record may set every column of its table, except those that the database maintains. */
export interface RecordSchema {
  fieldNames: readonly string[]
  requiredFields: readonly string[]
  /** The row as stored, or all faults of the record. */
  toRow(value: unknown): { row: Row } | { faults: FieldError[] }
  /** Converts a CSV cell to its JSON value. */
  fromText(field: string, text: string): string | number
}

type ImportedColumn = ReturnType<typeof importedColumns>[number]

/** Null means no value. Converting instants also checks them, because parsing is most of the work. */
export function recordSchema(table: Table, takesDeletions = false): RecordSchema {
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
  const toRow = (value: unknown): { row: Row } | { faults: FieldError[] } => {
    const row = faultsButInstants(value).length === 0 ? storedRow(columns, value as Row) : undefined
    if (row !== undefined) return { row }
    return { faults: [...faultsOf(value).map(hinted(value)), ...unstorable(value, fieldNames)] }
  }
  return {
    fieldNames,
    requiredFields: columns.filter(isRequired).map(({ field }) => field),
    toRow: (value) => {
      if (!isObject(value) || !Object.hasOwn(value, 'deleted')) return toRow(value)
      const { deleted, ...record } = value
      if (deleted === false || deleted === null) return toRow(record)
      return deleted === true
        ? deletionOf(record, toRow, takesDeletions)
        : { faults: [...faultsIn(toRow(record)), NOT_BOOLEAN] }
    },
    fromText: (field, text) => (isInteger.has(field) && /^-?\d{1,16}$/.test(text) ? Number(text) : text),
  }
}

/** A deletion needs only the id, but its other fields must be valid too. */
function deletionOf(record: Record<string, unknown>, toRow: RecordSchema['toRow'], isTaken: boolean) {
  const filled = Object.fromEntries(Object.entries(record).filter(([, member]) => member !== null))
  const counting = faultsIn(toRow(filled)).filter(({ field, problem }) => field === 'id' || problem !== 'is required')
  if (!isTaken) return { faults: [...counting, NOT_IN_SNAPSHOT] }
  return counting.length > 0 ? { faults: counting } : { row: { id: record.id as string, deleted: 1 } }
}

const faultsIn = (result: { row: Row } | { faults: FieldError[] }): FieldError[] =>
  'row' in result ? [] : result.faults

const NOT_BOOLEAN: FieldError = { field: 'deleted', problem: 'must be true or false' }
const NOT_IN_SNAPSHOT: FieldError = {
  field: 'deleted',
  problem: 'cannot be used in a snapshot, which lists only existing records; leave the record out',
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
    ...((!isNullable || (kind === 'text' && !column.isNullable)) && { minLength: 1 }),
  }
  return isNullable ? nullableString(options) : string(options)
}

const formats: Partial<Record<Column['kind'], 'date-time' | 'email'>> = { instant: 'date-time', email: 'email' }

/** Many trackers use numbers as ids. */
const hinted = (value: unknown) => (fault: FieldError) =>
  fault.field === 'id' && typeof Reflect.get(Object(value), 'id') === 'number'
    ? { ...fault, problem: `${fault.problem}; a map accepts numbers as ids: see --map and docs/maps.md` }
    : fault

/** Undefined if an instant is invalid, or a text cannot be stored. */
function storedRow(columns: readonly ImportedColumn[], record: Row): Row | undefined {
  const row: Row = {}
  for (const { field, kind, default: preset } of columns) {
    const value = record[field] ?? preset ?? null
    const stored = kind === 'instant' && typeof value === 'string' ? toInstant(value) : value
    if (stored === undefined || (typeof stored === 'string' && !isPlainText(stored))) return undefined
    row[field] = stored
  }
  return row
}
