import { rangesAfter } from '../keyset.ts'
import { filtersIn, indexesOf, type List, orderOf } from '../list.ts'
import type { PageReading, PageRequest, Read, SqliteReads } from '../queries.ts'
import { answeredColumns, quoted, quotedColumn, type SchemaObject, type Table } from '../table.ts'
import { orderSql, positionSql, rangeSql, rangeValues } from './keyset.ts'
import { type ListSql, PageReader } from './page.ts'

/** A row as it is answered. Without the CAST an index that holds it would not be read from: json_object marks it as JSON. */
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
const parameterOf = (field: string) => `filter_${field}`

/** Exported for the test that asks SQLite for its plan. */
export function listSql(list: List, page: PageRequest): ListSql {
  const filters = filtersIn(list, page)
  const order = orderOf(list, filters)
  const conditions = filters.map(({ field }) => `AND ${quotedColumn(field)} = :${parameterOf(field)}`).join(' ')
  const select: ListSql['rows'] = (range, limit) => `FROM ${quoted(list.table.name)}
    WHERE workspace_id = :workspace ${conditions}${rangeSql(order, range)} ORDER BY ${orderSql(order, range)} ${limit}`
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
    const values = Object.fromEntries(filters.map(({ field, value }) => [parameterOf(field), value]))
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
