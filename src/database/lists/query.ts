import { hash } from 'node:crypto'
import { quotedColumn } from '../table.ts'
import type { ListDialect } from './dialect.ts'
import { currentSql } from './hidden-rows.ts'
import { MAX_COUNTED, type QueryableList, type Total } from './reader.ts'

/**
 * Queries of a list whose result no index has in order: searches, filters, totals, counts by group, and whether anything
 * has changed. Both engines find matching rows in one of two ways:
 *
 *   candidates  rows found by a trigram index, by the index of a check, or by id. They are checked one by one and sorted.
 *   a walk      through the list in its order, checking each row. It ends after MAX_COUNTED matches or MAX_WALKED rows;
 *               a page on PostgreSQL after those that one statement can read in time.
 *
 * A walk that ends early reports it (`isMinimum`), and its page has a next position even if it is not full.
 */

/** The digest of a longer list is its workspace's revision, so that no digest reads more than the longest page. */
export const MAX_DIGESTED = 100

/** Read in slices. Takes about a second. */
export const MAX_WALKED = 100_000

/** The number of rows read between two checks of the clock. */
export const ROWS_PER_PAUSE = 32

/** When the next row falls due: SQL for the rows in order, and for those that are not marked yet. */
export function duesSql(list: QueryableList, dialect: ListDialect): string[] {
  if (list.due === undefined) return []
  const { rows, inOrder, unmarkedRows } = currentSql(list.table, dialect)
  const due = quotedColumn(list.due)
  const { index } = list.compileFilters({}, dialect, () => '')
  const isNext = `${due} >= ${dialect.now}`
  return [
    `(SELECT ${due} ${rows(index, [...inOrder, ...dialect.isNotNull(due), isNext])} ORDER BY ${due} LIMIT 1)`,
    ...(unmarkedRows === undefined ? [] : [`(SELECT min(${due}) ${unmarkedRows} AND ${isNext})`]),
  ]
}

export const totalOf = (matches: number, isAll: boolean): Total => ({
  count: Math.min(matches, MAX_COUNTED),
  isMinimum: !isAll || matches > MAX_COUNTED,
})

/** The revision changes with every row of its workspace, and `until` is when the list changes without a write. */
export const revisionDigest = (workspaceId: string, revision: number | string, until: number): string =>
  `${workspaceId} r${revision}.${until}`

/** PostgreSQL computes it itself. */
export const rowsDigest = (rows: readonly string[]): string => hash('sha256', rows.join(','), 'hex')
