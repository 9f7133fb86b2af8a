import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { taskColumnOf } from '../columns.ts'
import type { CurrentTasks, CurrentTasksQuery } from '../store.ts'

/**
 * Current tasks in due order, at a cost that does not grow with the workspace. Open tasks are of three sorts: never
 * snoozed, asleep, and snoozed until a moment that has passed. No single index suits every mixture of them:
 *
 * - tasks_awake holds the never-snoozed in due order: read the first few.
 * - tasks_asleep holds the snoozed by the moment they wake: read those that have woken, sort them in.
 * - tasks_open holds all in due order. Where very many have woken, sorting them would be dear, but then most tasks are
 *   current, and this order meets enough of them soon.
 *
 * A filter by book or assignee has an index in due order of its own.
 */

/** Above so many woken tasks, walking tasks_open is cheaper than sorting them in. */
const MANY_WOKEN = 300

const DUE_ORDER = 'due_at IS NULL, due_at, seq'
const OF_WORKSPACE = `workspace_id = :workspace AND status = 'open'`

type Plan = 'merged' | 'walked'
type Filters = Pick<CurrentTasksQuery, 'bookKey' | 'assigneeEmail' | 'dueBefore'>

export class CurrentTasksReader {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  read(query: CurrentTasksQuery): CurrentTasks {
    // One transaction, so that the answer and the moment until which it holds are of the same state.
    this.#db.exec('BEGIN')
    try {
      const now = new Date(query.now).toISOString()
      const at = { workspace: query.workspaceId, now }
      const row = this.#statement(currentTasksSql(this.#plan(query, at), query.fields, query)).get({
        ...at,
        limit: query.limit,
        ...filterValues(query),
      }) as { json: Uint8Array }
      const next = this.#statement(NEXT_WAKING).get(at) as { at: string | null }
      return {
        json: Buffer.from(row.json.buffer, row.json.byteOffset, row.json.byteLength),
        until: next.at === null ? Number.POSITIVE_INFINITY : Date.parse(next.at),
      }
    } finally {
      this.#db.exec('COMMIT')
    }
  }

  #plan(query: Filters, at: { workspace: string; now: string }): Plan {
    if (query.bookKey !== undefined || query.assigneeEmail !== undefined) return 'walked'
    const { woken } = this.#statement(WOKEN_COUNT).get(at) as { woken: number }
    return woken > MANY_WOKEN ? 'walked' : 'merged'
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = this.#db.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }
}

const WOKEN_COUNT = `
  SELECT count(*) AS woken FROM (
    SELECT 1 FROM tasks INDEXED BY tasks_asleep
    WHERE ${OF_WORKSPACE} AND snoozed_until <= :now LIMIT ${MANY_WOKEN + 1})`

const NEXT_WAKING = `
  SELECT min(snoozed_until) AS at FROM tasks INDEXED BY tasks_asleep WHERE ${OF_WORKSPACE} AND snoozed_until > :now`

/** Exported for the test that asks SQLite for its plan. */
export function currentTasksSql(plan: Plan, fields: readonly string[], filters: Filters): string {
  const object = fields.map((field) => `'${field}', ${taskColumnOf(field)}`).join(', ')
  return `
    SELECT CAST(json_group_array(json_object(${object}) ORDER BY ${DUE_ORDER}) AS BLOB) AS json
    FROM tasks WHERE seq IN (${plan === 'merged' ? mergedSql(filters) : walkedSql(filters)})`
}

function mergedSql(filters: Filters): string {
  const order = dueOrder(filters)
  return `
    SELECT seq FROM (
      SELECT * FROM (
        SELECT seq, due_at FROM tasks INDEXED BY tasks_awake
        WHERE ${OF_WORKSPACE} AND snoozed_until IS NULL ${filterSql(filters)} ORDER BY ${order} LIMIT :limit)
      UNION ALL
      SELECT seq, due_at FROM tasks INDEXED BY tasks_asleep
      WHERE ${OF_WORKSPACE} AND snoozed_until <= :now ${filterSql(filters)})
    ORDER BY ${order} LIMIT :limit`
}

const walkedSql = (filters: Filters) => `
  SELECT seq FROM tasks INDEXED BY ${walkedIndex(filters)}
  WHERE ${OF_WORKSPACE} AND (snoozed_until IS NULL OR snoozed_until <= :now) ${filterSql(filters)}
  ORDER BY ${dueOrder(filters)} LIMIT :limit`

/** Where only dated tasks are asked for, naming the term that is the same for all would keep SQLite from the index. */
const dueOrder = (filters: Filters) => (filters.dueBefore === undefined ? DUE_ORDER : 'due_at, seq')

function walkedIndex(filters: Filters): string {
  if (filters.bookKey !== undefined)
    return filters.assigneeEmail === undefined ? 'tasks_of_book' : 'tasks_of_book_and_assignee'
  return filters.assigneeEmail !== undefined ? 'tasks_of_assignee' : 'tasks_open'
}

const conditions: Record<keyof Filters, string> = {
  bookKey: 'book_key IS NOT NULL AND book_key = :bookKey',
  assigneeEmail: 'assignee_email IS NOT NULL AND lower(assignee_email) = lower(:assigneeEmail)',
  // The first term is implied by the second; it lets the index seek.
  dueBefore: '(due_at IS NULL) = 0 AND due_at < :dueBefore',
}

const filterNames = Object.keys(conditions) as (keyof Filters)[]

const filterSql = (filters: Filters) =>
  filterNames
    .filter((name) => filters[name] !== undefined)
    .map((name) => `AND ${conditions[name]}`)
    .join(' ')

function filterValues(filters: Filters): Record<string, SQLInputValue> {
  const values: Record<string, SQLInputValue> = {}
  for (const name of filterNames) if (filters[name] !== undefined) values[name] = filters[name]
  return values
}
