import type { QueryConfig } from 'pg'
import { type OrderColumn, rangesAfter } from '../../database/keyset.ts'
import {
  fieldsSql,
  onePositionSql,
  positionIn,
  positionParameters,
  rangeConditions,
  statementNames,
  untilIn,
} from '../../database/postgres/list.ts'
import { countReader, type QuestionedList, questionReader, suggestReader } from '../../database/postgres/questions.ts'
import type {
  CountReading,
  CountRequest,
  Filters,
  PageReading,
  PageRequest,
  PostgresReads,
  Read,
  Viewpoint,
} from '../../database/queries.ts'
import { isQuestion } from '../../database/questions.ts'
import { columns } from './columns.ts'
import {
  dueConditions,
  dueOrder,
  INDEXED,
  MANY_UNMARKED,
  MAX_TASKS,
  taskQuestions,
  withAddress,
} from './current-tasks.ts'
import { ASSIGNEE, markExpired, UNASSIGNED, UNSNOOZED } from './postgres-schema.ts'

/**
 * Current tasks in due order, and the moment until which the response holds, in one statement at a cost that does not grow
 * with the workspace, whatever the state of its tasks.
 *
 * Some indexes hold the unsnoozed in due order: tasks never snoozed, and those whose snooze is marked as expired. The first
 * few after a position are read, of each of the ranges that follow it. One more, tasks_snoozed, holds the snoozed by the moment
 * that ends: those whose snooze has ended and is not marked yet are read and sorted in. They stay few: see current-tasks.ts.
 */

const OPEN = `workspace_id = $1 AND status = 'open'`
const CURRENT = '(snoozed_until IS NULL OR snoozed_until <= $2::timestamptz)'
const SNOOZED = `FROM vitrine.tasks WHERE ${OPEN} AND snoozed_until IS NOT NULL AND snoozed_until > $2::timestamptz`
const IS_UNMARKED = 'snoozed_until IS NOT NULL AND NOT snooze_expired AND snoozed_until <= $2::timestamptz'
const UNMARKED = `FROM vitrine.tasks WHERE ${OPEN} AND ${IS_UNMARKED}`

const NEXT_END = `least((SELECT min(snoozed_until) ${SNOOZED} AND NOT snooze_expired),
               (SELECT min(snoozed_until) ${SNOOZED} AND snooze_expired))`
/** A task is not overdue yet at the moment at which it falls due. */
const NEXT_DUE = `least(
    (SELECT due_at FROM vitrine.tasks WHERE ${OPEN} AND ${UNSNOOZED} AND ${CURRENT} AND due_at >= $2::timestamptz ORDER BY due_at, seq LIMIT 1),
    (SELECT min(due_at) ${UNMARKED} AND due_at >= $2::timestamptz)) + interval '1 millisecond'`

interface Row {
  json: string
  count: number
  until: string | null
  unmarked: number
}

export function readCurrentTasks(engine: PostgresReads): Read<PageRequest, PageReading> {
  const { read, inBackground } = engine
  const expiry = inBackground(markExpired)
  const named = statementNames('current tasks')
  const answer = questionReader(questionedTasks(expiry), engine)
  return async (viewpoint, page) => {
    if (isQuestion(INDEXED, page)) return answer(viewpoint, withAddress(page))
    const { text, values } = currentTasksStatement(viewpoint, page)
    const [row] = await read<Row>({ ...named(text, page), values })
    const { json = '', count = 0, until = null, unmarked = 0 } = row ?? {}
    if (unmarked > MANY_UNMARKED) expiry.request(viewpoint.workspaceId, viewpoint.now)
    const [before, end] = page.around ?? ['', '']
    return {
      rows: Buffer.from(before + json + end),
      next: row !== undefined && count > page.limit ? positionIn(dueOrder(page.filters), { ...row }) : undefined,
      until: untilIn(until),
    }
  }
}

export function countTasks(engine: PostgresReads): Read<CountRequest, CountReading> {
  const count = countReader(questionedTasks(engine.inBackground(markExpired)), engine)
  return (viewpoint, request) => count(viewpoint, withAddress(request))
}

export const suggestTasks = (engine: PostgresReads) =>
  suggestReader(questionedTasks(engine.inBackground(markExpired)), engine)

const valuesOf = (value: string, column: string) => ({
  value,
  conditions: `${OPEN} AND ${UNSNOOZED} AND ${column} IS NOT NULL`,
})

