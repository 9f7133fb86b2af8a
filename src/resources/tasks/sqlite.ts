import { type Range, windowConditions } from '../../database/keyset.ts'
import type { Filters } from '../../database/queries.ts'
import { expirySchema, hasPassed, isUnhidden, orderedSql, unmarkedRows } from '../../database/sqlite/expiry.ts'
import { objectSql, parameterOf, rangeSql } from '../../database/sqlite/list.ts'
import type { QuestionedList } from '../../database/sqlite/questions.ts'
import type { SchemaObject } from '../../database/table.ts'
import { columns } from './columns.ts'
import { dueOrder, dueWindow, snooze, taskIndexes, taskQuestions, UNASSIGNED } from './current-tasks.ts'

const UNSNOOZED = isUnhidden(snooze)
const ASSIGNEE = 'lower(assignee_email)'

/** The index tasks_unsnoozed stores this word for word, so that it is not computed at every read. */
const OBJECT = objectSql({ columns })

const PLACE = 'due_at IS NULL, due_at, seq, snoozed_until, snooze_expired'

/** tasks_unsnoozed holds whole tasks, so that a list is read from neighbouring pages, however large the table is. */
const inOrder = { table: 'tasks', place: `${PLACE})`, whole: `${PLACE}, ${OBJECT})` }

export const schema: SchemaObject[] = [
  ...taskIndexes({ ...inOrder, assignee: ASSIGNEE, unsnoozed: UNSNOOZED }),
  ...expirySchema(snooze, ['due_at']),
]

/**
 * Current tasks in due order, at a cost that does not grow with the workspace, whatever the state of its tasks.
 *
 * Some indexes hold the unsnoozed in due order: tasks never snoozed, and those whose snooze is marked as expired. The first
 * few after a position are read. One more, tasks_snoozed, holds the snoozed by the moment that ends: those whose snooze has
 * ended and is not marked yet are read and sorted in, if there are any. They stay few: see database/expiry.ts.
 */

const OPEN = `workspace_id = :workspace AND status = 'open'`
const CURRENT = hasPassed(snooze)

const NEXT_DUE = `
  SELECT min(due) AS due FROM (
    SELECT * FROM (SELECT due_at AS due FROM tasks INDEXED BY tasks_unsnoozed
      WHERE ${OPEN} AND ${UNSNOOZED} AND ${CURRENT} AND (due_at IS NULL) = 0 AND due_at >= :now ORDER BY due_at LIMIT 1)
    UNION ALL SELECT min(due_at) ${unmarkedRows(snooze)} AND due_at >= :now)`

const valuesOf = (value: string, column: string, index: string) => ({
  value,
  from: `FROM tasks INDEXED BY ${index} WHERE ${OPEN} AND ${UNSNOOZED} AND ${column} IS NOT NULL`,
})

export const questionedTasks: QuestionedList = {
  ...taskQuestions,
  indexed: {
    bookKey: valuesOf('book_key', 'book_key', 'tasks_of_book'),
    assignee: valuesOf(ASSIGNEE, 'assignee_email', 'tasks_of_assignee'),
    assigneeEmail: valuesOf(ASSIGNEE, 'assignee_email', 'tasks_of_assignee'),
    sourceSessionId: valuesOf('source_session_id', 'source_session_id', 'tasks_of_session'),
  },
  expiry: snooze,
  nextDue: NEXT_DUE,
  open: (filters, isMerged) => ({
    order: dueOrder(filters),
    select: selectOf(isMerged, filters),
    conditions: () => `${OPEN} AND ${CURRENT}${filterSql(filters, [])}`,
    values: boundIn(filters),
  }),
}

/** Others are in the SQL itself, or are checked outside of the database. */
const boundIn = (filters: Filters): Record<string, string> =>
  Object.fromEntries(BOUND.flatMap((name) => (filters[name] === undefined ? [] : [[name, String(filters[name])]])))
const BOUND = ['bookKey', 'assigneeEmail', 'sourceSessionId', 'dueBefore', 'dueAfter']

/** Does not sort again within the aggregate, which would take half as long again. */
function selectOf(isMerged: boolean, filters: Filters) {
  const order = dueOrder(filters)
  const from = `FROM tasks INDEXED BY ${unsnoozedIndex(filters)} WHERE ${OPEN} AND ${UNSNOOZED} AND ${CURRENT}`
  return (columns: string, given: Range, limit: string): string => {
    // Undated tasks are the last range of the order, in which only the place decides.
    const range: Range = filters.undated !== undefined && given.length === 0 ? ['null'] : given
    const conditions = filterSql(filters, range) + rangeSql(order, range)
    return orderedSql(order, { columns, from, conditions, range, limit }, isMerged ? snooze : undefined)
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
