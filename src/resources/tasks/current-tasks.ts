/**
 * Current tasks in due order, at a cost that does not grow with the workspace, whatever the state of its tasks.
 *
 * Most indexes contain, in due order, the tasks that were never snoozed or whose snooze is marked as expired. The first few
 * after a position are read. tasks_snoozed contains snoozed tasks by the end of their snooze: those that have ended but are not
 * marked yet are read from it and merged. They stay few: see database/lists/hidden-rows.ts.
 */

import type { ListDialect } from '../../database/lists/dialect.ts'
import { boundConditions, orderColumns } from '../../database/lists/keyset.ts'
import type { QueryableList } from '../../database/lists/reader.ts'
import { searchedFields, wordFilters } from '../../database/lists/word-filters.ts'
import { columnOf, type HiddenRows, type ListIndex, type Table } from '../../database/table.ts'
import type { Filters } from '../../lists/query.ts'
import { columns } from './columns.ts'

const snooze: HiddenRows = {
  instant: 'snoozed_until',
  mark: 'snooze_expired',
  isNullable: true,
  index: 'tasks_snoozed',
  onInsert: 'tasks_inserted_snoozed',
  onUpdate: 'tasks_snooze_written',
  markFunction: 'tasks_mark_snooze',
  included: ['due_at'],
}

const UNASSIGNED = 'assignee_name IS NULL AND assignee_email IS NULL'

const indexBy = (name: string, ...by: string[]): ListIndex => ({
  name,
  by,
  where: by.map((field) => `${columnOf(field)} IS NOT NULL`),
})

export const MAX_TASKS = 100
const DUE_ORDER = ['dueAt'] as const

/** An `assignee` with an at sign is a whole address, and no task has two. */
function withAddress({ assignee, ...filters }: Filters): Filters {
  if (typeof assignee !== 'string') return filters
  if (!assignee.includes('@')) return { ...filters, assignee }
  const { assigneeEmail = assignee } = filters
  const isSame = String(assigneeEmail).toLowerCase() === assignee
  return { ...filters, assigneeEmail: isSame ? assignee : '' }
}

const ALL_IN_ORDER = orderColumns(columns, DUE_ORDER)
/** Dated lists need no part of the order for tasks without a due date. */
const DATED_IN_ORDER = ALL_IN_ORDER.map((column) => ({ ...column, isNullable: false }))

const contains = {
  query: ['title', 'details', 'bookKey', 'assigneeName', 'sourceTitle', 'sourceSummary'],
  assignee: ['assigneeName'],
}

export const table: Table = {
  name: 'tasks',
  singular: 'task',
  version: 5,
  columns,
  listing: {
    order: DUE_ORDER,
    limit: MAX_TASKS,
    label: 'title',
    only: [`status = 'open'`],
    hidden: snooze,
    reasonNotCurrent({ status, snoozedUntil }, now) {
      if (status !== 'open') return String(status)
      return typeof snoozedUntil === 'string' && snoozedUntil > now ? `snoozed until ${snoozedUntil}` : undefined
    },
    indexes: [
      indexBy('tasks_unsnoozed'),
      indexBy('tasks_of_book', 'bookKey'),
      indexBy('tasks_of_assignee', 'assigneeEmail'),
      indexBy('tasks_of_book_and_assignee', 'bookKey', 'assigneeEmail'),
      indexBy('tasks_of_session', 'sourceSessionId'),
      { name: 'tasks_unassigned', by: [], where: [UNASSIGNED] },
    ],
    sqlName: (name) => name,
  },
  search: { fields: searchedFields({ contains }), only: ['status', 'open'] },
}

export const taskList: QueryableList = {
  table,
  contains,
  countBy: {
    assignee: ['assigneeEmail', 'assigneeName'],
    bookKey: ['bookKey'],
    sourceKind: ['sourceKind'],
    dueDate: ['dueAt'],
  },
  suggests: {
    bookKey: ['bookKey'],
    assignee: ['assigneeName', 'assigneeEmail'],
    assigneeEmail: ['assigneeEmail'],
    sourceSessionId: ['sourceSessionId'],
  },
  due: 'dueAt',
  compileFilters(given, dialect, bind) {
    const filters = withAddress(given)
    const bound = (name: string) => filters[name] !== undefined && bind(String(filters[name]), 'instant')
    const [from, before] = [bound('dueAfter'), bound('dueBefore')]
    const isDated = from !== false || before !== false
    const bounds = isDated ? { column: 'due_at', ...(from && { from }), ...(before && { before }) } : undefined
    return {
      order: isDated ? DATED_IN_ORDER : ALL_IN_ORDER,
      index: unsnoozedIndex(filters),
      conditions: [
        ...Object.entries(CONDITIONS).flatMap(([name, sql]) =>
          filters[name] === undefined ? [] : sql(dialect, () => bind(String(filters[name]), 'text')),
        ),
        ...(isDated ? dialect.isNotNull('due_at') : []),
      ],
      checks: [],
      inRange: (range, [position = '']) => boundConditions(bounds, range, position),
      // Undated tasks are the last range of the order, in which only the creation order decides.
      ...(filters.undated !== undefined && { within: ['null'] }),
      contains: wordFilters({ contains }, filters),
    }
  },
  suggestionSql(filter, { lower }, value) {
    const exact = (column: string, index: string) => ({ column, value, index, where: [`${column} IS NOT NULL`] })
    if (filter === 'bookKey') return exact('book_key', 'tasks_of_book')
    if (filter === 'sourceSessionId') return exact('source_session_id', 'tasks_of_session')
    const ofAssignee = exact('assignee_email', 'tasks_of_assignee')
    return { ...ofAssignee, column: lower('assignee_email'), value: lower(value) }
  },
}

function unsnoozedIndex({ bookKey, assigneeEmail, sourceSessionId, unassigned }: Filters): string {
  if (sourceSessionId !== undefined) return 'tasks_of_session'
  if (bookKey !== undefined) return assigneeEmail === undefined ? 'tasks_of_book' : 'tasks_of_book_and_assignee'
  if (assigneeEmail !== undefined) return 'tasks_of_assignee'
  return unassigned === undefined ? 'tasks_unsnoozed' : 'tasks_unassigned'
}

/** The redundant terms are those by which the index seeks. */
const CONDITIONS: Readonly<Record<string, (dialect: ListDialect, value: () => string) => string>> = {
  bookKey: (_, value) => `book_key IS NOT NULL AND book_key = ${value()}`,
  assigneeEmail: ({ lower }, value) => `assignee_email IS NOT NULL AND ${lower('assignee_email')} = ${lower(value())}`,
  sourceSessionId: (_, value) => `source_session_id IS NOT NULL AND source_session_id = ${value()}`,
  unassigned: () => UNASSIGNED,
  undated: ({ isNull }) => isNull('due_at'),
}
