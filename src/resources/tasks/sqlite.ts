import { type Range, windowConditions } from '../../database/keyset.ts'
import type { Filters, PageRequest, SqliteReads } from '../../database/queries.ts'
import { hasPassed, orderedSql, UNLIMITED, unmarkedRows } from '../../database/sqlite/expiry.ts'
import { objectSql, parameterOf, positionSql, rangeSql, wholeSql } from '../../database/sqlite/list.ts'
import { type ListSql, type PagedList, pageReader } from '../../database/sqlite/page.ts'
import { countReader, type QuestionedList, questionReader, suggestReader } from '../../database/sqlite/questions.ts'
import { columns } from './columns.ts'
import { byAddress, dueOrder, dueWindow, pagesOrQuestions, snooze, taskQuestions, UNASSIGNED } from './current-tasks.ts'
import { ASSIGNEE, UNSNOOZED } from './sqlite-schema.ts'

/**
 * Current tasks in due order, at a cost that does not grow with the workspace, whatever the state of its tasks.
 *
 * Some indexes hold the unsnoozed in due order: tasks never snoozed, and those whose snooze is marked as expired. The first
 * few after a position are read. One more, tasks_snoozed, holds the snoozed by the moment that ends: those whose snooze has
 * ended and is not marked yet are read and sorted in, if there are any. They stay few: see database/expiry.ts.
 */

const OPEN = `workspace_id = :workspace AND status = 'open'`
const CURRENT = hasPassed(snooze)

export function readCurrentTasks(engine: SqliteReads) {
  const open: PagedList['open'] = (page) => ({
    order: dueOrder(page.filters),
    values: boundIn(page.filters),
    sql: (isMerged) => currentTasksSql(page, isMerged),
  })
  const read = pageReader({ table: 'tasks', expiry: snooze, open }, engine)
  return pagesOrQuestions(read, questionReader(questionedTasks, engine))
}

export const countTasks = (engine: SqliteReads) => byAddress(countReader(questionedTasks, engine))

export const suggestTasks = (engine: SqliteReads) => suggestReader(questionedTasks, engine)

const valuesOf = (value: string, column: string, index: string) => ({
  value,
  from: `FROM tasks INDEXED BY ${index} WHERE ${OPEN} AND ${UNSNOOZED} AND ${column} IS NOT NULL`,
})

const questionedTasks: QuestionedList = {
  ...taskQuestions,
  indexed: {
    bookKey: valuesOf('book_key', 'book_key', 'tasks_of_book'),
    assignee: valuesOf(ASSIGNEE, 'assignee_email', 'tasks_of_assignee'),
    assigneeEmail: valuesOf(ASSIGNEE, 'assignee_email', 'tasks_of_assignee'),
    sourceSessionId: valuesOf('source_session_id', 'source_session_id', 'tasks_of_session'),
  },
  expiry: snooze,
  open(state, at, { filters, followsDue = false }, { until, unmarked }) {
    const select = selectOf(unmarked > 0, filters)
    const isUndated = filters.undated !== undefined
    const due = followsDue ? state.get(NEXT_DUE, at)?.due : null
    return {
      order: dueOrder(filters),
      // Undated tasks are the last range of the order, in which only the place decides.
      select: (columns, range) => select(columns, isUndated && range.length === 0 ? ['null'] : range, UNLIMITED),
      conditions: `${OPEN} AND ${CURRENT}${filterSql(filters, [])}`,
      values: { ...at, ...boundIn(filters) },
      until: Math.min(until, typeof due === 'string' ? Date.parse(due) + 1 : Number.POSITIVE_INFINITY),
    }
  },
}

/** Others are in the SQL itself, or are checked outside of the database. */
const boundIn = (filters: Filters): Record<string, string> =>
  Object.fromEntries(BOUND.flatMap((name) => (filters[name] === undefined ? [] : [[name, String(filters[name])]])))
const BOUND = ['bookKey', 'assigneeEmail', 'sourceSessionId', 'dueBefore', 'dueAfter']

/** The next time at which a task falls due; at that moment it is not overdue yet. */
const NEXT_DUE = `
  SELECT min(due) AS due FROM (
    SELECT * FROM (SELECT due_at AS due FROM tasks INDEXED BY tasks_unsnoozed
      WHERE ${OPEN} AND ${UNSNOOZED} AND ${CURRENT} AND (due_at IS NULL) = 0 AND due_at >= :now ORDER BY due_at LIMIT 1)
    UNION ALL SELECT min(due_at) ${unmarkedRows(snooze)} AND due_at >= :now)`

type Select = (columns: string, range: Range, limit: string) => string

/** Does not sort again within the aggregate, which would take half as long again. */
function selectOf(isMerged: boolean, filters: Filters): Select {
  const order = dueOrder(filters)
  const from = `FROM tasks INDEXED BY ${unsnoozedIndex(filters)} WHERE ${OPEN} AND ${UNSNOOZED} AND ${CURRENT}`
  return (columns, range, limit) => {
    const conditions = filterSql(filters, range) + rangeSql(order, range)
    return orderedSql(order, { columns, from, conditions, range, limit }, isMerged ? snooze : undefined)
  }
}

/** Exported for a test of its plan. */
export function currentTasksSql(
  { filters, fields, maxText }: Pick<PageRequest, 'filters' | 'fields' | 'maxText'>,
  isMerged: boolean,
): ListSql {
  const object = fields === undefined ? wholeSql({ columns }, maxText) : objectSql({ columns }, fields, maxText)
  const select = selectOf(isMerged, filters)
  return {
    key: `${isMerged} ${filtersIn(filters)} ${fields ?? ''} ${maxText ?? ''}`,
    rows: (range, limit) => select(`${object} AS _object`, range, limit),
    positions: (range, limit) => select(positionSql(dueOrder(filters)), range, limit),
  }
}

function unsnoozedIndex({ bookKey, assigneeEmail, sourceSessionId, unassigned }: Filters): string {
  if (sourceSessionId !== undefined) return 'tasks_of_session'
  if (bookKey !== undefined) return assigneeEmail === undefined ? 'tasks_of_book' : 'tasks_of_book_and_assignee'
  if (assigneeEmail !== undefined) return 'tasks_of_assignee'
  return unassigned === undefined ? 'tasks_unsnoozed' : 'tasks_unassigned'
}

/** The redundant terms are those by which the index seeks. */
const CONDITIONS: Readonly<Record<string, string>> = {
  bookKey: 'book_key IS NOT NULL AND book_key = :bookKey',
  assigneeEmail: 'assignee_email IS NOT NULL AND lower(assignee_email) = lower(:assigneeEmail)',
  sourceSessionId: 'source_session_id IS NOT NULL AND source_session_id = :sourceSessionId',
  unassigned: UNASSIGNED,
  undated: '(due_at IS NULL) = 1',
  dueBefore: '(due_at IS NULL) = 0',
  dueAfter: '(due_at IS NULL) = 0',
}

const filtersIn = (filters: Filters) => Object.keys(CONDITIONS).filter((name) => filters[name] !== undefined)

function filterSql(filters: Filters, range: Range): string {
  const due = dueWindow(filters, { from: ':dueAfter', before: ':dueBefore' })
  const conditions = new Set(filtersIn(filters).map((name) => CONDITIONS[name]))
  return [...conditions, ...windowConditions(due, range, `:${parameterOf(0)}`)]
    .map((condition) => ` AND ${condition}`)
    .join('')
}
