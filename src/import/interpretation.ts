import type { Row } from '../database/table.ts'
import type { Place } from './frame.ts'
import type { RecordSchema } from './record-schema.ts'

/** Turns a file's values into rows, using Vitrine's own field names or a map. */
export interface Interpretation {
  ofHeader(names: readonly string[]): Header
  /** `document` is the JSON document that contains the records, if any. */
  ofJson(document?: unknown): Interpret
}

/** Without `interpret`, no row can be read. */
export type Header = Refused & { interpret?: Interpret }

/** Takes a row's cells, or a JSON record's value. */
export type Interpret = (value: unknown, place: Place) => Outcome

/** Undefined if a map skips the record. */
export type Outcome = { row: Row } | Refused | undefined

export interface Refused {
  problems: string[]
  /** Unknown columns or members, which a built-in map may know. */
  strange?: { names: readonly string[]; format: 'csv' | 'json' }
}

export const ownFields = (schema: RecordSchema): Interpretation => ({
  ofHeader: (names) => headerOf(names, schema),
  ofJson: () => (value) => {
    const outcome = schema.toRow(value)
    if ('row' in outcome) return outcome
    const names = Object.keys(Object(value))
    const isStrange =
      schema.requiredFields.some((name) => !names.includes(name)) &&
      names.some((name) => !schema.fieldNames.includes(name))
    return { ...outcome, ...(isStrange && { strange: { names, format: 'json' } }) }
  },
})

/** An unknown column is reported once, not on every line. */
function headerOf(names: readonly string[], schema: RecordSchema): Header {
  const { fieldNames, requiredFields } = schema
  const unknown = names.filter((name) => !fieldNames.includes(name))
  const missing = requiredFields.filter((name) => !names.includes(name))
  const repeated = fieldNames.filter((field) => names.indexOf(field) !== names.lastIndexOf(field))
  const problems = [
    ...unknown.map((name) => (name === '' ? 'a column has no name' : `${name} is not a known field`)),
    ...missing.map((name) => `${name} is required`),
    ...repeated.map((name) => `${name} appears more than once`),
    ...(missing.length > 0 ? ['a CSV file must start with a row of field names'] : []),
  ]
  if (missing.length > 0 && unknown.length > 0) return { problems, strange: { names, format: 'csv' } }
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
