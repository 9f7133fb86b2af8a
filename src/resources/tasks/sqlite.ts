import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { UpdateSome } from '../../database/background-updates.ts'
import type { Read, Reading, SqliteReads, Viewpoint } from '../../database/queries.ts'
import { bodySql, bufferOf, objectSql } from '../../database/sqlite/list.ts'
import { writeNowOrNever } from '../../database/sqlite/write-now.ts'
import type { SchemaObject } from '../../database/table.ts'
import { columns } from './columns.ts'
import { AFTER, BEFORE, type Filters, MANY_UNMARKED, type TaskArguments } from './current-tasks.ts'

/**
 * Current tasks in due order, at a cost that does not grow with the workspace, whatever the state of its tasks.
 *
 * Some indexes hold the unsnoozed in due order: tasks never snoozed, and those whose snooze is marked as expired. The first
 * few are read. One more, tasks_snoozed, holds the snoozed by the moment that ends: those whose snooze has ended and is not
 * marked yet are read and sorted in, if there are any. They stay few: see current-tasks.ts.
 */

const OPEN = `workspace_id = :workspace AND status = 'open'`
const CURRENT = '(snoozed_until IS NULL OR snoozed_until <= :now)'
/** Word for word as the indexes have it, or SQLite does not see that they apply. */
const UNSNOOZED = '(snoozed_until IS NULL OR snooze_expired = 1)'
const snoozed = (expired: 0 | 1) => `
  FROM tasks INDEXED BY tasks_snoozed WHERE ${OPEN} AND snoozed_until IS NOT NULL AND snooze_expired = ${expired}`

/** A task as it is answered. The index tasks_unsnoozed holds it, word for word, so that it is not made at every read. */
const OBJECT = objectSql({ columns })

/** There is one for each limit and set of filters that is asked for, and each takes some kilobytes. */
const STATEMENTS_KEPT = 64

/** What is known of a workspace's snoozes before its tasks are read. */
interface Snoozes {
  /** When the next snooze ends; and the next of those that are marked too early, as a clock set back has it. */
  next: string | null
  nextMarked: string | null
  /** How many have ended and are not marked; it counts no further than it must. */
  unmarked: number
}

export function readCurrentTasks({ db, inBackground }: SqliteReads): Read<TaskArguments> {
  const expiry = inBackground(markExpired)
  const reader = new CurrentTasksReader(db, (workspaceId, now) => expiry.request(workspaceId, now))
  return async (viewpoint, args) => reader.read(viewpoint, args)
}

class CurrentTasksReader {
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

  read({ workspaceId, now }: Viewpoint, args: TaskArguments): Reading {
    // One transaction, so that the answer and the moment until which it holds are of the same state.
    this.#begin.run()
    try {
      const at = { workspace: workspaceId, now: new Date(now).toISOString() }
      const snoozes = this.#snoozes.get(at) as unknown as Snoozes
      if (snoozes.unmarked > MANY_UNMARKED) this.#onManyUnmarked(workspaceId, now)
      const values = { ...at, before: BEFORE, after: AFTER, ...filterValues(args) }
      const row = this.#statement(snoozes.unmarked > 0, args).get(values)
      return { body: bufferOf(row as { json: Uint8Array }), until: nextEnd(snoozes) }
    } finally {
      this.#end.run()
    }
  }

  #statement(isMerged: boolean, args: TaskArguments): StatementSync {
    const kind = `${isMerged} ${args.limit} ${filtersIn(args)}`
    let statement = this.#statements.get(kind)
    if (statement === undefined) {
      if (this.#statements.size >= STATEMENTS_KEPT) this.#statements.clear()
      statement = this.#db.prepare(currentTasksSql(isMerged, args))
      this.#statements.set(kind, statement)
    }
    return statement
  }
}

const nextEnd = ({ next, nextMarked }: Snoozes): number =>
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
export function currentTasksSql(isMerged: boolean, { limit, ...filters }: TaskArguments): string {
  const object = `SELECT ${OBJECT} AS _object`
  return bodySql(
    isMerged
      ? `${object} FROM (${mergedSql(filters)} LIMIT ${limit}) CROSS JOIN tasks ON seq = chosen`
      : `${object} ${unsnoozedSql(filters)} ORDER BY ${dueOrder(filters)} LIMIT ${limit}`,
  )
}

