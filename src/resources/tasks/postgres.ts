import type { UpdateSome } from '../../database/background-updates.ts'
import { fieldsSql } from '../../database/postgres/list.ts'
import type { PostgresReads, Read, Viewpoint } from '../../database/queries.ts'
import type { SchemaObject } from '../../database/table.ts'
import { columns } from './columns.ts'
import { AFTER, BEFORE, MANY_UNMARKED, type TaskArguments } from './current-tasks.ts'

/**
 * Current tasks in due order, and the moment until which the answer holds, in one statement at a cost that does not grow
 * with the workspace, whatever the state of its tasks.
 *
 * Some indexes hold the unsnoozed in due order: tasks never snoozed, and those whose snooze is marked as expired. The first
 * few are read. One more, tasks_snoozed, holds the snoozed by the moment that ends: those whose snooze has ended and is not
 * marked yet are read and sorted in. They stay few: see current-tasks.ts.
 */

const OPEN = `workspace_id = $1 AND status = 'open'`
const CURRENT = '(snoozed_until IS NULL OR snoozed_until <= $2::timestamptz)'
const UNSNOOZED = '(snoozed_until IS NULL OR snooze_expired)'
const SNOOZED = `FROM vitrine.tasks WHERE ${OPEN} AND snoozed_until IS NOT NULL AND snoozed_until > $2::timestamptz`
const UNMARKED = `
  FROM vitrine.tasks WHERE ${OPEN} AND snoozed_until IS NOT NULL AND NOT snooze_expired AND snoozed_until <= $2::timestamptz`

interface Row {
  json: string
  until: string | null
  unmarked: number
}

export function readCurrentTasks({ read, inBackground }: PostgresReads): Read<TaskArguments> {
  const expiry = inBackground(markExpired)
  return async (viewpoint, args) => {
    const rows = await read<Row>(currentTasksStatement(viewpoint, args))
    const { json = '', until = null, unmarked = 0 } = rows[0] ?? {}
    if (unmarked > MANY_UNMARKED) expiry.request(viewpoint.workspaceId, viewpoint.now)
    return {
      body: Buffer.from(BEFORE + json + AFTER),
      until: until === null ? Number.POSITIVE_INFINITY : Date.parse(until),
    }
  }
}

/** Exported for the test that asks PostgreSQL for its plan. */
export function currentTasksStatement({ workspaceId, now }: Viewpoint, args: TaskArguments) {
  const filters = filterNames.filter((name) => args[name] !== undefined)
  const text = statement(filters.map((name, i) => `AND ${conditions[name](`$${i + 4}`)}`).join(' '))
  return {
    name: nameOf(text),
    text,
    values: [workspaceId, new Date(now).toISOString(), args.limit, ...filters.map((name) => args[name])],
  }
}

/** A prepared statement's name stands for one text; there are as many as there are sets of filters. */
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

const filterNames = Object.keys(conditions) as (keyof typeof conditions)[]

const statement = (filterSql: string) => `
  WITH picked AS (
    (SELECT seq, due_at FROM vitrine.tasks WHERE ${OPEN} AND ${UNSNOOZED} AND ${CURRENT} ${filterSql}
     ORDER BY due_at, seq LIMIT $3::int)
    UNION ALL
    (SELECT seq, due_at ${UNMARKED} ${filterSql} ORDER BY due_at, seq LIMIT $3::int))
  SELECT coalesce(string_agg(row_to_json(one)::text, ',' ORDER BY place), '') AS json,
         least((SELECT min(snoozed_until) ${SNOOZED} AND NOT snooze_expired),
               (SELECT min(snoozed_until) ${SNOOZED} AND snooze_expired)) AS until,
         (SELECT count(*) FROM (SELECT ${UNMARKED} LIMIT ${MANY_UNMARKED + 1}) AS seen) AS unmarked
  FROM (SELECT seq, row_number() OVER (ORDER BY due_at, seq) AS place
        FROM picked ORDER BY due_at, seq LIMIT $3::int) AS chosen
  JOIN vitrine.tasks USING (seq)
  CROSS JOIN LATERAL (SELECT ${fieldsSql({ columns })}) AS one`

const PLACE = 'due_at, seq) INCLUDE (snoozed_until, snooze_expired)'
const index = (name: string, on: string, where: string): SchemaObject => ({
  kind: 'index',
  name,
  sql: `CREATE INDEX ${name} ON vitrine.tasks (workspace_id, ${on}\n  WHERE status = 'open' AND ${where}`,
})
const ASSIGNEE = 'lower(assignee_email COLLATE "C")'

/** Whoever writes a snooze, the mark follows; for replicated rows too, whose publisher may have no marks. */
const marking = (name: string, when: string, condition: string): SchemaObject => ({
  kind: 'trigger',
  name,
  sql: `CREATE TRIGGER ${name} BEFORE ${when} ON vitrine.tasks FOR EACH ROW
  WHEN (${condition}) EXECUTE FUNCTION vitrine.tasks_mark_snooze()`,
  enabled: 'always',
})

export const schema: SchemaObject[] = [
  index('tasks_unsnoozed', PLACE, UNSNOOZED),
  index('tasks_of_book', `book_key, ${PLACE}`, `${UNSNOOZED} AND book_key IS NOT NULL`),
  index('tasks_of_assignee', `${ASSIGNEE}, ${PLACE}`, `${UNSNOOZED} AND assignee_email IS NOT NULL`),
  index(
    'tasks_of_book_and_assignee',
    `book_key, ${ASSIGNEE}, ${PLACE}`,
    `${UNSNOOZED} AND book_key IS NOT NULL AND assignee_email IS NOT NULL`,
  ),
  index('tasks_snoozed', 'snooze_expired, snoozed_until) INCLUDE (due_at, seq)', 'snoozed_until IS NOT NULL'),
  {
    kind: 'function',
    name: 'tasks_mark_snooze',
    sql: `CREATE OR REPLACE FUNCTION vitrine.tasks_mark_snooze() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.snooze_expired := NEW.snoozed_until <= clock_timestamp();
  RETURN NEW;
END $$`,
  },
  marking('tasks_inserted_snoozed', 'INSERT', 'NEW.snoozed_until IS NOT NULL'),
  marking(
    'tasks_snooze_written',
    'UPDATE OF snoozed_until',
    'NEW.snoozed_until IS DISTINCT FROM OLD.snoozed_until AND NEW.snoozed_until IS NOT NULL',
  ),
]

/** Waits for no lock: replicas that mark at once take different tasks, and one that a writer holds is left for later. */
const markExpired =
  (update: Parameters<Parameters<PostgresReads['inBackground']>[0]>[0]): UpdateSome =>
  (workspaceId, by, atMost) =>
    update({
      name: 'mark expired snoozes',
      text: `
        UPDATE vitrine.tasks SET snooze_expired = true WHERE seq = ANY (ARRAY (
          SELECT seq FROM vitrine.tasks
          WHERE workspace_id = $1 AND status = 'open' AND snoozed_until IS NOT NULL AND NOT snooze_expired
            AND snoozed_until <= $2::timestamptz
          LIMIT $3::int FOR UPDATE SKIP LOCKED))`,
      values: [workspaceId, new Date(by).toISOString(), atMost],
    })
