import type { SqlConnection } from '../../database/connection.ts'
import { among, revisionAt } from '../../database/statements.ts'
import type { Transaction } from '../../database/store.ts'
import { DAY_MS } from '../../lib/duration.ts'
import type { Row } from '../column.ts'
import type { List } from '../definition.ts'
import type { Item } from '../item.ts'
import { CHANGES_KNOWN_DAYS } from '../query.ts'
import type { Trace } from '../rows.ts'
import { MAX_ROWS } from './comparison.ts'
import { OF_LIST, type OfList, ROWS_AT_ONCE } from './items.ts'

/**
 * Rows that are gone cannot be read any more, and those that changed do not say what they were. So a write leaves a trace of each row that
 * some question may not find any more: it was removed or hidden, or its searched texts or filtered fields changed. One that the list shows
 * again leaves a trace, too, since it was not there before. What is gone since a revision follows from the traces of later ones.
 */

/** By list: one write may replace all rows. */
const MAX_TRACES = MAX_ROWS

/** When a row appears that the list does not show as it is. */
const NEVER = Number.MAX_SAFE_INTEGER

interface FormerRow extends Pick<Item, 'sortKey' | 'shownFrom' | 'words' | 'body'> {
  id: string
}

/** What the rows with these ids are before a write. */
export function formerRows(tx: SqlConnection, ofList: OfList, ids: readonly string[]): Promise<FormerRow[]> {
  const sql = `SELECT id, sort_key AS "sortKey", shown_from AS "shownFrom", words, body FROM list_items
    WHERE ${OF_LIST} AND id ${among(ids)}`
  return tx.all(sql, ...ofList, ...ids)
}

/** `after` has the items that rows became; those that are not among them were removed. */
export async function leaveTraces(
  tx: SqlConnection,
  list: List,
  ofList: OfList,
  revision: number,
  { former, after }: { former: readonly FormerRow[]; after: ReadonlyMap<string, Item> },
): Promise<void> {
  const filteredIn = ({ body }: Pick<Item, 'body'>) => {
    const row = JSON.parse(body) as Row
    return JSON.stringify(Object.fromEntries(list.filtered.map((name) => [name, row[name] ?? null])))
  }
  const traces = former.flatMap((row) => {
    const item = after.get(row.id)
    const filtered = filteredIn(row)
    const isListed = item !== undefined && item.sortKey !== null
    if (row.sortKey === null) return isListed ? [[...ofList, revision, row.id, NEVER, filtered]] : []
    const isFound =
      isListed && item.shownFrom === row.shownFrom && item.words === row.words && filteredIn(item) === filtered
    return isFound ? [] : [[...ofList, revision, row.id, row.shownFrom, filtered]]
  })
  await tx.insert('INSERT INTO list_traces (workspace_id, list, revision, id, shown_from, filtered)', traces, '')
}

/** Removes those that are too old, or too many. A revision's traces stay or go together. */
export async function pruneTraces(tx: Transaction, ofList: OfList): Promise<void> {
  const newest = `SELECT revision FROM list_traces WHERE ${OF_LIST} AND revision <= ? ORDER BY revision DESC LIMIT 1`
  const find = (until: number, offset: number) =>
    tx.all<{ revision: number }>(`${newest} OFFSET ${offset}`, ...ofList, until)
  const tooOld = await find(revisionAt(tx.nowMs - CHANGES_KNOWN_DAYS * DAY_MS), 0)
  const tooMany = await find(Number.MAX_SAFE_INTEGER, MAX_TRACES)
  const last = Math.max(...[...tooOld, ...tooMany].map(({ revision }) => revision))
  if (last < 0) return
  await tx.run(`DELETE FROM list_traces WHERE ${OF_LIST} AND revision <= ?`, ...ofList, last)
  await tx.run(`UPDATE stored_lists SET known_from = ? WHERE ${OF_LIST}`, last, ...ofList)
}

/** In the order of their revisions, after the given one, a few at a time. */
export async function* tracesAfter(
  db: Pick<SqlConnection, 'all'>,
  ofList: OfList,
  revision: number,
): AsyncGenerator<Trace[]> {
  const sql = `SELECT revision, id, shown_from AS "shownFrom", filtered FROM list_traces
    WHERE ${OF_LIST} AND (revision, id) > (?, ?) ORDER BY revision, id LIMIT ${ROWS_AT_ONCE}`
  // No id is empty.
  let after: [number, string] = [revision + 1, '']
  for (;;) {
    const found = await db.all<Omit<Trace, 'row'> & { filtered: string }>(sql, ...ofList, ...after)
    yield found.map(({ filtered, ...trace }) => ({ ...trace, row: JSON.parse(filtered) as Row }))
    const last = found[ROWS_AT_ONCE - 1]
    if (last === undefined) return
    after = [last.revision, last.id]
  }
}
