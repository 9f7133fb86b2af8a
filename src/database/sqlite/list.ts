import {
  type Comparison,
  comparedIn,
  filtersIn,
  indexesOf,
  type List,
  type OrderColumn,
  orderOf,
  type Range,
  rangesAfter,
} from '../keyset.ts'
import type { PageReading, PageRequest, Position, Read, SqliteReads } from '../queries.ts'
import { answeredColumns, quoted, quotedColumn, type SchemaObject, type Table } from '../table.ts'
import { type ListSql, PageReader } from './page.ts'

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
  `CAST(json_object(${answeredColumns(table)
    .filter(({ field }) => fields === undefined || fields.includes(field))
    .map(({ field, name, maxLength = 0 }) =>
      maxLength > maxText ? `'${field}', substr(${quoted(name)}, 1, ${maxText})` : `'${field}', ${quoted(name)}`,
    )
    .join(', ')}) AS TEXT)`

export const listIndexes = (list: List): SchemaObject[] =>
  indexesOf(list).map(({ name, filter, order }) => ({
    kind: 'index',
    name,
    sql: `CREATE INDEX ${name} ON ${quoted(list.table.name)} (${['workspace_id', ...filter, orderSql(order)].join(', ')})`,
  }))

/** Filters are bound under a prefix: a field may have the name of another parameter. */
const filterParameter = (field: string) => `filter_${field}`

export const filteredSql = (filters: readonly { field: string }[]): string =>
  [
    'workspace_id = :workspace',
    ...filters.map(({ field }) => `${quotedColumn(field)} = :${filterParameter(field)}`),
  ].join(' AND ')

export const filterValues = (filters: ReturnType<typeof filtersIn>) =>
  Object.fromEntries(filters.map(({ field, value }) => [filterParameter(field), value]))

export const rowsSql = (list: List, filters: readonly { field: string }[], range: Range, limit: string): string => {
  const order = orderOf(list, filters)
  return `FROM ${quoted(list.table.name)}
    WHERE ${filteredSql(filters)}${rangeSql(order, range)} ORDER BY ${orderSql(order, range)} ${limit}`
}

/** Exported for the test that asks SQLite for its plan. */
export function listSql(list: List, page: PageRequest): ListSql {
  const filters = filtersIn(list, page)
  const order = orderOf(list, filters)
  const select: ListSql['rows'] = (range, limit) => rowsSql(list, filters, range, limit)
  return {
    key: `${filters.map(({ field }) => field)} ${page.fields ?? ''} ${page.maxText ?? ''}`,
    rows: (range, limit) =>
      `SELECT ${objectSql(list.table, page.fields, page.maxText)} AS _object ${select(range, limit)}`,
    positions: (range, limit) => `SELECT ${positionSql(order)} ${select(range, limit)}`,
  }
}

export function listReader(list: List, { db }: SqliteReads): Read<PageRequest, PageReading> {
  const reader = new PageReader(db, list.table.name)
  const read = (workspaceId: string, page: PageRequest): PageReading => {
    const filters = filtersIn(list, page)
    const values = filterValues(filters)
    const { limit, findNext, after, around } = page
    return {
      ...reader.read({
        list: listSql(list, page),
        ranges: rangesAfter(orderOf(list, filters), after),
        valuesOf: (range) => ({ ...values, ...rangeValues(range, after), workspace: workspaceId }),
        limit,
        findNext,
        ...(around && { around }),
      }),
      until: Number.POSITIVE_INFINITY,
    }
  }
  return async ({ workspaceId }, page) => reader.inOneState(workspaceId, page, read)
}
