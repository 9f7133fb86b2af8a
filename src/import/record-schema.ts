import { checker, isObject, unstorable } from '../lib/checker.ts'
import type { Fault } from '../lib/fault.ts'
import { toInstant } from '../lib/instant.ts'
import { parseJson } from '../lib/json-text.ts'
import { type Field, nullable, object, optional } from '../lib/schema.ts'
import { isDecimalKind, isRequired, type Row, type Value } from '../lists/column.ts'
import type { List, ListField } from '../lists/definition.ts'
import { jsonField, limitedField } from '../lists/json-field.ts'

export type RecordSchema = ReturnType<typeof recordSchema>

/** A record may set every field of its list. Null means no value. */
export function recordSchema({ fields: columns }: Pick<List, 'fields'>, takesDeletions = false) {
  const fields = columns.map((column) => [
    column.name,
    isRequired(column) ? fieldOf(column) : optional(fieldOf(column)),
  ])
  const check = checker(object(Object.fromEntries(fields)))
  const fieldNames = columns.map(({ name }) => name)
  const kindOf = new Map(columns.map(({ name, kind }) => [name, kind]))
  const faultsOf = (value: unknown) => [...check(value).map(hinted(columns, value)), ...unstorable(value, fieldNames)]
  return {
    columns,
    fieldNames,
    requiredFields: columns.filter(isRequired).map(({ name }) => name),
    toRow: (value: unknown): { row: Row } | Rejection => {
      const { deleted, record } = withoutDeleted(value)
      const faults = deleted === true ? deletionFaults(Object(record), faultsOf) : faultsOf(record)
      if (deleted === true && !takesDeletions) faults.push(NOT_IN_SNAPSHOT)
      if (typeof deleted !== 'boolean' && deleted !== null) faults.push(NOT_BOOLEAN)
      if (faults.length > 0) return { problems: faults.map(inWords), id: idOf(record) }
      return { row: deleted ? { id: (record as Row).id ?? null, deleted: 1 } : storedRow(columns, record as Row) }
    },
    fromText: (field: string, text: string): Value => cellParsers[kindOf.get(field) ?? 'text']?.(text) ?? text,
  }
}

/** Copies only a record that has the member. */
function withoutDeleted(value: unknown): { deleted: unknown; record: unknown } {
  if (!isObject(value) || !Object.hasOwn(value, 'deleted')) return { deleted: false, record: value }
  const { deleted = false, ...record } = value
  return { deleted, record }
}

export function idOf(record: unknown): string | undefined {
  const id = isObject(record) ? record.id : undefined
  return typeof id === 'string' && id !== '' ? id : undefined
}

/** A deletion needs only the id, but its other fields must be valid too. */
function deletionFaults(record: object, faultsOf: (value: unknown) => Fault[]): Fault[] {
  const filled = Object.fromEntries(Object.entries(record).filter(([, member]) => member !== null))
  return faultsOf(filled).filter(({ field, problem }) => field === 'id' || problem !== 'is required')
}

const inWords = ({ field, problem }: Fault): string => `${field === '' ? 'the record' : field} ${problem}`

const NOT_BOOLEAN: Fault = { field: 'deleted', problem: 'must be true or false' }
const NOT_IN_SNAPSHOT: Fault = {
  field: 'deleted',
  problem: 'cannot be used in a snapshot, which lists only existing records; leave the record out',
}

/** Decimals may be whole numbers, which are exact. */
function fieldOf(column: ListField): Field {
  const isFilled = isRequired(column) || (column.kind === 'text' && !column.isNullable)
  const field = isDecimalKind(column)
    ? { ...jsonField(column), type: ['string', 'integer'] as const, ...SAFE_INTEGERS }
    : limitedField(column, isFilled)
  return isRequired(column) ? field : nullable(field)
}

const SAFE_INTEGERS = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }

