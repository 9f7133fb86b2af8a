import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { taskColumnOf } from '../columns.ts'
import type { CurrentTasks, CurrentTasksQuery } from '../store.ts'
import { MANY_UNMARKED } from '../waking.ts'

/**
 * Current tasks in due order, at a cost that does not grow with the workspace, whatever the state of its tasks.
 *
 * Some indexes hold the awake in due order: tasks never snoozed, and those marked as woken. The first few are read. One
 * more, tasks_snoozed, holds the snoozed by the moment they wake: those that have woken since anybody marked any are read
 * and sorted in. They stay few, because a read that meets many has them marked in the background: see ../waking.ts.
 *
 * A mark is no answer. Every task found is still judged by its own snoozed_until, so neither a clock that was set back nor
 * a mark that is missing or wrong can show a sleeping task or hide a woken one.
 */

const OPEN = `workspace_id = :workspace AND status = 'open'`
const CURRENT = '(snoozed_until IS NULL OR snoozed_until <= :now)'
/** Word for word as the indexes have it, or SQLite does not see that they apply. */
const AWAKE = '(snoozed_until IS NULL OR woken = 1)'
const snoozed = (woken: 0 | 1) => `
  FROM tasks INDEXED BY tasks_snoozed WHERE ${OPEN} AND snoozed_until IS NOT NULL AND woken = ${woken}`

type Filters = Pick<CurrentTasksQuery, 'bookKey' | 'assigneeEmail' | 'dueBefore'>

interface Row {
  json: Uint8Array
  until: string | null
  unmarked: number
}

export class CurrentTasksReader {
  readonly #db: DatabaseSync
  readonly #onManyUnmarked: (workspaceId: string, now: number) => void
  readonly #statements = new Map<string, StatementSync>()

  constructor(db: DatabaseSync, onManyUnmarked: (workspaceId: string, now: number) => void) {
    this.#db = db
    this.#onManyUnmarked = onManyUnmarked
  }

  read(query: CurrentTasksQuery): CurrentTasks {
    const { json, until, unmarked } = this.#statement(query).get({
      workspace: query.workspaceId,
      now: new Date(query.now).toISOString(),
      limit: query.limit,
      ...filterValues(query),
    }) as unknown as Row
    if (unmarked > MANY_UNMARKED) this.#onManyUnmarked(query.workspaceId, query.now)
    return {
      json: Buffer.from(json.buffer, json.byteOffset, json.byteLength),
      until: until === null ? Number.POSITIVE_INFINITY : Date.parse(until),
    }
  }

  #statement(query: CurrentTasksQuery): StatementSync {
    const kind = `${query.fields} ${filtersIn(query)}`
    let statement = this.#statements.get(kind)
    if (statement === undefined) {
      statement = this.#db.prepare(currentTasksSql(query.fields, query))
      this.#statements.set(kind, statement)
    }
    return statement
  }
}

/**
 * One statement, so that the answer and the moment until which it holds are of the same state. The objects come in the
 * order of the rows chosen; to sort them once more within the aggregate would take half as long again.
 *
 * Exported for the test that asks SQLite for its plan.
 */
export function currentTasksSql(fields: readonly string[], filters: Filters): string {
  const object = fields.map((field) => `'${field}', ${taskColumnOf(field)}`).join(', ')
  return `
    SELECT (
      SELECT CAST(json_group_array(json_object(${object})) AS BLOB) FROM (${chosenSql(filters)}) CROSS JOIN tasks ON seq = chosen
    ) AS json, (
      SELECT min(at) FROM (
        SELECT min(snoozed_until) AS at ${snoozed(0)} AND snoozed_until > :now
        UNION ALL SELECT min(snoozed_until) ${snoozed(1)} AND snoozed_until > :now)
    ) AS until, (
      SELECT count(*) FROM (SELECT 1 ${snoozed(0)} AND snoozed_until <= :now LIMIT ${MANY_UNMARKED + 1})
    ) AS unmarked`
}

function chosenSql(filters: Filters): string {
  // Where only dated tasks are asked for, naming the term that is the same for all would keep SQLite from the index.
  const isDated = filters.dueBefore !== undefined
  const place = isDated ? 'seq AS chosen, due_at AS due' : 'seq AS chosen, due_at AS due, due_at IS NULL AS undated'
  return `
    SELECT ${place} FROM tasks INDEXED BY ${awakeIndex(filters)} WHERE ${OPEN} AND ${AWAKE} AND ${CURRENT} ${filterSql(filters)}
    UNION ALL
    SELECT ${place} ${snoozed(0)} AND snoozed_until <= :now ${filterSql(filters)}
    ORDER BY ${isDated ? 'due, chosen' : 'undated, due, chosen'} LIMIT :limit`
}

function awakeIndex(filters: Filters): string {
  if (filters.bookKey !== undefined)
    return filters.assigneeEmail === undefined ? 'tasks_of_book' : 'tasks_of_book_and_assignee'
  return filters.assigneeEmail !== undefined ? 'tasks_of_assignee' : 'tasks_awake'
}

const conditions: Record<keyof Filters, string> = {
  bookKey: 'book_key IS NOT NULL AND book_key = :bookKey',
  assigneeEmail: 'assignee_email IS NOT NULL AND lower(assignee_email) = lower(:assigneeEmail)',
  // The first term is implied by the second; it lets the index seek.
  dueBefore: '(due_at IS NULL) = 0 AND due_at < :dueBefore',
}

const filterNames = Object.keys(conditions) as (keyof Filters)[]

const filtersIn = (filters: Filters) => filterNames.filter((name) => filters[name] !== undefined)

const filterSql = (filters: Filters) =>
  filtersIn(filters)
    .map((name) => `AND ${conditions[name]}`)
    .join(' ')

function filterValues(filters: Filters): Record<string, SQLInputValue> {
  const values: Record<string, SQLInputValue> = {}
  for (const name of filterNames) if (filters[name] !== undefined) values[name] = filters[name]
  return values
}
