import { type Comparison, comparedIn, type OrderColumn, type Range } from '../keyset.ts'
import type { Position } from '../queries.ts'
import { type Column, publishedColumns, quoted, type Table } from '../table.ts'
import { sortKey } from './sort-key.ts'

const columnKey = ({ name, kind }: OrderColumn) => sortKey(name, kind)

/** The index has `column IS NULL` before a nullable column, so nulls come last. */
const termsOf = (column: OrderColumn) =>
  column.isNullable ? [`${column.name} IS NULL`, columnKey(column)] : [columnKey(column)]

/** Leaves out terms that are the same in all rows of a range: naming them would keep SQLite from using the index. */
export function orderTerms(order: readonly OrderColumn[], range: Range = []): string[] {
  const isGreater = range.at(-1) === 'greater'
  const [first, ...rest] = order.slice(isGreater ? range.length - 1 : range.length)
  if (first === undefined) return ['seq']
  return [...(isGreater ? [columnKey(first)] : termsOf(first)), ...rest.flatMap(termsOf)]
}

export const orderSql = (order: readonly OrderColumn[], range?: Range): string => orderTerms(order, range).join(', ')

export const parameterOf = (at: number) => `after_${at}`

/** These seek in an index that has the order of the list. */
export const rangeSql = (order: readonly OrderColumn[], range: Range): string =>
  order
    .slice(0, range.length)
    .map((column, at) => ` AND ${comparisonSql(column, range[at], `:${parameterOf(at)}`)}`)
    .join('')

function comparisonSql(column: OrderColumn, comparison: Comparison | undefined, parameter: string) {
  const { name, isNullable } = column
  if (comparison === 'null') return `(${name} IS NULL) = 1 AND ${columnKey(column)} IS NULL`
  const compared = `${columnKey(column)} ${comparison === 'equal' ? '=' : '>'} ${sortKey(parameter, column.kind)}`
  return isNullable ? `(${name} IS NULL) = 0 AND ${compared}` : compared
}

export const rangeValues = (range: Range, after: Position = []): Record<string, string> =>
  Object.fromEntries(comparedIn(range, after).map(({ at, value }) => [parameterOf(at), value]))

/** Numbers are read as text, because those beyond 2^53 cannot be read otherwise. */
export const positionSql = (order: readonly OrderColumn[]): string =>
  order
    .map(({ name, kind }, at) => {
      const isNumber = kind === 'integer' || kind === 'boolean'
      return `${isNumber ? `CAST(${name} AS TEXT)` : name} AS _${at}`
    })
    .join(', ')

/** json_object marks its result as JSON; without the CAST, an index that holds it would not be used. */
export const objectSql = (
  table: Pick<Table, 'columns'>,
  fields?: readonly string[],
  maxText = Number.POSITIVE_INFINITY,
) =>
  `CAST(json_object(${publishedColumns(table)
    .filter(({ field }) => fields === undefined || fields.includes(field))
    .map((column) => `'${column.field}', ${jsonSql(column, maxText)}`)
    .join(', ')}) AS TEXT)`

function jsonSql({ name, kind, maxLength = 0 }: Column & { name: string }, maxText: number): string {
  const column = quoted(name)
  if (kind === 'boolean') return `json(CASE ${column} WHEN 0 THEN 'false' WHEN 1 THEN 'true' END)`
  // The index stores it, so a list that is not JSON, for doctor to find, must not fail.
  if (kind === 'texts') return `json(iif(json_valid(${column}), ${column}, NULL))`
  return maxLength > maxText ? `substr(${column}, 1, ${maxText})` : column
}
