import type { StatementSync } from 'node:sqlite'
import { filtersIn, indexesOf, type List, type ListArguments, limitOf } from '../list.ts'
import type { Read, SqliteReads } from '../queries.ts'
import { answeredColumns, quoted, quotedColumn, type SchemaObject, type Table } from '../table.ts'

/** A row as it is answered. Without the CAST an index that holds it would not be read from: json_object marks it as JSON. */
export const objectSql = (table: Pick<Table, 'columns'>) =>
  `CAST(json_object(${answeredColumns(table)
    .map(({ field, name }) => `'${field}', ${quoted(name)}`)
    .join(', ')}) AS TEXT)`

/** `objects` has one column, _object: no field's column begins like that. As bytes: to make a string of them, only to make bytes of that again, would take longer than the read. */
export const bodySql = (objects: string) =>
  `SELECT CAST(concat(:before, group_concat(_object, ','), :after) AS BLOB) AS json FROM (${objects})`

export const bufferOf = ({ json }: { json: Uint8Array }): Buffer =>
  Buffer.from(json.buffer, json.byteOffset, json.byteLength)

const orderSql = ({ table, order }: List): string =>
  [...order.flatMap((field) => orderOf(quotedColumn(field), table.columns[field]?.isNullable)), 'seq'].join(', ')

const orderOf = (column: string, isNullable = true) => (isNullable ? [`${column} IS NULL`, column] : [column])

export const listIndexes = (list: List): SchemaObject[] =>
  indexesOf(list).map(({ name, filter }) => ({
    kind: 'index',
    name,
    sql: `CREATE INDEX ${name} ON ${quoted(list.table.name)} (${['workspace_id', ...filter.map(quotedColumn), orderSql(list)].join(', ')})`,
  }))

/** Filters are bound under a prefix: a field may have the name of another parameter. */
const parameterOf = (field: string) => `filter_${field}`

function listSql(list: List, filters: readonly { field: string }[]): string {
  const conditions = filters.map(({ field }) => `AND ${quotedColumn(field)} = :${parameterOf(field)}`)
  return bodySql(`SELECT ${objectSql(list.table)} AS _object FROM ${quoted(list.table.name)}
    WHERE workspace_id = :workspace ${conditions.join(' ')} ORDER BY ${orderSql(list)} LIMIT :limit`)
}

export function listReader(list: List, { db }: SqliteReads): Read<ListArguments> {
  // One for each set of filters, which are few.
  const statements = new Map<string, StatementSync>()
  return async ({ workspaceId }, args) => {
    const filters = filtersIn(list, args)
    const kind = filters.map(({ field }) => field).join()
    const statement = statements.get(kind) ?? db.prepare(listSql(list, filters))
    statements.set(kind, statement)
    const values = Object.fromEntries(filters.map(({ field, value }) => [parameterOf(field), value]))
    const [before, after] = [`{"${list.member}":[`, ']}']
    const row = statement.get({ ...values, workspace: workspaceId, limit: limitOf(list, args), before, after })
    return { body: bufferOf(row as { json: Uint8Array }), until: Number.POSITIVE_INFINITY }
  }
}
