import { filtersIn, indexesOf, type List, type ListArguments, limitOf } from '../list.ts'
import type { PostgresReads, Read } from '../queries.ts'
import { answeredColumns, columnOf, type SchemaObject, type Table } from '../table.ts'

const INSTANT = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`

/** What a row is answered with, for row_to_json: fields under their names, instants in the one form. */
export const fieldsSql = (table: Pick<Table, 'columns'>) =>
  answeredColumns(table)
    .map(({ field, name, kind }) =>
      kind === 'instant' ? `to_char(${name} AT TIME ZONE 'UTC', ${INSTANT}) AS "${field}"` : `${name} AS "${field}"`,
    )
    .join(', ')

/** By bytes, as on SQLite. What is null comes last. */
const orderSql = ({ table, order }: List): string =>
  [...order.map((field) => orderOf(columnOf(field), table.columns[field]?.kind)), 'seq'].join(', ')

const orderOf = (column: string, kind = 'text') =>
  kind === 'instant' || kind === 'integer' ? column : `${column} COLLATE "C"`

export const listIndexes = (list: List): SchemaObject[] =>
  indexesOf(list).map(({ name, filter }) => ({
    kind: 'index',
    name,
    sql: `CREATE INDEX ${name} ON vitrine.${list.table.name} (${['workspace_id', ...filter.map(columnOf), orderSql(list)].join(', ')})`,
  }))

export function listReader(list: List, { read }: PostgresReads): Read<ListArguments> {
  const { name } = list.table
  return async ({ workspaceId }, args) => {
    const filters = filtersIn(list, args)
    const conditions = ['workspace_id = $1', ...filters.map(({ field }, i) => `${columnOf(field)} = $${i + 3}`)]
    const [row] = await read<{ json: string }>({
      name: `list ${name} ${filters.map(({ field }) => field).join()}`,
      text: `
        SELECT coalesce(string_agg(row_to_json(one)::text, ',' ORDER BY place), '') AS json
        FROM (SELECT *, row_number() OVER (ORDER BY ${orderSql(list)}) AS place FROM vitrine.${name}
              WHERE ${conditions.join(' AND ')} ORDER BY ${orderSql(list)} LIMIT $2::int) AS chosen
        CROSS JOIN LATERAL (SELECT ${fieldsSql(list.table)}) AS one`,
      values: [workspaceId, limitOf(list, args), ...filters.map(({ value }) => value)],
    })
    return { body: Buffer.from(`{"${list.member}":[${row?.json ?? ''}]}`), until: Number.POSITIVE_INFINITY }
  }
}
