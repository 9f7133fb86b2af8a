import { type OrderColumn, type Range, rangesAfter } from '../../database/keyset.ts'
import type { PageReading, PageRequest, Read, SqliteReads } from '../../database/queries.ts'
import { objectSql, orderSql, parameterOf, positionSql, rangeSql, rangeValues } from '../../database/sqlite/list.ts'
import { type ListSql, PageReader } from '../../database/sqlite/page.ts'
import { columns } from './columns.ts'
import { dueConditions, dueOrder, filtersIn, isDated, MANY_UNMARKED } from './current-tasks.ts'
import { markExpired, OBJECT, UNSNOOZED } from './sqlite-schema.ts'

/**
 * Current tasks in due order, at a cost that does not grow with the workspace, whatever the state of its tasks.
 *
 * Some indexes hold the unsnoozed in due order: tasks never snoozed, and those whose snooze is marked as expired. The first
 * few after a position are read. One more, tasks_snoozed, holds the snoozed by the moment that ends: those whose snooze has
 * ended and is not marked yet are read and sorted in, if there are any. They stay few: see current-tasks.ts.
 */

const OPEN = `workspace_id = :workspace AND status = 'open'`
const CURRENT = '(snoozed_until IS NULL OR snoozed_until <= :now)'
const snoozed = (expired: 0 | 1) => `
  FROM tasks INDEXED BY tasks_snoozed WHERE ${OPEN} AND snoozed_until IS NOT NULL AND snooze_expired = ${expired}`

type Filters = PageRequest['filters']

interface Snoozes {
  /** The end of the next snooze, or of one that was marked too early because the clock was set back. */
  next: string | null
  nextMarked: string | null
  /** Ended but not marked. Counts no further than it must. */
  unmarked: number
}

export function readCurrentTasks({ db, inBackground }: SqliteReads): Read<PageRequest, PageReading> {
  const expiry = inBackground(markExpired)
  const reader = new PageReader(db, 'tasks')
  const findSnoozes = db.prepare(SNOOZES)
  const read = (workspaceId: string, now: number, page: PageRequest): PageReading => {
    const at = { workspace: workspaceId, now: new Date(now).toISOString() }
    const snoozes = findSnoozes.get(at) as unknown as Snoozes
    if (snoozes.unmarked > MANY_UNMARKED) expiry.request(workspaceId, now)
    const { filters, limit, findNext, after, around } = page
    const values = { ...at, ...filters }
    const list = currentTasksSql(snoozes.unmarked > 0, page)
    const ranges = rangesAfter(dueOrder(filters), after)
    const valuesOf = (range: Range) => ({ ...values, ...rangeValues(range, after) })
    return {
      ...reader.read({ list, ranges, valuesOf, limit, findNext, ...(around && { around }) }),
      until: nextEnd(snoozes),
    }
  }
  // One state, so that the response and its `until` agree.
  return async ({ workspaceId, now }, page) => reader.inOneState(workspaceId, page, (id, of) => read(id, now, of))
}

const nextEnd = ({ next, nextMarked }: Snoozes): number =>
  Math.min(...[next, nextMarked].map((at) => (at === null ? Number.POSITIVE_INFINITY : Date.parse(at))))

const SNOOZES = `
  SELECT (SELECT min(snoozed_until) ${snoozed(0)} AND snoozed_until > :now) AS next,
         (SELECT min(snoozed_until) ${snoozed(1)} AND snoozed_until > :now) AS nextMarked,
         (SELECT count(*) FROM (SELECT 1 ${snoozed(0)} AND snoozed_until <= :now LIMIT ${MANY_UNMARKED + 1})) AS unmarked`

/** Does not sort again within the aggregate, which would take half as long again. Exported for a test of its plan. */
export function currentTasksSql(
  isMerged: boolean,
  { filters, fields, maxText }: Pick<PageRequest, 'filters' | 'fields' | 'maxText'>,
): ListSql {
  const order = dueOrder(filters)
  const object = fields === undefined ? wholeSql(maxText) : objectSql({ columns }, fields, maxText)
  const key = `${isMerged} ${filtersIn(filters)} ${fields ?? ''} ${maxText ?? ''}`
  const narrowed = (range: Range) => filterSql(filters, range) + rangeSql(order, range)
  const unsnoozed = (range: Range) =>
    `FROM tasks INDEXED BY ${unsnoozedIndex(filters)} WHERE ${OPEN} AND ${UNSNOOZED} AND ${CURRENT}${narrowed(range)}`
  if (!isMerged) {
    const ordered: ListSql['rows'] = (range, limit) => `${unsnoozed(range)} ORDER BY ${orderSql(order, range)} ${limit}`
    return {
      key,
      rows: (range, limit) => `SELECT ${object} AS _object ${ordered(range, limit)}`,
      positions: (range, limit) => `SELECT ${positionSql(order)} ${ordered(range, limit)}`,
    }
  }
  const merged: ListSql['rows'] = (range, limit) => `
    SELECT ${PLACE} ${unsnoozed(range)}
    UNION ALL
    SELECT ${PLACE} ${snoozed(0)} AND snoozed_until <= :now${narrowed(range)}
    ORDER BY ${orderSql(placeOf(order), range)} ${limit}`
  return {
    key,
    rows: (range, limit) =>
      `SELECT ${object} AS _object FROM (${merged(range, limit)}) CROSS JOIN tasks ON seq = chosen`,
    positions: (range, limit) => `SELECT ${positionSql(placeOf(order))} FROM (${merged(range, limit)})`,
  }
}

/** Nearly all tasks are short enough to come straight from the index. The caller cuts the rest. */
const wholeSql = (maxText: number | undefined): string =>
  maxText === undefined
    ? OBJECT
    : `CASE WHEN octet_length(${OBJECT}) <= ${4 * maxText} THEN ${OBJECT} ELSE ${objectSql({ columns }, undefined, maxText)} END`

const PLACE = 'seq AS chosen, due_at AS due, due_at IS NULL'
const placeOf = (order: OrderColumn[]) => order.map((column, i) => ({ ...column, name: i === 0 ? 'due' : 'chosen' }))

function unsnoozedIndex({ bookKey, assigneeEmail }: Filters): string {
  if (bookKey !== undefined) return assigneeEmail === undefined ? 'tasks_of_book' : 'tasks_of_book_and_assignee'
  return assigneeEmail !== undefined ? 'tasks_of_assignee' : 'tasks_unsnoozed'
}

/** The redundant terms are those by which the index seeks. */
function filterSql(filters: Filters, range: Range): string {
  const due = { dueBefore: ':dueBefore', dueAfter: ':dueAfter', position: `:${parameterOf(0)}` }
  return [
    ...(filters.bookKey === undefined ? [] : ['book_key IS NOT NULL AND book_key = :bookKey']),
    ...(filters.assigneeEmail === undefined
      ? []
      : ['assignee_email IS NOT NULL AND lower(assignee_email) = lower(:assigneeEmail)']),
    ...(isDated(filters) ? ['(due_at IS NULL) = 0', ...dueConditions(filters, range, due)] : []),
  ]
    .map((condition) => ` AND ${condition}`)
    .join('')
}