/** Undefined if the cell cannot be read as this kind: its text is then checked, and rejected. */
const cellParsers: Partial<Record<ListField['kind'], (text: string) => Value | undefined>> = {
  integer: (text) => (/^-?\d{1,16}$/.test(text) ? Number(text) : undefined),
  boolean: (text) => (/^(?:true|false)$/i.test(text) ? text.toLowerCase() === 'true' : undefined),
  texts: (text) => parseJson(text) as Value | undefined,
}

const SEE_MAPS = 'see --map and docs/maps.md'

/** Adds how to fix a field's fault. */
const hinted = (columns: readonly ListField[], record: unknown) => (fault: Fault) => {
  const value = Reflect.get(Object(record), fault.field)
  const { kind } = columns.find(({ name }) => name === fault.field) ?? {}
  // Many trackers use numbers as ids.
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

function storedRow(columns: readonly ListField[], record: Row): Row {
  const row: Row = {}
  for (const column of columns) row[column.name] = storedValue(column, record[column.name] ?? column.default ?? null)
  return row
}

function storedValue(column: ListField, value: Value): Value {
  if (column.kind === 'instant' && typeof value === 'string') return toInstant(value) ?? null
  return typeof value === 'number' && isDecimalKind(column) ? String(value) : value
}

/** Turns a file's values into rows, using Vitrine's own field names or a map. */
export interface Interpretation {
  ofHeader(names: readonly string[]): Header
  /** `document` is the JSON document that contains the records, if any. */
  ofJson(document?: unknown): Interpret
}

/** Without `interpret`, no row can be read. */
export type Header = Rejection & { interpret?: Interpret }

/** Takes a row's cells, or a JSON record's value. */
export type Interpret = (value: unknown) => Outcome

/** Undefined if a map skips the record. */
export type Outcome = { row: Row } | Rejection | undefined

export interface Rejection {
  problems: string[]
  /** The record's, if it can be read. */
  id?: string | undefined
  /** The rest of the file cannot be read. */
  endsFile?: true | undefined
}

export const withoutMap = (schema: RecordSchema): Interpretation => ({
  ofHeader: (names) => headerOf(names, schema),
  ofJson: () => (value) => {
    const outcome = schema.toRow(value)
    const names = Object.keys(Object(value))
    return 'row' in outcome ? outcome : { ...outcome, problems: [...mapHint(names, schema), ...outcome.problems] }
  },
})

/** First, because long lines are truncated when shown. */
const mapHint = (names: readonly string[], { fieldNames, requiredFields }: RecordSchema): string[] =>
  requiredFields.every((name) => names.includes(name)) ||
  names.every((name) => name === 'deleted' || fieldNames.includes(name))
    ? []
    : [`use a map for other columns: ${SEE_MAPS}`]

/** An unknown column is reported once, not on every line. */
function headerOf(names: readonly string[], schema: RecordSchema): Header {
  const { fieldNames, requiredFields } = schema
  const unknown = names.filter((name) => !fieldNames.includes(name))
  const missing = requiredFields.filter((name) => !names.includes(name))
  const repeated = fieldNames.filter((field) => names.indexOf(field) !== names.lastIndexOf(field))
  const problems = [
    ...mapHint(names, schema),
    ...unknown.map((name) => (name === '' ? 'a column has no name' : `${name} is not a known field`)),
    ...missing.map((name) => `${name} is required`),
    ...repeated.map((name) => `${name} appears more than once`),
    ...(missing.length > 0 ? ['a CSV file must start with a row of field names'] : []),
  ]
  if (missing.length + repeated.length > 0) return { problems }
  const interpret = (cells: unknown) => schema.toRow(recordOf(cells as string[], names, schema))
  return { problems, interpret }
}

/** A field with an empty cell is left out. */
function recordOf(cells: readonly string[], names: readonly string[], { fieldNames, fromText }: RecordSchema) {
  const record: Row = {}
  names.forEach((name, i) => {
    const cell = cells[i]
    if (cell && fieldNames.includes(name)) record[name] = fromText(name, cell)
  })
  return record
}
