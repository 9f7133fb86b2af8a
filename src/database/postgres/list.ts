import { rangesAfter } from '../keyset.ts'
import { filtersIn, indexesOf, type List, orderOf } from '../list.ts'
import type { PageReading, PageRequest, PostgresReads, Read, Viewpoint } from '../queries.ts'
import { answeredColumns, quoted, quotedColumn, type SchemaObject, type Table } from '../table.ts'
import { orderSql, positionIn, positionParameters, positionSql, rangeConditions } from './keyset.ts'
import { PageStatementNames } from './statement-names.ts'

const INSTANT = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`

/** What a row is answered with, for row_to_json: fields under their names, instants in the one form. */
export const fieldsSql = (
  table: Pick<Table, 'columns'>,
  fields?: readonly string[],
  maxText = Number.POSITIVE_INFINITY,
) =>
  answeredColumns(table)
    .filter(({ field }) => fields === undefined || fields.includes(field))
    .map(({ field, name, kind, maxLength = 0 }) => {
      const column = quoted(name)
      if (kind === 'instant') return `to_char(${column} AT TIME ZONE 'UTC', ${INSTANT}) AS "${field}"`
      return `${maxLength > maxText ? `left(${column}, ${maxText})` : column} AS "${field}"`
    })
    .join(', ')

export const listIndexes = (list: List): SchemaObject[] =>
  indexesOf(list).map(({ name, filter, order }) => ({
    kind: 'index',
    name,
    sql: `CREATE INDEX ${name} ON vitrine.${quoted(list.table.name)} (${['workspace_id', ...filter, orderSql(order)].join(', ')})`,
  }))

export function listReader(list: List, { read }: PostgresReads): Read<PageRequest, PageReading> {
  const names = new PageStatementNames(`list ${list.table.name}`)
  return async (viewpoint, page) => {
    const { text, values } = listStatement(list, viewpoint, page)
    const [row = {}] = await read<{ json?: string; count?: number }>({ ...names.named(text, page), values })
    const [before, end] = page.around ?? ['', '']
    const next = Number(row.count) > page.limit ? positionIn(orderOf(list, filtersIn(list, page)), row) : undefined
    return { rows: Buffer.from(before + (row.json ?? '') + end), next, until: Number.POSITIVE_INFINITY }
  }
}

/** Names of ours begin with an underscore, which no field's column does. Exported for the test that asks for its plan. */
export function listStatement(list: List, { workspaceId }: Viewpoint, page: PageRequest) {
  const { limit, fields, maxText, findNext, after } = page
  const values: unknown[] = [workspaceId, limit, findNext ? limit + 1 : limit]
  const bind = (value: unknown) => `$${values.push(value)}`
  const filters = filtersIn(list, page)
  const order = orderOf(list, filters)
  const ranges = rangesAfter(order, after)
  const narrowed = [
    'workspace_id = $1',
    ...filters.map(({ field, value }) => `${quotedColumn(field)} = ${bind(value)}`),
  ]
  const position = positionParameters(order, after, bind)
  // A number in the text: where PostgreSQL does not know how many, it expects a tenth of the table.
  const first = `ORDER BY ${orderSql(order)} LIMIT ${list.limit + 1}`
  const picked = ranges.map(
    (range) => `(SELECT * FROM vitrine.${quoted(list.table.name)}
      WHERE ${[...narrowed, ...rangeConditions(order, range, position)].join(' AND ')} ${first})`,
  )
  return {
    text: `
      SELECT coalesce(string_agg(row_to_json(_row)::text, ',' ORDER BY _place) FILTER (WHERE _place <= $2::int), '') AS json,
             count(*) AS count, ${positionSql(order, '_chosen', '_place = $2::int')}
      FROM (SELECT *, row_number() OVER (ORDER BY ${orderSql(order)}) AS _place FROM (${picked.join(' UNION ALL ')}) AS _picked
            ORDER BY ${orderSql(order)} LIMIT $3::int) AS _chosen
      CROSS JOIN LATERAL (SELECT ${fieldsSql(list.table, fields, maxText)}) AS _row`,
    values,
  }
}
