import { type Comparison, comparedIn, type OrderColumn, type Range } from '../keyset.ts'
import type { Position } from '../queries.ts'

/** An index has `column IS NULL` before a nullable column: what is null comes last. */
const termsOf = ({ name, isNullable }: OrderColumn) => (isNullable ? [`${name} IS NULL`, name] : [name])

/**
 * The order of the rows of a range. Terms that are the same for all of them are left out: to name them would keep SQLite from
 * the index.
 */
export function orderSql(order: readonly OrderColumn[], range: Range = []): string {
  const isGreater = range.at(-1) === 'greater'
  const [first, ...rest] = order.slice(isGreater ? range.length - 1 : range.length)
  if (first === undefined) return 'seq'
  return [...(isGreater ? [first.name] : termsOf(first)), ...rest.flatMap(termsOf)].join(', ')
}

export const parameterOf = (at: number) => `after_${at}`

/** The conditions of a range, each with AND before it. They seek in an index that has the order of the list. */
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

/** The columns of a position; numbers as text, because those beyond 2^53 cannot be read otherwise. */
export const positionSql = (order: readonly OrderColumn[]): string =>
  order.map(({ name, kind }, at) => `${kind === 'integer' ? `CAST(${name} AS TEXT)` : name} AS _${at}`).join(', ')
