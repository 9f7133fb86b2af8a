import type { SqlConnection, SqlValue } from './store.ts'
import { columnOf } from './table.ts'

/** Statements that most subjects need. A field in camel case is the column of that name in snake case. */

export type ColumnValues = Record<string, SqlValue>

/** With `ifAbsent`, a row that is already there stays as it is. */
export function insertRow(tx: SqlConnection, table: string, row: ColumnValues, { ifAbsent = false } = {}) {
  const fields = Object.keys(row)
  const into = `${table} (${fields.map(columnOf).join(', ')}) VALUES (${fields.map(() => '?').join(', ')})`
  return tx.run(`INSERT INTO ${into}${ifAbsent ? ' ON CONFLICT DO NOTHING' : ''}`, ...Object.values(row))
}

/** `from` is a table and its conditions. */
export const countFrom = async (tx: SqlConnection, from: string, ...params: SqlValue[]): Promise<number> =>
  (await tx.all<{ n: number }>(`SELECT count(*) AS n FROM ${from}`, ...params))[0]?.n ?? 0

/** A condition such as `IN (?, ?)`; its parameters are the values. */
export const among = (values: readonly unknown[]): string =>
  values.length === 0 ? 'IN (NULL)' : `IN (${values.map(() => '?').join(', ')})`
