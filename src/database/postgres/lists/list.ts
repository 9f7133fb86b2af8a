import { type Column, isDecimalKind, type Kind } from '../../../lists/column.ts'
import type { Position } from '../../../lists/query.ts'
import type { ListDialect } from '../../lists/dialect.ts'
import { currentSql } from '../../lists/hidden-rows.ts'
import { type OrderColumn, orderedIndexes, type Range } from '../../lists/keyset.ts'
import { comparedSql } from '../../lists/plain-list.ts'
import type { Bind, FilteredList, QueryableList } from '../../lists/reader.ts'
import { type ListIndex, publishedColumns, quoted, type SchemaObject, type Table } from '../../table.ts'
import { hiddenRowsSchema } from './hidden-rows.ts'

export const POSTGRES: ListDialect = {
  schema: 'vitrine.',
  workspace: '$1',
  now: '$2::timestamptz',
  key: (value) => value,
  lower: (value) => `lower(${value} COLLATE "C")`,
  isNull: (column) => `${column} IS NULL`,
  isNotNull: () => [],
  isMarked: (mark, isSet) => (isSet ? mark : `NOT ${mark}`),
  isShown: ({ instant, mark }) => `(${instant} IS NULL OR ${mark})`,
  indexedBy: () => '',
}

/** All other kinds are `text`. */
const TYPES: Partial<Record<Kind, string>> = {
  instant: 'timestamptz',
  date: 'date',
  integer: 'bigint',
  decimal: 'numeric',
  money: 'numeric',
  boolean: 'boolean',
  mark: 'boolean',
  texts: 'text[]',
}

export const typeOf = ({ kind }: Pick<Column, 'kind'>): string => TYPES[kind] ?? 'text'

export const listIndexes = (table: Table): SchemaObject[] => {
  const { hidden } = table.listing
  const columnsOf = ({ by }: ListIndex, order: OrderColumn[]) => [
    ...by.map((field) => comparedSql(table, field, POSTGRES)),
    orderSql(order),
  ]
  const included = hidden && ` INCLUDE (${hidden.instant}, ${hidden.mark})`
  return [...orderedIndexes(table, POSTGRES, columnsOf, included), ...hiddenRowsSchema(table)]
}

/** Sorts texts by bytes, as SQLite does. Nulls come last. */
export const columnSql = (column: Pick<OrderColumn, 'name' | 'kind'>) =>
  typeOf(column) === 'text' ? `${column.name} COLLATE "C"` : column.name

export const orderSql = (order: readonly OrderColumn[]): string => order.map(columnSql).join(', ')

/** Nulls are never compared, so they need no parameter. */
export const positionParameters = (order: readonly OrderColumn[], after: Position = [], bind: Bind): string[] =>
  order.map(({ kind }, at) => {
    const value = after[at] ?? null
    return value === null ? 'NULL' : bind(String(value), kind)
  })

/** Conditions that seek in an index with the same order as the list. */
export const rangeConditions = (order: readonly OrderColumn[], range: Range, parameters: readonly string[]): string[] =>
  order.slice(0, range.length).map((column, at) => {
    if (range[at] === 'null') return `${column.name} IS NULL`
    return `${columnSql(column)} ${range[at] === 'equal' ? '=' : '>'} ${parameters[at]}`
  })

/** Rows from older versions may have microseconds, so positions have them too. */
export const instantSql = (column: string, fraction: 'MS' | 'US'): string =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.${fraction}"Z"')`

function positionValueSql(name: string, { kind }: OrderColumn): string {
  if (kind === 'instant') return instantSql(name, 'US')
  if (kind === 'date') return `to_char(${name}, 'YYYY-MM-DD')`
  return kind === 'boolean' ? `${name}::int::text` : `${name}::text`
}

export const positionSql = (order: readonly OrderColumn[]): string =>
  order.map((column, at) => `${positionValueSql(column.name, column)} AS _${at}`).join(', ')

/** Conditions: the first finds rows in order by an index; the others find the few rows that it leaves out. */
export function rowSetsOf(table: Table, { conditions }: FilteredList): string[][] {
  const { inOrder, unmarked } = currentSql(table, POSTGRES)
  // Every parameter must be used.
  if (unmarked === undefined) return [[...inOrder, '$2::text IS NOT NULL', ...conditions]]
  return [inOrder, unmarked].map((rowSet) => [...rowSet, ...conditions])
}

/** Null if the list changes only with its rows. */
export const firstOf = (times: readonly string[]) => (times.length === 0 ? 'NULL' : `least(${times.join(', ')})`)

export type Positioned = Record<`_${number}`, string | null>

/** A position ends with a row's seq. */
export const hasPosition = (order: readonly OrderColumn[], row: Positioned) =>
  typeof row[`_${order.length - 1}`] === 'string'

/** Instants look as they do in responses, unless they have microseconds. */
export const positionOf = (order: readonly OrderColumn[], row: Positioned): Position =>
  order.map(({ kind }, at) => {
    const value = row[`_${at}`] ?? null
    return kind === 'instant' && value !== null ? value.replace(/000Z$/, 'Z') : value
  })

/** For row_to_json: fields by name, instants in the API's format. */
export const fieldsSql = (
  table: Pick<Table, 'columns'>,
  fields?: readonly string[],
  maxText = Number.POSITIVE_INFINITY,
) =>
  publishedColumns(table)
    .filter(({ field }) => fields === undefined || fields.includes(field))
    .map(({ field, name, kind, maxLength = 0 }) => {
      const column = quoted(name)
      if (kind === 'instant') return `${instantSql(column, 'MS')} AS "${field}"`
      if (isDecimalKind({ kind })) return `${column}::text AS "${field}"`
      if (kind === 'texts') return `${column} AS "${field}"`
      return `${maxLength > maxText ? `left(${column}, ${maxText})` : column} AS "${field}"`
    })
    .join(', ')

/**
 * The limit is part of the text: for a parameter, PostgreSQL would assume a tenth of the table. OFFSET 0 ensures that unmarked
 * rows are first found by their instant. Our own names start with an underscore, which no field's column does.
 */
export function firstRowsSql(list: QueryableList): string {
  const { table } = list
  const { ends, unmarkedCount } = currentSql(table, POSTGRES)
  const filtered = list.compileFilters({}, POSTGRES, () => '')
  const { order } = filtered
  const from = `FROM vitrine.${quoted(table.name)}`
  const position = order.map(({ name }) => name).join(', ')
  const first = `ORDER BY ${orderSql(order)} LIMIT ${table.listing.limit}`
  const picked = rowSetsOf(table, filtered).map((rowSet, i) => {
    const rows = `SELECT ${position} ${from} WHERE ${rowSet.join(' AND ')}`
    return i === 0 ? `(${rows} ${first})` : `(SELECT ${position} FROM (${rows} OFFSET 0) AS _few ${first})`
  })
  return `
  SELECT coalesce(string_agg(row_to_json(_row)::text, ',' ORDER BY _number), '') AS json,
         ${firstOf(ends)}::text AS until, ${unmarkedCount} AS unmarked
  FROM (SELECT seq, row_number() OVER (ORDER BY ${orderSql(order)}) AS _number
        FROM (${picked.join(' UNION ALL ')}) AS _picked ${first}) AS _chosen
  JOIN vitrine.${quoted(table.name)} USING (seq)
  CROSS JOIN LATERAL (SELECT ${fieldsSql(table)}) AS _row`
}
