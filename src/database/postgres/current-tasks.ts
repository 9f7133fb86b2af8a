import { taskColumnOf } from '../columns.ts'
import type { CurrentTasksQuery } from '../store.ts'
import { MANY_UNMARKED } from '../waking.ts'

/**
 * Current tasks in due order, and the moment until which the answer holds, in one statement at a cost that does not grow
 * with the workspace, whatever the state of its tasks.
 *
 * Some indexes hold the awake in due order: tasks never snoozed, and those marked as woken. The first few are read. One
 * more, tasks_snoozed, holds the snoozed by the moment they wake: those that have woken since anybody marked any are read
 * and sorted in. They stay few, because a read that meets many has them marked in the background: see ../waking.ts.
 *
 * A mark is no answer. Every task found is still judged by its own snoozed_until, so neither a clock that was set back nor
 * a mark that is missing or wrong can show a sleeping task or hide a woken one.
 */

const INSTANT = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`
const OPEN = `workspace_id = $1 AND status = 'open'`
const CURRENT = '(snoozed_until IS NULL OR snoozed_until <= $2::timestamptz)'
const AWAKE = '(snoozed_until IS NULL OR woken)'
const ASLEEP = `FROM vitrine.tasks WHERE ${OPEN} AND snoozed_until IS NOT NULL AND snoozed_until > $2::timestamptz`
const UNMARKED = `
  FROM vitrine.tasks WHERE ${OPEN} AND snoozed_until IS NOT NULL AND NOT woken AND snoozed_until <= $2::timestamptz`

export interface CurrentTasksRow {
  json: string
  until: string | null
  unmarked: number
}

export function currentTasksStatement(query: CurrentTasksQuery): { text: string; values: unknown[]; name: string } {
  const filters = Object.entries(conditions).filter(([name]) => query[name as keyof typeof conditions] !== undefined)
  const sql = filters.map(([, condition], i) => `AND ${condition(`$${i + 4}`)}`).join(' ')
  const text = statement(query.fields, sql)
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

const statement = (fields: readonly string[], filterSql: string) => `
  WITH picked AS (
    (SELECT seq, due_at FROM vitrine.tasks WHERE ${OPEN} AND ${AWAKE} AND ${CURRENT} ${filterSql}
     ORDER BY due_at, seq LIMIT $3::int)
    UNION ALL
    (SELECT seq, due_at ${UNMARKED} ${filterSql} ORDER BY due_at, seq LIMIT $3::int))
  SELECT coalesce(string_agg(row_to_json(one)::text, ',' ORDER BY place), '') AS json,
         least((SELECT min(snoozed_until) ${ASLEEP} AND NOT woken),
               (SELECT min(snoozed_until) ${ASLEEP} AND woken)) AS until,
         (SELECT count(*) FROM (SELECT ${UNMARKED} LIMIT ${MANY_UNMARKED + 1}) AS seen) AS unmarked
  FROM (SELECT seq, row_number() OVER (ORDER BY due_at, seq) AS place
        FROM picked ORDER BY due_at, seq LIMIT $3::int) AS chosen
  JOIN vitrine.tasks USING (seq)
  CROSS JOIN LATERAL (SELECT ${fields.map((field) => `${fieldSql(field)} AS "${field}"`).join(', ')}) AS one`

const fieldSql = (field: string) =>
  field.endsWith('At') ? `to_char(${taskColumnOf(field)} AT TIME ZONE 'UTC', ${INSTANT})` : taskColumnOf(field)
