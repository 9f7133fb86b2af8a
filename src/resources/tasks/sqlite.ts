import { type OrderColumn, type Range, rangesAfter } from '../../database/keyset.ts'
import type {
  CountReading,
  CountRequest,
  Filters,
  PageReading,
  PageRequest,
  Read,
  SqliteReads,
} from '../../database/queries.ts'
import { isQuestion } from '../../database/questions.ts'
import { objectSql, orderSql, parameterOf, positionSql, rangeSql, rangeValues } from '../../database/sqlite/list.ts'
import { type ListSql, PageReader } from '../../database/sqlite/page.ts'
import { countReader, type QuestionedList, questionReader, suggestReader } from '../../database/sqlite/questions.ts'
import { columns } from './columns.ts'
import {
  dueConditions,
  dueOrder,
  type filterNames,
  filtersIn,
  INDEXED,
  isDated,
  MANY_UNMARKED,
  taskQuestions,
  withAddress,
} from './current-tasks.ts'
import { markExpired, OBJECT, UNASSIGNED, UNSNOOZED } from './sqlite-schema.ts'

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

interface Snoozes {
  /** The end of the next snooze, or of one that was marked too early because the clock was set back. */
  next: string | null
  nextMarked: string | null
  /** Ended but not marked. Counts no further than it must. */
  unmarked: number
}

export function readCurrentTasks(engine: SqliteReads): Read<PageRequest, PageReading> {
  const { db, inBackground } = engine
  const expiry = inBackground(markExpired)
  const reader = new PageReader(db, 'tasks')
  const findSnoozes = db.prepare(SNOOZES)
  const answer = questionReader(questionedTasks(expiry), engine)
  const read = (workspaceId: string, now: number, page: PageRequest): PageReading => {
    const at = { workspace: workspaceId, now: new Date(now).toISOString() }
    const snoozes = findSnoozes.get(at) as unknown as Snoozes
    if (snoozes.unmarked > MANY_UNMARKED) expiry.request(workspaceId, now)
    const { filters, limit, findNext, after, around } = page
    const values = { ...at, ...boundIn(filters) }
    const list = currentTasksSql(snoozes.unmarked > 0, page)
    const ranges = rangesAfter(dueOrder(filters), after)
    const valuesOf = (range: Range) => ({ ...values, ...rangeValues(range, after) })
    return {
      ...reader.read({ list, ranges, valuesOf, limit, findNext, ...(around && { around }) }),
      until: nextEnd(snoozes),
    }
  }
  // One state, so that the response and its `until` agree.
  return async (viewpoint, page) =>
    isQuestion(INDEXED, page)
      ? answer(viewpoint, withAddress(page))
      : reader.inOneState(viewpoint.workspaceId, page, (id, of) => read(id, viewpoint.now, of))
}

export function countTasks(engine: SqliteReads): Read<CountRequest, CountReading> {
  const count = countReader(questionedTasks(engine.inBackground(markExpired)), engine)
  return (viewpoint, request) => count(viewpoint, withAddress(request))
}

export const suggestTasks = (engine: SqliteReads) =>
  suggestReader(questionedTasks(engine.inBackground(markExpired)), engine)

/** Without any limit, SQLite would not keep the order of the inner query. */
const UNLIMITED = 'LIMIT -1'

const valuesOf = (value: string, column: string, index: string) => ({
  value,
  from: `FROM tasks INDEXED BY ${index} WHERE ${OPEN} AND ${UNSNOOZED} AND ${column} IS NOT NULL`,
})

const questionedTasks = (expiry: ReturnType<SqliteReads['inBackground']>): QuestionedList => ({
  ...taskQuestions,
  indexed: {
    bookKey: valuesOf('book_key', 'book_key', 'tasks_of_book'),
    assignee: valuesOf('lower(assignee_email)', 'assignee_email', 'tasks_of_assignee'),
    assigneeEmail: valuesOf('lower(assignee_email)', 'assignee_email', 'tasks_of_assignee'),
    sourceSessionId: valuesOf('source_session_id', 'source_session_id', 'tasks_of_session'),
  },
  open(state, { workspace, now }, { filters, followsDue = false }) {
    const at = { workspace, now: new Date(now).toISOString() }
    const snoozes = state.get(SNOOZES, at) as unknown as Snoozes
    if (snoozes.unmarked > MANY_UNMARKED) expiry.request(workspace, now)
    const select = selectOf(snoozes.unmarked > 0, filters)
    const isUndated = filters.undated !== undefined
    const due = followsDue ? state.get(NEXT_DUE, at)?.due : null
    return {
      order: dueOrder(filters),
      // Undated tasks are the last range of the order, in which only the place decides.
      select: (columns, range) => select(columns, isUndated && range.length === 0 ? ['null'] : range, UNLIMITED),
      conditions: `${OPEN} AND ${CURRENT}${filterSql(filters, [])}`,
      values: { ...at, ...boundIn(filters) },
      until: Math.min(nextEnd(snoozes), typeof due === 'string' ? Date.parse(due) + 1 : Number.POSITIVE_INFINITY),
    }
  },
})

/** Others are in the SQL itself, or are checked outside of the database. */
const boundIn = (filters: Filters): Record<string, string> =>
  Object.fromEntries(BOUND.flatMap((name) => (filters[name] === undefined ? [] : [[name, String(filters[name])]])))
