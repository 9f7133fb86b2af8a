import { importedColumns, isRequired, type Kind, literal, type NamedColumn, quoted, type Table } from '../../table.ts'
import type { ApplicationColumn } from './table.ts'

export interface ColumnExpression {
  expression: string
  note?: string
}

/** What a view shows as a field. Without an expression, the operator has to write it. */
export type MappedField = Pick<NamedColumn, 'field' | 'name' | 'kind'> & Partial<ColumnExpression>

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

/** `zone` applies to timestamps without a time zone. Each column is called `t.<name>`. */
export const mapFields = (table: Table, columns: readonly ApplicationColumn[], zone: string): MappedField[] =>
  importedColumns(table)
    .filter(({ field }) => field !== 'id')
    .map((field) => ({ ...field, ...mapField(field, columns, zone) }))

function mapField(field: NamedColumn, columns: readonly ApplicationColumn[], zone: string): Partial<ColumnExpression> {
  const column = columnFor(field, columns)
  if (column === undefined) return { note: `no column has its name; ${consequence(field)}` }
  const { kind } = field
  const value = `t.${quoted(column.name)}`
  const isEnum = column.labels !== null && (kind === 'text' || kind === 'choice')
  const isWhole = kind === 'integer' && /^numeric\(\d+,0\)$/.test(column.type)
  if (kind === 'mark' || !(isEnum || isWhole || TYPES[kind].includes(column.base)))
    return { note: `${quoted(column.name)} is ${column.type}, not ${kind}: convert it; ${consequence(field)}` }
  return expressionFor(field, column, value, zone)
}

/** By name, by name in snake case, or ignoring case and underscores. */
function columnFor({ field, name }: NamedColumn, columns: readonly ApplicationColumn[]): ApplicationColumn | undefined {
  const plain = (text: string) => text.replaceAll('_', '').toLowerCase()
  return (
    columns.find((column) => column.name === field) ??
    columns.find((column) => column.name === name) ??
    columns.find((column) => plain(column.name) === plain(field))
  )
}

function consequence(field: NamedColumn): string {
  const { default: value, isCreation = false } = field
  if (isRequired(field)) return 'required, so no row is shown without it'
  if (isCreation) return 'until it is mapped, the time at which a row is first shown'
  return value === undefined ? 'null until it is mapped' : `${JSON.stringify(value)} until it is mapped`
}

/** The database casts what the view shows to the type of the field. Here only what it converts by the workspace's timezone is cast. */
function expressionFor(field: NamedColumn, column: ApplicationColumn, value: string, zone: string): ColumnExpression {
  const { kind, choices, isCreation } = field
  const { base, labels } = column
  if (kind === 'instant' && base === 'timestamp') {
    const note = `it has no time zone, so it is read as ${zone}`
    return { expression: `${value} AT TIME ZONE ${literalSql(zone)}`, note }
  }
  if (kind === 'instant' && base === 'date') {
    const second = isCreation ? 'first' : 'last'
    return {
      expression: `${value}::date`,
      note: `a date: shown as the ${second} second of that day in the workspace's timezone`,
    }
  }
  if (kind === 'date' && base === 'timestamptz')
    return { expression: `${value}::timestamptz`, note: "a time: shown as its date in the workspace's timezone" }
  const unknown = labels?.filter((label) => choices?.includes(label) === false) ?? []
  const note = `rows with ${unknown.map((label) => JSON.stringify(label)).join(', ')} are not shown`
  return { expression: value, ...(unknown.length > 0 && { note }) }
}

/** A backslash is only a character, whatever `standard_conforming_strings` is. */
export const literalSql = (text: string): string =>
  text.includes('\\') ? ` E${literal(text.replaceAll('\\', '\\\\'))}` : literal(text)
