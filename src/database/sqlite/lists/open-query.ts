import { isoOf } from '../../../lib/instant.ts'
import type { PageRequest, ReadScope } from '../../../lists/query.ts'
import { currentSql } from '../../lists/hidden-rows.ts'
import { duesSql } from '../../lists/query.ts'
import type { QueryableList } from '../../lists/reader.ts'
import { copyOf, frozenSql } from '../frozen.ts'
import { nextChangeIn, nextChangeSql } from './hidden-rows.ts'
import { SQLITE, selectSql } from './list.ts'
import type { ReadSnapshot, SqliteRow } from './sliced-reads.ts'

export type ListRequest = Pick<PageRequest, 'filters' | 'followsDue'>

/** The statements of a list that every query shares. */
export function statements(list: QueryableList) {
  const current = currentSql(list.table, SQLITE)
  const dues = duesSql(list, SQLITE)
  return {
    ...current,
    nextChange: nextChangeSql(current),
    ...(dues.length > 0 && { nextDue: nextChangeSql({ ends: dues, unmarkedCount: '0' }) }),
  }
}

/** What one query of a list needs, in one snapshot of the database. `values` are the parameters of all its statements. */
export type QueryContext = ReturnType<typeof openQuery>

export function openQuery(
  { list, sql, snapshot }: { list: QueryableList; sql: ReturnType<typeof statements>; snapshot: ReadSnapshot },
  { workspaceId, now }: ReadScope,
  { filters, followsDue }: ListRequest,
) {
  const isFrozen = snapshot.get(frozenSql(list.table.name), { workspaceId }) !== undefined
  const values: SqliteRow = { workspace: isFrozen ? copyOf(workspaceId) : workspaceId, now: isoOf(now) }
  const { until: nextEnd, unmarked } = nextChangeIn(snapshot.get(sql.nextChange, values))
  const nextDue =
    followsDue && sql.nextDue !== undefined ? nextChangeIn(snapshot.get(sql.nextDue, values)).until : Infinity
  // A row is not overdue yet at the moment at which it falls due.
  const until = Math.min(nextEnd, nextDue + 1)
  const filtered = list.compileFilters(filters, SQLITE, (value) => {
    const name = `filter_${Object.keys(values).length}`
    values[name] = typeof value === 'boolean' ? Number(value) : value
    return `:${name}`
  })
  const select = selectSql(list.table, filtered, unmarked > 0)
  return { list, sql, snapshot, workspaceId, filters, isFrozen, unmarked, until, filtered, select, values }
}

/** Without any limit, SQLite would not keep the order of the inner query. */
export const UNLIMITED = 'LIMIT -1'

/** Counts the rows that a walk would read, up to `most` + 1. */
export function countWalkedRows({ snapshot, select, values }: QueryContext, most: number): number {
  const walk = select('seq', [], UNLIMITED)
  const sql = `SELECT count(*) AS count FROM (SELECT 1 FROM (${walk}) LIMIT :most + 1)`
  return Number(snapshot.get(sql, { ...values, most })?.count)
}
