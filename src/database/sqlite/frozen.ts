import type { DatabaseSync } from 'node:sqlite'
import type { Position } from '../../lists/query.ts'

/** This many rows take about half a second to write. Larger changes are written in steps: see large-change.ts. */
export const LARGE_ROWS = 5000

/** While rows are changed in steps, readers see a copy with another workspace id. */
export const COPY_SUFFIX = '~'
export const copyOf = (workspaceId: string) => workspaceId + COPY_SUFFIX
/** Copies sort before all other rows, in the same order. */
export const SEQ_OFFSET = 2n ** 62n

export const frozenSql = (table: string) =>
  `SELECT 1 FROM frozen WHERE workspace_id = :workspaceId AND table_name = '${table}'`

export function frozenIn(db: DatabaseSync, table: string): (workspaceId: string) => boolean {
  const find = db.prepare(frozenSql(table))
  return (workspaceId) => find.get({ workspaceId }) !== undefined
}

/** The last value of a position is the row's seq. */
export const inCopy = (position: Position): Position => moved(position, -SEQ_OFFSET)
export const inTable = (position: Position): Position => moved(position, SEQ_OFFSET)

/** A forged position is left unchanged, and the list rejects it. */
function moved(position: Position, by: bigint): Position {
  const seq = String(position.at(-1))
  return /^-?\d{1,19}$/.test(seq) ? position.with(-1, String(BigInt(seq) + by)) : position
}
