import { hash } from 'node:crypto'
import { MAX_COUNTED, type Total } from '../../lists/query.ts'
import { quotedColumn } from '../table.ts'
import type { ListDialect } from './dialect.ts'
import { currentSql } from './hidden-rows.ts'
import type { QueryableList } from './reader.ts'

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

/** Up to this many on each side of a value, each found by one lookup in an index. */
const NEAR_VALUES = 100

/** SQL for the existing values nearest to one that a filter did not find. */
export function nearValuesSql(list: QueryableList, filter: string, dialect: ListDialect, parameter: string): string {
  const { rows, inOrder } = currentSql(list.table, dialect)
  const { column, value, index, where = [] } = list.suggestionSql(filter, dialect, parameter)
  const side = (best: 'min' | 'max', than: '>' | '<') => {
    const others = rows(index, [...inOrder, ...where, `${column} ${than} _near.value`])
    return `SELECT value FROM (
      WITH RECURSIVE _near(value, n) AS (SELECT ${value}, 0 UNION ALL
        SELECT (SELECT ${best}(${column}) ${others}), n + 1 FROM _near WHERE value IS NOT NULL AND n < ${NEAR_VALUES})
      SELECT value FROM _near WHERE value IS NOT NULL AND n > 0) AS _${best}`
  }
  return `${side('min', '>')} UNION ALL ${side('max', '<')}`
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
