/** Shared by the queries of both engines: sqlite.ts and postgres.ts. */

import { type OrderColumn, orderColumns, type Range } from '../../database/keyset.ts'
import type { Filters } from '../../database/queries.ts'
import type { QuestionShape } from '../../database/questions.ts'
import type { CurrentRows } from '../../database/table.ts'
import { columns } from './columns.ts'

/** Open, and not snoozed into the future. */
export const currentTasks: CurrentRows = {
  sql: `status = 'open' AND (snoozed_until IS NULL OR snoozed_until <= ?)`,
  whyNot({ status, snoozedUntil }, now) {
    if (status !== 'open') return String(status)
    return typeof snoozedUntil === 'string' && snoozedUntil > now ? `snoozed until ${snoozedUntil}` : undefined
  },
}

/**
 * A snooze ends by the passing of time, which changes no row and which no index notices. The column snooze_expired notes that
 * it has been seen to have ended, so that the task stands in the indexes of current tasks. A read finds the tasks whose snooze
 * has ended since the last read by the moment it ends, and sorts them in among the others, which is quick as long as they
 * are few. Where they are many it has them marked in the background.
 *
 * A mark is no response. Every task found is still judged by its own snoozed_until, so neither a clock that was set back nor
 * a mark that is missing or wrong can show a snoozed task or hide a current one.
 */
export const MANY_UNMARKED = 100

export const MAX_TASKS = 100

/** `dueBefore` is exclusive and `dueAfter` inclusive. */
export const filterNames = [
  'bookKey',
  'assigneeEmail',
  'sourceSessionId',
  'unassigned',
  'undated',
  'dueBefore',
  'dueAfter',
] as const

export const filtersIn = (filters: Filters) => filterNames.filter((name) => filters[name] !== undefined)

/** An `assignee` with an at sign is a whole address. No task has two. */
export function withAddress<Request extends { filters: Filters }>(request: Request): Request {
  const { assignee, ...filters } = request.filters
  if (typeof assignee !== 'string' || !assignee.includes('@')) return request
  const { assigneeEmail = assignee } = filters
  const isSame = String(assigneeEmail).toLowerCase() === assignee
  return { ...request, filters: { ...filters, assigneeEmail: isSame ? assignee : '' } }
}

/** These are read page by page from an index in due order. */
export const INDEXED = ['bookKey', 'assigneeEmail', 'dueBefore', 'dueAfter']

/** Dated lists need no part of the order for tasks without a due date, and undated ones no other. */
export const isDated = ({ dueBefore, dueAfter }: Filters) => dueBefore !== undefined || dueAfter !== undefined

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

interface DueTimes {
  dueBefore: string
  dueAfter: string
  position: string
}

/** An index seeks by one lower bound: where the range has its own, the position is compared with dueAfter instead. */
export function dueConditions({ dueBefore, dueAfter }: Filters, range: Range, times: DueTimes): string[] {
  const [due] = range
  return [
    ...(dueAfter === undefined ? [] : [`${due === undefined ? 'due_at' : times.position} >= ${times.dueAfter}`]),
    ...(dueBefore === undefined ? [] : [`${due === 'equal' ? times.position : 'due_at'} < ${times.dueBefore}`]),
  ]
}
