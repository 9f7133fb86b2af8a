/** Shared by the queries of both engines: sqlite.ts and postgres.ts. */

import type { Expiry } from '../../database/expiry.ts'
import { type OrderColumn, orderColumns, type Window } from '../../database/keyset.ts'
import type { Filters } from '../../database/queries.ts'
import type { QuestionShape } from '../../database/questions.ts'
import type { CurrentRows, SchemaObject } from '../../database/table.ts'
import { columns } from './columns.ts'

export const currentTasks: CurrentRows = {
  sql: `status = 'open' AND (snoozed_until IS NULL OR snoozed_until <= ?)`,
  whyNot({ status, snoozedUntil }, now) {
    if (status !== 'open') return String(status)
    return typeof snoozedUntil === 'string' && snoozedUntil > now ? `snoozed until ${snoozedUntil}` : undefined
  },
}

export const snooze: Expiry = {
  table: 'tasks',
  instant: 'snoozed_until',
  isNullable: true,
  mark: 'snooze_expired',
  only: [`status = 'open'`],
  index: 'tasks_snoozed',
  onInsert: 'tasks_inserted_snoozed',
  onUpdate: 'tasks_snooze_written',
  markFunction: 'tasks_mark_snooze',
}

export const UNASSIGNED = 'assignee_name IS NULL AND assignee_email IS NULL'

/** `place` ends each index, with its parenthesis; `whole` ends the one of all unsnoozed tasks. */
export function taskIndexes(
  sql: Record<'table' | 'place' | 'whole' | 'assignee' | 'unsnoozed', string>,
): SchemaObject[] {
  const { table, place, whole, assignee, unsnoozed } = sql
  const index = (name: string, columns: readonly string[], where = '', end = place): SchemaObject => ({
    kind: 'index',
    name,
    sql: `CREATE INDEX ${name} ON ${table} (${['workspace_id', ...columns, end].join(', ')}\n  WHERE status = 'open' AND ${unsnoozed}${where && ` AND ${where}`}`,
  })
  return [
    index('tasks_unsnoozed', [], '', whole),
    index('tasks_of_book', ['book_key'], 'book_key IS NOT NULL'),
    index('tasks_of_assignee', [assignee], 'assignee_email IS NOT NULL'),
    index('tasks_of_book_and_assignee', ['book_key', assignee], 'book_key IS NOT NULL AND assignee_email IS NOT NULL'),
    index('tasks_of_session', ['source_session_id'], 'source_session_id IS NOT NULL'),
    index('tasks_unassigned', [], UNASSIGNED),
  ]
}

export const MAX_TASKS = 100

/** An `assignee` with an at sign is a whole address, and no task has two. */
export function withAddress({ assignee, ...filters }: Filters): Filters {
  if (typeof assignee !== 'string') return filters
  if (!assignee.includes('@')) return { ...filters, assignee }
  const { assigneeEmail = assignee } = filters
  const isSame = String(assigneeEmail).toLowerCase() === assignee
  return { ...filters, assigneeEmail: isSame ? assignee : '' }
}

/** Dated lists need no part of the order for tasks without a due date, and undated ones no other. */
const isDated = ({ dueBefore, dueAfter }: Filters) => dueBefore !== undefined || dueAfter !== undefined

export const taskQuestions: QuestionShape = {
  table: { name: 'tasks', columns },
  contains: {
    query: ['title', 'details', 'bookKey', 'assigneeName', 'sourceTitle', 'sourceSummary'],
    assignee: ['assigneeName'],
  },
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
}

export const DUE_ORDER = ['dueAt'] as const
const ALL_IN_ORDER = orderColumns({ columns }, DUE_ORDER)
const DATED_IN_ORDER = ALL_IN_ORDER.map((column) => ({ ...column, isNullable: false }))

export const dueOrder = (filters: Filters): OrderColumn[] => (isDated(filters) ? DATED_IN_ORDER : ALL_IN_ORDER)

export const dueWindow = (
  filters: Filters,
  { from, before }: Required<Pick<Window, 'from' | 'before'>>,
): Window | undefined =>
  isDated(filters)
    ? {
        column: 'due_at',
        ...(filters.dueAfter !== undefined && { from }),
        ...(filters.dueBefore !== undefined && { before }),
      }
    : undefined
