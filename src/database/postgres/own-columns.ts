import { importedColumns, isRequired, type Kind, literal, quoted, type Table } from '../table.ts'
import type { OwnColumn } from './own-table.ts'

type Field = ReturnType<typeof importedColumns>[number]

/** What a view shows as a field. Without an expression, the operator has to write it. */
export interface MappedField {
  field: Field
  expression?: string
  note?: string
}

const STRINGS = ['text', 'varchar', 'bpchar', 'name', 'citext']
const INTEGERS = ['int2', 'int4', 'int8']
const NUMBERS = [...INTEGERS, 'numeric', 'money']

/** Types whose text depends neither on the settings of the application's session nor on the version of PostgreSQL. */
export const KEY_TYPES: readonly string[] = [...STRINGS, ...INTEGERS, 'uuid']

/** PostgreSQL's types that can be shown as each kind. An enum can also be shown as text or a choice. */
const TYPES: Record<Exclude<Kind, 'mark'>, readonly string[]> = {
  text: [...KEY_TYPES, 'numeric'],
  email: STRINGS,
  url: STRINGS,
  choice: STRINGS,
  instant: ['timestamptz', 'timestamp', 'date'],
  date: ['date', 'timestamptz', 'timestamp'],
  integer: INTEGERS,
  decimal: NUMBERS,
  money: NUMBERS,
  boolean: ['bool'],
  texts: STRINGS.map((type) => `${type}[]`),
}

/** `zone` is that of timestamps without a time zone. Each column is called `t.<name>`. */
export const mapFields = (table: Table, columns: readonly OwnColumn[], zone: string): MappedField[] =>
  importedColumns(table)
    .filter(({ field }) => field !== 'id')
    .map((field) => mapField(field, columns, zone))

function mapField(field: Field, columns: readonly OwnColumn[], zone: string): MappedField {
  const column = columnFor(field, columns)
  if (column === undefined) return { field, note: `no column has its name; ${consequence(field)}` }
  const { kind } = field
  const value = `t.${quoted(column.name)}`
  const isEnum = column.labels !== null && (kind === 'text' || kind === 'choice')
  if (kind === 'integer' && /^numeric\(\d+,0\)$/.test(column.type)) return { field, expression: `${value}::bigint` }
  if (kind === 'mark' || !(isEnum || TYPES[kind].includes(column.base)))
    return { field, note: `${quoted(column.name)} is ${column.type}, not ${kind}: convert it; ${consequence(field)}` }
  return { field, ...shown(field, column, value, zone) }
}

/** By name, by name in snake case, or without regard to case and underscores. */
function columnFor({ field, name }: Field, columns: readonly OwnColumn[]): OwnColumn | undefined {
  const plain = (text: string) => text.replaceAll('_', '').toLowerCase()
  return (
    columns.find((column) => column.name === field) ??
    columns.find((column) => column.name === name) ??
    columns.find((column) => plain(column.name) === plain(field))
  )
}

function consequence({ default: value, isCreation = false, ...field }: Field): string {
  if (isRequired({ ...field, isCreation, ...(value !== undefined && { default: value }) }))
    return 'required, so no row is shown without it'
  if (isCreation) return 'until it is mapped, the time at which a row is first shown'
  return value === undefined ? 'null until it is mapped' : `${JSON.stringify(value)} until it is mapped`
}

function shown(field: Field, column: OwnColumn, value: string, zone: string): { expression: string; note?: string } {
  const { base, isDomain, labels } = column
  const cast = (type: string, name = type) => (base === type && !isDomain ? value : `${value}::${name}`)
  switch (field.kind) {
    case 'instant':
      if (base === 'timestamp')
        return {
          expression: `${value} AT TIME ZONE ${literalSql(zone)}`,
          note: `it has no time zone, so it is read as ${zone}`,
        }
      if (base === 'timestamptz') return { expression: cast('timestamptz') }
      return {
        expression: cast('date'),
        note: `a date: shown as the ${field.isCreation ? 'first' : 'last'} second of that day in the workspace's timezone`,
      }
    case 'date':
      if (base === 'timestamptz')
        return { expression: cast('timestamptz'), note: "a time: shown as its date in the workspace's timezone" }
      return { expression: cast('date') }
    case 'decimal':
    case 'money':
      return { expression: cast('numeric') }
    case 'integer':
    case 'boolean':
      return { expression: value }
    case 'texts':
      return { expression: cast('text[]') }
    default: {
      const unknown = labels?.filter((label) => field.choices?.includes(label) === false) ?? []
      return {
        expression: cast('text'),
        ...(unknown.length > 0 && {
          note: `rows with ${unknown.map((label) => JSON.stringify(label)).join(', ')} are not shown`,
        }),
      }
    }
  }
}

/** A backslash is only a character, whatever `standard_conforming_strings` is. */
export const literalSql = (text: string): string =>
  text.includes('\\') ? ` E${literal(text.replaceAll('\\', '\\\\'))}` : literal(text)
