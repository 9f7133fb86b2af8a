import { filtersIn, indexesOf, type List, type ListArguments, limitOf } from '../list.ts'
import type { PostgresReads, Read } from '../queries.ts'
import { answeredColumns, quoted, quotedColumn, type SchemaObject, type Table } from '../table.ts'

const INSTANT = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`

/** What a row is answered with, for row_to_json: fields under their names, instants in the one form. */
export const fieldsSql = (table: Pick<Table, 'columns'>) =>
  answeredColumns(table)
    .map(({ field, name, kind }) =>
      kind === 'instant'
        ? `to_char(${quoted(name)} AT TIME ZONE 'UTC', ${INSTANT}) AS "${field}"`
        : `${quoted(name)} AS "${field}"`,
    )
    .join(', ')

/** By bytes, as on SQLite. What is null comes last. */
const orderSql = ({ table, order }: List): string =>
  [...order.map((field) => orderOf(quotedColumn(field), table.columns[field]?.kind)), 'seq'].join(', ')

const orderOf = (column: string, kind = 'text') =>
  kind === 'instant' || kind === 'integer' ? column : `${column} COLLATE "C"`

export const listIndexes = (list: List): SchemaObject[] =>
  indexesOf(list).map(({ name, filter }) => ({
    kind: 'index',
    name,
    sql: `CREATE INDEX ${name} ON vitrine.${quoted(list.table.name)} (${['workspace_id', ...filter.map(quotedColumn), orderSql(list)].join(', ')})`,
  }))

/** Names of ours begin with an underscore, which no field's column does. */
export function listReader(list: List, { read }: PostgresReads): Read<ListArguments> {
  const { name } = list.table
  return async ({ workspaceId }, args) => {
    const filters = filtersIn(list, args)
    const conditions = ['workspace_id = $1', ...filters.map(({ field }, i) => `${quotedColumn(field)} = $${i + 3}`)]
    const [row] = await read<{ json: string }>({
      name: `list ${name} ${filters.map(({ field }) => field).join()}`,
      text: `
        SELECT coalesce(string_agg(row_to_json(_row)::text, ',' ORDER BY _place), '') AS json
        FROM (SELECT *, row_number() OVER (ORDER BY ${orderSql(list)}) AS _place FROM vitrine.${quoted(name)}
              WHERE ${conditions.join(' AND ')} ORDER BY ${orderSql(list)} LIMIT $2::int) AS _chosen
        CROSS JOIN LATERAL (SELECT ${fieldsSql(list.table)}) AS _row`,
      values: [workspaceId, limitOf(list, args), ...filters.map(({ value }) => value)],
    })
    return { body: Buffer.from(`{"${list.member}":[${row?.json ?? ''}]}`), until: Number.POSITIVE_INFINITY }
  }
}