const questionedTasks = (expiry: ReturnType<PostgresReads['inBackground']>): QuestionedList => ({
  ...taskQuestions,
  upkeep: {
    isDue: `EXISTS (SELECT ${UNMARKED} OFFSET ${MANY_UNMARKED})`,
    request: ({ workspaceId, now }) => expiry.request(workspaceId, now),
  },
  indexed: {
    bookKey: valuesOf('book_key', 'book_key'),
    assignee: valuesOf(ASSIGNEE, 'assignee_email'),
    assigneeEmail: valuesOf(ASSIGNEE, 'assignee_email'),
    sourceSessionId: valuesOf('source_session_id', 'source_session_id'),
  },
  open(filters, bind, { followsDue = false }) {
    const bound = (name: string) => (filters[name] === undefined ? undefined : `${bind(filters[name])}::timestamptz`)
    const [dueBefore = '', dueAfter = ''] = [bound('dueBefore'), bound('dueAfter')]
    const conditions = conditionsOf(filters, bind)
    return {
      order: dueOrder(filters),
      sources: [
        [OPEN, UNSNOOZED, CURRENT, ...conditions],
        [OPEN, IS_UNMARKED, ...conditions],
      ],
      inRange: (range, [position = '']) => dueConditions(filters, range, { dueBefore, dueAfter, position }),
      until: followsDue ? `least(${NEXT_END}, ${NEXT_DUE})` : NEXT_END,
    }
  },
})

function conditionsOf(filters: Filters, bind: (value: unknown) => string): string[] {
  const { bookKey, assigneeEmail, sourceSessionId, unassigned, undated } = filters
  return [
    ...(bookKey === undefined ? [] : [`book_key IS NOT NULL AND book_key = ${bind(bookKey)}`]),
    ...(assigneeEmail === undefined
      ? []
      : [`assignee_email IS NOT NULL AND ${ASSIGNEE} = lower(${bind(assigneeEmail)}::text COLLATE "C")`]),
    ...(sourceSessionId === undefined
      ? []
      : [`source_session_id IS NOT NULL AND source_session_id = ${bind(sourceSessionId)}`]),
    ...(unassigned === undefined ? [] : [UNASSIGNED]),
    ...(undated === undefined ? [] : ['due_at IS NULL']),
  ]
}

/** Exported for the test that asks PostgreSQL for its plan. */
export function currentTasksStatement(
  { workspaceId, now }: Viewpoint,
  page: PageRequest,
): Required<Pick<QueryConfig, 'text' | 'values'>> {
  const { filters, limit, findNext, after } = page
  const values: unknown[] = [workspaceId, new Date(now).toISOString(), limit, findNext ? limit + 1 : limit]
  const bind = (value: unknown) => `$${values.push(value)}`
  const order = dueOrder(filters)
  const ranges = rangesAfter(order, after)
  const conditions = conditionsOf(filters, bind)
  const [dueBefore, dueAfter] = [filters.dueBefore, filters.dueAfter].map((value) =>
    value === undefined ? undefined : bind(value),
  )
  const position = positionParameters(order, after, bind)
  const times = {
    dueBefore: `${dueBefore}::timestamptz`,
    dueAfter: `${dueAfter}::timestamptz`,
    position: `${position[0]}`,
  }
  const inRanges = ranges.map((range) => [
    ...dueConditions(filters, range, times),
    ...rangeConditions(order, range, position),
  ])
  return { text: statement(page, order, conditions, inRanges), values }
}

/**
 * Of each range the first rows are read: as many as a page can need, by a number in the text, because PostgreSQL expects a tenth of
 * the table if it does not know how many. The unmarked are found by their snooze before anything else (OFFSET 0 keeps it so).
 */
function statement(
  { fields, maxText }: PageRequest,
  order: OrderColumn[],
  conditions: string[],
  inRanges: string[][],
): string {
  const first = `ORDER BY due_at, seq LIMIT ${MAX_TASKS + 1}`
  const unsnoozed = inRanges.map(
    (inRange) => `(SELECT seq, due_at FROM vitrine.tasks
     WHERE ${[OPEN, UNSNOOZED, CURRENT, ...conditions, ...inRange].join(' AND ')} ${first})`,
  )
  const unmarked = `SELECT seq, due_at ${[UNMARKED, ...conditions].join(' AND ')} OFFSET 0`
  const inAny = inRanges.map((inRange) => ['true', ...inRange].join(' AND ')).join(' OR ')
  return `
  WITH picked AS (
    ${unsnoozed.join('\n    UNION ALL\n    ')}
    UNION ALL
    (SELECT seq, due_at FROM (${unmarked}) AS unmarked WHERE ${inAny} ${first}))
  SELECT coalesce(string_agg(row_to_json(one)::text, ',' ORDER BY place) FILTER (WHERE place <= $3::int), '') AS json,
         count(*) AS count, ${onePositionSql(order, 'tasks', 'place = $3::int')},
         ${NEXT_END} AS until,
         (SELECT count(*) FROM (SELECT ${UNMARKED} LIMIT ${MANY_UNMARKED + 1}) AS seen) AS unmarked
  FROM (SELECT seq, row_number() OVER (ORDER BY due_at, seq) AS place FROM picked
        ORDER BY due_at, seq LIMIT $4::int) AS chosen
  JOIN vitrine.tasks USING (seq)
  CROSS JOIN LATERAL (SELECT ${fieldsSql({ columns }, fields, maxText)}) AS one`
}
