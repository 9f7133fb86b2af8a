import type { SqlConnection, SqlValue } from '../../database/connection.ts'
import { inBatches } from '../../lib/batches.ts'
import type { Item } from '../item.ts'

/** The statements for items. Both databases understand them. */

export interface StoredItem extends Item {
  id: string
  /** The order of creation. */
  seq: number
  /** The source that the row is synced from; null for an imported one. */
  source: string | null
  /** The workspace's revision that wrote it. */
  revision: number
}

export type OfList = readonly [workspaceId: string, list: string]

export const OF_LIST = 'workspace_id = ? AND list = ?'

/** The rows of one statement. Even those with the longest texts take only a few milliseconds. */
export const ROWS_AT_ONCE = 100

export const batchesOf = <T>(all: Iterable<T>): Generator<T[]> => inBatches(all, ROWS_AT_ONCE)

const UPDATED = ['source', 'revision', 'sort_key', 'shown_from', 'words', 'body', 'rest']
const CHANGES = UPDATED.map((column) => `${column} = excluded.${column}`)

/** At most ROWS_AT_ONCE, each id once. An item that is already there keeps its seq. */
export function writeItems(
  tx: SqlConnection,
  [workspaceId, list]: OfList,
  items: readonly StoredItem[],
): Promise<void> {
  const rows = items.map((item) => {
    const { id, seq, source, revision, sortKey, shownFrom, words, body, rest } = item
    return [workspaceId, list, id, seq, source, revision, sortKey, shownFrom, words, body, rest]
  })
  return tx.insert(
    `INSERT INTO list_items (workspace_id, list, id, seq, ${UPDATED})`,
    rows,
    `ON CONFLICT (workspace_id, list, id) DO UPDATE SET ${CHANGES}`,
  )
}

/** For every writer, at its end: a reader that counted would look at all rows after each change. */
export async function countPlaced(tx: SqlConnection, ofList: OfList): Promise<void> {
  const placed = `SELECT count(*) FROM list_items WHERE ${OF_LIST} AND sort_key IS NOT NULL`
  await tx.run(`UPDATE stored_lists SET placed = (${placed}) WHERE ${OF_LIST}`, ...ofList, ...ofList)
}

export type StoredContent = Pick<StoredItem, 'id' | 'seq' | 'source' | 'revision' | 'body' | 'rest'>

/** In any order. */
export function readRows(
  connection: Pick<SqlConnection, 'all'>,
  ofList: OfList,
  rest: string,
  ...params: SqlValue[]
): Promise<StoredContent[]> {
  const sql = `SELECT id, seq, source, revision, body, rest FROM list_items WHERE ${OF_LIST} AND ${rest}`
  return connection.all(sql, ...ofList, ...params)
}

/** All rows of a list, current or not, in the order of their ids. */
export async function* allRows(
  connection: Pick<SqlConnection, 'all'>,
  ofList: OfList,
): AsyncGenerator<StoredContent[]> {
  for (let after = ''; ; ) {
    const rows = await readRows(connection, ofList, `id > ? ORDER BY id LIMIT ${ROWS_AT_ONCE}`, after)
    if (rows.length > 0) yield rows
    const last = rows[ROWS_AT_ONCE - 1]
    if (last === undefined) return
    after = last.id
  }
}
