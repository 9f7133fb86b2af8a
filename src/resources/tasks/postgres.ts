import { windowConditions } from '../../database/keyset.ts'
import {
  expirySchema,
  hasPassed,
  isUnhidden,
  isUnmarked,
  nextEnd,
  unmarkedRows,
} from '../../database/postgres/expiry.ts'
import type { QuestionedList } from '../../database/postgres/questions.ts'
import type { Filters } from '../../database/queries.ts'
import type { SchemaObject } from '../../database/table.ts'
import { dueOrder, dueWindow, snooze, taskIndexes, taskQuestions, UNASSIGNED } from './current-tasks.ts'

const UNSNOOZED = isUnhidden(snooze)
const ASSIGNEE = 'lower(assignee_email COLLATE "C")'

const place = 'due_at, seq) INCLUDE (snoozed_until, snooze_expired)'

export const schema: SchemaObject[] = [
  ...taskIndexes({ table: 'vitrine.tasks', place, whole: place, assignee: ASSIGNEE, unsnoozed: UNSNOOZED }),
  ...expirySchema(snooze, ['due_at', 'seq']),
]

/**
 * Current tasks in due order, and the moment until which the response holds, in one statement at a cost that does not grow
 * with the workspace, whatever the state of its tasks.
 *
 * Some indexes hold the unsnoozed in due order: tasks never snoozed, and those whose snooze is marked as expired. The first
 * few after a position are read, of each of the ranges that follow it. One more, tasks_snoozed, holds the snoozed by the moment
 * that ends: those whose snooze has ended and is not marked yet are read and sorted in. They stay few: see database/expiry.ts.
 */

const OPEN = `workspace_id = $1 AND status = 'open'`
const CURRENT = hasPassed(snooze)
const NEXT_END = nextEnd(snooze)
/** A task is not overdue yet at the moment at which it falls due. */
const NEXT_DUE = `least(
    (SELECT due_at FROM vitrine.tasks WHERE ${OPEN} AND ${UNSNOOZED} AND ${CURRENT} AND due_at >= $2::timestamptz ORDER BY due_at, seq LIMIT 1),
    (SELECT min(due_at) ${unmarkedRows(snooze)} AND due_at >= $2::timestamptz)) + interval '1 millisecond'`

const valuesOf = (value: string, column: string) => ({
  value,
  conditions: `${OPEN} AND ${UNSNOOZED} AND ${column} IS NOT NULL`,
})

export const questionedTasks: QuestionedList = {
  ...taskQuestions,
  expiry: snooze,
  indexed: {
    bookKey: valuesOf('book_key', 'book_key'),
    assignee: valuesOf(ASSIGNEE, 'assignee_email'),
    assigneeEmail: valuesOf(ASSIGNEE, 'assignee_email'),
    sourceSessionId: valuesOf('source_session_id', 'source_session_id'),
  },
  open(filters, bind, { followsDue = false }) {
    const bound = (name: string) => (filters[name] === undefined ? '' : `${bind(filters[name])}::timestamptz`)
    const window = dueWindow(filters, { before: bound('dueBefore'), from: bound('dueAfter') })
    const conditions = conditionsOf(filters, bind)
    return {
      order: dueOrder(filters),
      sources: [
        [OPEN, UNSNOOZED, CURRENT, ...conditions],
        [OPEN, isUnmarked(snooze), ...conditions],
      ],
      inRange: (range, [position = '']) => windowConditions(window, range, position),
      until: followsDue ? `least(${NEXT_END}, ${NEXT_DUE})` : NEXT_END,
    }
  },
}

const CONDITIONS: Readonly<Record<string, (value: () => string) => string>> = {
  bookKey: (value) => `book_key IS NOT NULL AND book_key = ${value()}`,
  assigneeEmail: (value) => `assignee_email IS NOT NULL AND ${ASSIGNEE} = lower(${value()}::text COLLATE "C")`,
  sourceSessionId: (value) => `source_session_id IS NOT NULL AND source_session_id = ${value()}`,
  unassigned: () => UNASSIGNED,
  undated: () => 'due_at IS NULL',
}

const conditionsOf = (filters: Filters, bind: (value: unknown) => string): string[] =>
  Object.entries(CONDITIONS).flatMap(([name, sql]) =>
    filters[name] === undefined ? [] : [sql(() => bind(filters[name]))],
  )
