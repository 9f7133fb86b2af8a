import { type Comparison, comparedIn, type OrderColumn, type Range } from '../keyset.ts'
import type { Position } from '../queries.ts'
import { publishedColumns, quoted, type Table } from '../table.ts'

/** The index has `column IS NULL` before a nullable column, so nulls come last. */
const termsOf = ({ name, isNullable }: OrderColumn) => (isNullable ? [`${name} IS NULL`, name] : [name])

/** Leaves out terms that are the same in all rows of a range: naming them would keep SQLite from using the index. */
export function orderSql(order: readonly OrderColumn[], range: Range = []): string {
  const isGreater = range.at(-1) === 'greater'
  const [first, ...rest] = order.slice(isGreater ? range.length - 1 : range.length)
  if (first === undefined) return 'seq'
  return [...(isGreater ? [first.name] : termsOf(first)), ...rest.flatMap(termsOf)].join(', ')
}

export const parameterOf = (at: number) => `after_${at}`

/** These seek in an index that has the order of the list. */
export const rangeSql = (order: readonly OrderColumn[], range: Range): string =>
  order
    .slice(0, range.length)
    .map((column, at) => ` AND ${comparisonSql(column, range[at], `:${parameterOf(at)}`)}`)
    .join('')

function comparisonSql({ name, isNullable }: OrderColumn, comparison: Comparison | undefined, parameter: string) {
  if (comparison === 'null') return `(${name} IS NULL) = 1 AND ${name} IS NULL`
  const compared = `${name} ${comparison === 'equal' ? '=' : '>'} ${parameter}`
  return isNullable ? `(${name} IS NULL) = 0 AND ${compared}` : compared
}

export const rangeValues = (range: Range, after: Position = []): Record<string, string> =>
  Object.fromEntries(comparedIn(range, after).map(({ at, value }) => [parameterOf(at), value]))

/** Numbers are read as text, because those beyond 2^53 cannot be read otherwise. */
export const positionSql = (order: readonly OrderColumn[]): string =>
  order.map(({ name, kind }, at) => `${kind === 'integer' ? `CAST(${name} AS TEXT)` : name} AS _${at}`).join(', ')

/** json_object marks its result as JSON; without the CAST, an index that holds it would not be used. */
export const objectSql = (
  table: Pick<Table, 'columns'>,
  fields?: readonly string[],
  maxText = Number.POSITIVE_INFINITY,
) =>
  `CAST(json_object(${publishedColumns(table)
    .filter(({ field }) => fields === undefined || fields.includes(field))
    .map(({ field, name, maxLength = 0 }) =>
      maxLength > maxText ? `'${field}', substr(${quoted(name)}, 1, ${maxText})` : `'${field}', ${quoted(name)}`,
    )
    .join(', ')}) AS TEXT)`
