import { jsonField, limitedField } from '../database/json-field.ts'
import { importedColumns, isDecimalKind, isRequired, type Row, type Table, type Value } from '../database/table.ts'
import { checker, type FieldError, isObject, unstorable } from '../lib/checker.ts'
import { toInstant } from '../lib/instant.ts'
import { parseJson } from '../lib/json-text.ts'
import { isPlainText } from '../lib/plain-text.ts'
import { type Field, nullable, object, optional } from '../lib/schema.ts'

/** A record may set every column of its table, except those that the database maintains. */
export interface RecordSchema {
  fieldNames: readonly string[]
  requiredFields: readonly string[]
  toRow(value: unknown): { row: Row } | { faults: FieldError[] }
  fromText(field: string, text: string): Value
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
  const kindOf = new Map(columns.map(({ field, kind }) => [field, kind]))
  const toRow = (value: unknown): { row: Row } | { faults: FieldError[] } => {
    const row = faultsButInstants(value).length === 0 ? storedRow(columns, value as Row) : undefined
    if (row !== undefined) return { row }
    return { faults: [...faultsOf(value).map(hinted(columns, value)), ...unstorable(value, fieldNames)] }
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
    fromText: (field, text) => readers[kindOf.get(field) ?? 'text']?.(text) ?? text,
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

/** Decimals may be whole numbers, which are exact. */
function fieldOf(column: ImportedColumn): Field {
  const isFilled = isRequired(column) || (column.kind === 'text' && !column.isNullable)
  const field = isDecimalKind(column)
    ? { ...jsonField(column), type: ['string', 'integer'] as const, ...SAFE }
    : limitedField(column, isFilled)
  return isRequired(column) ? field : nullable(field)
}

const SAFE = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }

/** Undefined if the cell is not such a value: then its text is checked, and rejected. */
const readers: Partial<Record<ImportedColumn['kind'], (text: string) => Value | undefined>> = {
  integer: (text) => (/^-?\d{1,16}$/.test(text) ? Number(text) : undefined),
  boolean: (text) => (/^(?:true|false)$/i.test(text) ? text.toLowerCase() === 'true' : undefined),
  texts: (text) => parseJson(text) as Value | undefined,
}

const SEE_MAPS = 'see --map and docs/maps.md'

/** Adds what the fault of a field can be fixed by. Many trackers use numbers as ids. */
const hinted = (columns: readonly ImportedColumn[], record: unknown) => (fault: FieldError) => {
  const value = Reflect.get(Object(record), fault.field)
  const { kind } = columns.find(({ field }) => field === fault.field) ?? {}
  if (fault.field === 'id' && typeof value === 'number')
    return { ...fault, problem: `${fault.problem}; a map accepts numbers as ids: ${SEE_MAPS}` }
  if (kind !== undefined && isDecimalKind({ kind }) && typeof value === 'number')
    return { ...fault, problem: 'must be given as a string, such as "1240.50", to be exact' }
  if (kind === 'boolean' && typeof value === 'string')
    return { ...fault, problem: `must be true or false; a map can translate other words: ${SEE_MAPS}` }
  if (kind === 'texts' && typeof value === 'string')
    return { ...fault, problem: `must be a JSON array such as ["a","b"]; a map can split other lists: ${SEE_MAPS}` }
  return fault
}

/** Undefined if an instant is invalid, or a text cannot be stored. */
function storedRow(columns: readonly ImportedColumn[], record: Row): Row | undefined {
  const row: Row = {}
  for (const column of columns) {
    const { field, default: preset } = column
    const stored = storedValue(column, record[field] ?? preset ?? null)
    if (stored === undefined || (typeof stored === 'string' && !isPlainText(stored))) return undefined
    if (typeof stored === 'object' && stored?.every(isPlainText) === false) return undefined
    row[field] = stored
  }
  return row
}

function storedValue(column: ImportedColumn, value: Value): Value | undefined {
  if (column.kind === 'instant' && typeof value === 'string') return toInstant(value)
  return typeof value === 'number' && isDecimalKind(column) ? String(value) : value
}
