import { taskColumnOf } from '../columns.ts'
import type { CurrentTasksQuery } from '../store.ts'

/**
 * Current tasks in due order, and the moment until which the answer holds, in one statement at a cost that does not grow
 * with the workspace. Open tasks are of three sorts: never snoozed, asleep, and snoozed until a moment that has passed.
 *
 * - tasks_awake holds the never-snoozed in due order: read the first few.
 * - tasks_asleep holds the snoozed by the moment they wake: read those that have woken, sort them in.
 * - tasks_open holds all in due order. Where very many have woken, sorting them would be dear, but then most tasks are
 *   current, and this order meets enough of them soon. `few` decides, and the branches not chosen are not run.
 *
 * A filter by book or assignee has an index in due order of its own.
 */

/** Above so many woken tasks, walking tasks_open is cheaper than sorting them in. */
const MANY_WOKEN = 300

const INSTANT = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`
const OPEN = `workspace_id = $1 AND status = 'open'`
const CURRENT = `(snoozed_until IS NULL OR snoozed_until <= $2::timestamptz)`

export interface CurrentTasksRow {
  json: string
  until: string | null
}

export function currentTasksStatement(query: CurrentTasksQuery): { text: string; values: unknown[]; name: string } {
  const filters = Object.entries(conditions).filter(([name]) => query[name as keyof typeof conditions] !== undefined)
  const sql = filters.map(([, condition], i) => `AND ${condition(`$${i + 4}`)}`).join(' ')
  const isWalked = query.bookKey !== undefined || query.assigneeEmail !== undefined
  const text = statement(query.fields, isWalked ? walkedSql(sql) : chosenSql(sql))
  return {
    name: nameOf(text),
    text,
    values: [
      query.workspaceId,
      new Date(query.now).toISOString(),
      query.limit,
      ...filters.map(([name]) => query[name as keyof typeof conditions]),
    ],
  }
}

/** A prepared statement's name stands for one text; there are as many as there are sets of filters and fields. */
function nameOf(text: string): string {
  const name = names.get(text) ?? `current tasks ${names.size + 1}`
  names.set(text, name)
  return name
}

const names = new Map<string, string>()

const conditions = {
  bookKey: (value: string) => `book_key IS NOT NULL AND book_key = ${value}`,
  assigneeEmail: (value: string) =>
    `assignee_email IS NOT NULL AND lower(assignee_email COLLATE "C") = lower(${value}::text COLLATE "C")`,
  dueBefore: (value: string) => `due_at < ${value}::timestamptz`,
}

const statement = (fields: readonly string[], picked: string) => `
  WITH ${picked}
  SELECT '[' || coalesce(string_agg(row_to_json(one)::text, ',' ORDER BY place), '') || ']' AS json,
         (SELECT min(snoozed_until) FROM vitrine.tasks
          WHERE ${OPEN} AND snoozed_until IS NOT NULL AND snoozed_until > $2::timestamptz) AS until
  FROM (SELECT seq, row_number() OVER (ORDER BY due_at, seq) AS place
        FROM picked ORDER BY due_at, seq LIMIT $3::int) AS chosen
  JOIN vitrine.tasks USING (seq)
  CROSS JOIN LATERAL (SELECT ${fields.map((field) => `${fieldSql(field)} AS "${field}"`).join(', ')}) AS one`

const fieldSql = (field: string) =>
  field.endsWith('At') ? `to_char(${taskColumnOf(field)} AT TIME ZONE 'UTC', ${INSTANT})` : taskColumnOf(field)

const walkedSql = (filterSql: string) => `
  picked AS (
    SELECT seq, due_at FROM vitrine.tasks WHERE ${OPEN} AND ${CURRENT} ${filterSql}
    ORDER BY due_at, seq LIMIT $3::int)`

const chosenSql = (filterSql: string) => `
  woken AS MATERIALIZED (
    SELECT seq, due_at FROM vitrine.tasks
    WHERE ${OPEN} AND snoozed_until IS NOT NULL AND snoozed_until <= $2::timestamptz LIMIT ${MANY_WOKEN + 1}),
  few AS MATERIALIZED (SELECT count(*) <= ${MANY_WOKEN} AS yes FROM woken),
  picked AS (
    (SELECT seq, due_at FROM vitrine.tasks
     WHERE ${OPEN} AND snoozed_until IS NULL ${filterSql} AND (SELECT yes FROM few)
     ORDER BY due_at, seq LIMIT $3::int)
    UNION ALL
    (SELECT seq, due_at FROM woken WHERE (SELECT yes FROM few) ${filterSql})
    UNION ALL
    (SELECT seq, due_at FROM vitrine.tasks
     WHERE ${OPEN} AND ${CURRENT} ${filterSql} AND NOT (SELECT yes FROM few)
     ORDER BY due_at, seq LIMIT $3::int))`
