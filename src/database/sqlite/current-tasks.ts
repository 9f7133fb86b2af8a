import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { taskColumnOf } from '../columns.ts'
import type { CurrentTasks, CurrentTasksQuery } from '../store.ts'
import { MANY_UNMARKED } from '../waking.ts'

/**
 * Current tasks in due order, at a cost that does not grow with the workspace, whatever the state of its tasks.
 *
 * Some indexes hold the awake in due order: tasks never snoozed, and those marked as woken. The first few are read. One
 * more, tasks_snoozed, holds the snoozed by the moment they wake: those that have woken since anybody marked any are read
 * and sorted in, if there are any. They stay few, because a read that meets many has them marked in the background: see ../waking.ts.
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

/** There is one for each limit and set of filters that is asked for, and each takes some kilobytes. */
const STATEMENTS_KEPT = 64

type Filters = Pick<CurrentTasksQuery, 'bookKey' | 'assigneeEmail' | 'dueBefore'>

/** What is known of a workspace's snoozes before its tasks are read. */
interface Snoozes {
  /** When the next task wakes; and the next of those that are marked although they sleep, as a clock set back has it. */
  next: string | null
  nextMarked: string | null
  /** How many have woken and are not marked; it counts no further than it must. */
  unmarked: number
}

export class CurrentTasksReader {
  readonly #db: DatabaseSync
  readonly #onManyUnmarked: (workspaceId: string, now: number) => void
  readonly #begin: StatementSync
  readonly #end: StatementSync
  readonly #snoozes: StatementSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(db: DatabaseSync, onManyUnmarked: (workspaceId: string, now: number) => void) {
    this.#db = db
    this.#onManyUnmarked = onManyUnmarked
    this.#begin = db.prepare('BEGIN')
    this.#end = db.prepare('COMMIT')
    this.#snoozes = db.prepare(SNOOZES)
  }

  read(query: CurrentTasksQuery): CurrentTasks {
    // One transaction, so that the answer and the moment until which it holds are of the same state.
    this.#begin.run()
    try {
      const at = { workspace: query.workspaceId, now: new Date(query.now).toISOString() }
      const snoozes = this.#snoozes.get(at) as unknown as Snoozes
      if (snoozes.unmarked > MANY_UNMARKED) this.#onManyUnmarked(query.workspaceId, query.now)
      const { before, after } = query
      const values = { ...at, before, after, ...filterValues(query) }
      const { json } = this.#statement(snoozes.unmarked > 0, query).get(values) as { json: Uint8Array }
      return { json: Buffer.from(json.buffer, json.byteOffset, json.byteLength), until: nextWaking(snoozes) }
    } finally {
      this.#end.run()
    }
  }

  #statement(isMerged: boolean, query: CurrentTasksQuery): StatementSync {
    const kind = `${isMerged} ${query.limit} ${filtersIn(query)} ${query.fields}`
    let statement = this.#statements.get(kind)
    if (statement === undefined) {
      if (this.#statements.size >= STATEMENTS_KEPT) this.#statements.clear()
      statement = this.#db.prepare(currentTasksSql(isMerged, query))
      this.#statements.set(kind, statement)
    }
    return statement
  }
}

const nextWaking = ({ next, nextMarked }: Snoozes): number =>
  Math.min(...[next, nextMarked].map((at) => (at === null ? Number.POSITIVE_INFINITY : Date.parse(at))))

const SNOOZES = `
  SELECT (SELECT min(snoozed_until) ${snoozed(0)} AND snoozed_until > :now) AS next,
         (SELECT min(snoozed_until) ${snoozed(1)} AND snoozed_until > :now) AS nextMarked,
         (SELECT count(*) FROM (SELECT 1 ${snoozed(0)} AND snoozed_until <= :now LIMIT ${MANY_UNMARKED + 1})) AS unmarked`

/**
 * The objects come in the order of the rows chosen; to sort them once more within the aggregate would take half as long
 * again. The limit is part of the text: with a limit that it does not know, SQLite takes a third longer.
 *
 * Exported for the test that asks SQLite for its plan.
 */
export function currentTasksSql(
  isMerged: boolean,
  { fields, limit, ...filters }: Pick<CurrentTasksQuery, 'fields' | 'limit'> & Filters,
): string {
  const object = `SELECT ${objectSql(fields)} AS object`
  const chosen = isMerged
    ? `${object} FROM (${mergedSql(filters)} LIMIT ${limit}) CROSS JOIN tasks ON seq = chosen`
    : `${object} ${awakeSql(filters)} ORDER BY ${dueOrder(filters)} LIMIT ${limit}`
  // As bytes: to make a string of them, only to make bytes of that again, would take longer than the read.
  return `SELECT CAST(concat(:before, group_concat(object, ','), :after) AS BLOB) AS json FROM (${chosen})`
}

/** Word for word as tasks_awake has it, from which it is then read; with other fields it would be made at every read. */
const objectSql = (fields: readonly string[]) =>
  `CAST(json_object(${fields.map((field) => `'${field}', ${taskColumnOf(field)}`).join(', ')}) AS TEXT)`

const awakeSql = (filters: Filters) =>
  `FROM tasks INDEXED BY ${awakeIndex(filters)} WHERE ${OPEN} AND ${AWAKE} AND ${CURRENT} ${filterSql(filters)}`

/** Where only dated tasks are asked for, naming the term that is the same for all would keep SQLite from the index. */
const dueOrder = ({ dueBefore }: Filters) => (dueBefore === undefined ? 'due_at IS NULL, due_at, seq' : 'due_at, seq')

function mergedSql(filters: Filters): string {
  const isDated = filters.dueBefore !== undefined
  const place = isDated ? 'seq AS chosen, due_at AS due' : 'seq AS chosen, due_at AS due, due_at IS NULL AS undated'
  return `
    SELECT ${place} ${awakeSql(filters)}
    UNION ALL
    SELECT ${place} ${snoozed(0)} AND snoozed_until <= :now ${filterSql(filters)}
    ORDER BY ${isDated ? 'due, chosen' : 'undated, due, chosen'}`
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