const BOUND = ['bookKey', 'assigneeEmail', 'sourceSessionId', 'dueBefore', 'dueAfter']

const nextEnd = ({ next, nextMarked }: Snoozes): number =>
  Math.min(...[next, nextMarked].map((at) => (at === null ? Number.POSITIVE_INFINITY : Date.parse(at))))

const SNOOZES = `
  SELECT (SELECT min(snoozed_until) ${snoozed(0)} AND snoozed_until > :now) AS next,
         (SELECT min(snoozed_until) ${snoozed(1)} AND snoozed_until > :now) AS nextMarked,
         (SELECT count(*) FROM (SELECT 1 ${snoozed(0)} AND snoozed_until <= :now LIMIT ${MANY_UNMARKED + 1})) AS unmarked`

/** The next time at which a task falls due; at that moment it is not overdue yet. */
const NEXT_DUE = `
  SELECT min(due) AS due FROM (
    SELECT * FROM (SELECT due_at AS due FROM tasks INDEXED BY tasks_unsnoozed
      WHERE ${OPEN} AND ${UNSNOOZED} AND ${CURRENT} AND (due_at IS NULL) = 0 AND due_at >= :now ORDER BY due_at LIMIT 1)
    UNION ALL SELECT min(due_at) ${snoozed(0)} AND snoozed_until <= :now AND due_at >= :now)`

type Select = (columns: string, range: Range, limit: string) => string

/** Does not sort again within the aggregate, which would take half as long again. */
function selectOf(isMerged: boolean, filters: Filters): Select {
  const order = dueOrder(filters)
  const unsnoozed = (range: Range) =>
    `FROM tasks INDEXED BY ${unsnoozedIndex(filters)} WHERE ${OPEN} AND ${UNSNOOZED} AND ${CURRENT}${narrowed(range)}`
  const narrowed = (range: Range) => filterSql(filters, range) + rangeSql(order, range)
  if (!isMerged)
    return (columns, range, limit) =>
      `SELECT ${columns} ${unsnoozed(range)} ORDER BY ${orderSql(order, range)} ${limit}`
  return (columns, range, limit) => `
    SELECT ${columns} FROM (
      SELECT ${PLACE} ${unsnoozed(range)}
      UNION ALL
      SELECT ${PLACE} ${snoozed(0)} AND snoozed_until <= :now${narrowed(range)}
      ORDER BY ${orderSql(placeOf(order), range)} ${limit}) CROSS JOIN tasks ON seq = chosen`
}

/** Exported for a test of its plan. */
export function currentTasksSql(
  isMerged: boolean,
  { filters, fields, maxText }: Pick<PageRequest, 'filters' | 'fields' | 'maxText'>,
): ListSql {
  const object = fields === undefined ? wholeSql(maxText) : objectSql({ columns }, fields, maxText)
  const select = selectOf(isMerged, filters)
  return {
    key: `${isMerged} ${filtersIn(filters)} ${fields ?? ''} ${maxText ?? ''}`,
    rows: (range, limit) => select(`${object} AS _object`, range, limit),
    positions: (range, limit) => select(positionSql(dueOrder(filters)), range, limit),
  }
}

/** Nearly all tasks are short enough to come straight from the index. The caller cuts the rest. */
const wholeSql = (maxText: number | undefined): string =>
  maxText === undefined
    ? OBJECT
    : `CASE WHEN octet_length(${OBJECT}) <= ${4 * maxText} THEN ${OBJECT} ELSE ${objectSql({ columns }, undefined, maxText)} END`

const PLACE = 'seq AS chosen, due_at AS due, due_at IS NULL'
const placeOf = (order: OrderColumn[]) => order.map((column, i) => ({ ...column, name: i === 0 ? 'due' : 'chosen' }))

function unsnoozedIndex({ bookKey, assigneeEmail, sourceSessionId, unassigned }: Filters): string {
  if (sourceSessionId !== undefined) return 'tasks_of_session'
  if (bookKey !== undefined) return assigneeEmail === undefined ? 'tasks_of_book' : 'tasks_of_book_and_assignee'
  if (assigneeEmail !== undefined) return 'tasks_of_assignee'
  return unassigned === undefined ? 'tasks_unsnoozed' : 'tasks_unassigned'
}

/** The redundant terms are those by which the index seeks. */
function filterSql(filters: Filters, range: Range): string {
  const due = { dueBefore: ':dueBefore', dueAfter: ':dueAfter', position: `:${parameterOf(0)}` }
  const conditions: Record<(typeof filterNames)[number], string> = {
    bookKey: 'book_key IS NOT NULL AND book_key = :bookKey',
    assigneeEmail: 'assignee_email IS NOT NULL AND lower(assignee_email) = lower(:assigneeEmail)',
    sourceSessionId: 'source_session_id IS NOT NULL AND source_session_id = :sourceSessionId',
    unassigned: UNASSIGNED,
    undated: '(due_at IS NULL) = 1',
    dueBefore: '(due_at IS NULL) = 0',
    dueAfter: '(due_at IS NULL) = 0',
  }
  return [
    ...new Set(filtersIn(filters).map((name) => conditions[name])),
    ...(isDated(filters) ? dueConditions(filters, range, due) : []),
  ]
    .map((condition) => ` AND ${condition}`)
    .join('')
}