const unsnoozedSql = (filters: Filters) =>
  `FROM tasks INDEXED BY ${unsnoozedIndex(filters)} WHERE ${OPEN} AND ${UNSNOOZED} AND ${CURRENT} ${filterSql(filters)}`

/** Where only dated tasks are asked for, naming the term that is the same for all would keep SQLite from the index. */
const dueOrder = ({ dueBefore }: Filters) => (dueBefore === undefined ? 'due_at IS NULL, due_at, seq' : 'due_at, seq')

function mergedSql(filters: Filters): string {
  const isDated = filters.dueBefore !== undefined
  const place = isDated ? 'seq AS chosen, due_at AS due' : 'seq AS chosen, due_at AS due, due_at IS NULL AS undated'
  return `
    SELECT ${place} ${unsnoozedSql(filters)}
    UNION ALL
    SELECT ${place} ${snoozed(0)} AND snoozed_until <= :now ${filterSql(filters)}
    ORDER BY ${isDated ? 'due, chosen' : 'undated, due, chosen'}`
}

function unsnoozedIndex(filters: Filters): string {
  if (filters.bookKey !== undefined)
    return filters.assigneeEmail === undefined ? 'tasks_of_book' : 'tasks_of_book_and_assignee'
  return filters.assigneeEmail !== undefined ? 'tasks_of_assignee' : 'tasks_unsnoozed'
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

const PLACE = 'due_at IS NULL, due_at, seq, snoozed_until, snooze_expired'
const index = (name: string, on: string, where: string): SchemaObject => ({
  kind: 'index',
  name,
  sql: `CREATE INDEX ${name} ON tasks (workspace_id, ${on})\n  WHERE status = 'open' AND ${where}`,
})

/** Whoever writes a snooze, the mark follows. */
const marking = (name: string, when: string): SchemaObject => ({
  kind: 'trigger',
  name,
  sql: `CREATE TRIGGER ${name} AFTER ${when} ON tasks
WHEN NEW.snoozed_until IS NOT NULL AND NEW.snooze_expired <> (NEW.snoozed_until <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) BEGIN
  UPDATE tasks SET snooze_expired = 1 - snooze_expired WHERE seq = NEW.seq;
END`,
})

/** tasks_unsnoozed holds whole tasks: a list is then read from neighbouring pages, however large the table is. */
export const schema: SchemaObject[] = [
  index('tasks_unsnoozed', `${PLACE}, ${OBJECT}`, UNSNOOZED),
  index('tasks_of_book', `book_key, ${PLACE}`, `${UNSNOOZED} AND book_key IS NOT NULL`),
  index('tasks_of_assignee', `lower(assignee_email), ${PLACE}`, `${UNSNOOZED} AND assignee_email IS NOT NULL`),
  index(
    'tasks_of_book_and_assignee',
    `book_key, lower(assignee_email), ${PLACE}`,
    `${UNSNOOZED} AND book_key IS NOT NULL AND assignee_email IS NOT NULL`,
  ),
  index('tasks_snoozed', 'snooze_expired, snoozed_until, due_at', 'snoozed_until IS NOT NULL'),
  marking('tasks_inserted_snoozed', 'INSERT'),
  marking('tasks_snooze_written', 'UPDATE OF snoozed_until'),
]

function markExpired(db: DatabaseSync): UpdateSome {
  const mark = db.prepare(`
    UPDATE tasks SET snooze_expired = 1 WHERE seq IN (
      SELECT seq FROM tasks INDEXED BY tasks_snoozed
      WHERE workspace_id = ? AND status = 'open' AND snoozed_until IS NOT NULL AND snooze_expired = 0 AND snoozed_until <= ?
      LIMIT ?)`)
  return async (workspaceId, by, atMost) => {
    let marked = 0
    const isWritten = writeNowOrNever(db, () => {
      marked = Number(mark.run(workspaceId, new Date(by).toISOString(), atMost).changes)
    })
    return isWritten ? marked : undefined
  }
}
