import type { SqlConnection, SqlValue } from './connection.ts'
import type { Transaction } from './store.ts'

/** Statements that most subjects need. A field in camel case is the column of that name in snake case. */

export const columnOf = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A column may have the name of a keyword, such as order or user. */
export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

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

/** The least revision of a write at or after the moment, unless a clock was moved back. */
export const revisionAt = (ms: number): number => ms * 1000

/**
 * Responses are cached until their workspace's revision moves, so every transaction that changes a workspace or one of its lists moves it.
 * The time in it keeps one number from standing for two states, even if a failover or a restored backup has lost the last ones. Other
 * writers of the workspace wait until the transaction ends. A number too large to be counted up starts again from the time.
 */
export async function moveRevision(tx: Transaction, workspaceId: string): Promise<number> {
  const sql = `INSERT INTO revisions AS r (workspace_id, number) VALUES (?, ?)
    ON CONFLICT (workspace_id) DO UPDATE SET number =
      CASE WHEN r.number < excluded.number OR r.number > ${Number.MAX_SAFE_INTEGER - 1} THEN excluded.number ELSE r.number + 1 END
    RETURNING number`
  const [row] = await tx.all<{ number: number }>(sql, workspaceId, revisionAt(tx.nowMs))
  return row?.number ?? 0
}

/** Rows were removed without traces, or the database is another one: earlier changes can no longer be queried. */
export const FORGET_CHANGES = 'UPDATE revisions SET known_from = number'
