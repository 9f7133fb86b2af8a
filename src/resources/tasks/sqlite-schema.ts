import type { DatabaseSync } from 'node:sqlite'
import type { UpdateSome } from '../../database/background-updates.ts'
import { objectSql } from '../../database/sqlite/list.ts'
import { writeNowOrNever } from '../../database/sqlite/write-lock.ts'
import type { SchemaObject } from '../../database/table.ts'
import { columns } from './columns.ts'

/** Must match the indexes word for word, or SQLite does not use them. */
export const UNSNOOZED = '(snoozed_until IS NULL OR snooze_expired = 1)'

export const UNASSIGNED = 'assignee_name IS NULL AND assignee_email IS NULL'

/** The index tasks_unsnoozed stores this word for word, so that it is not computed at every read. */
export const OBJECT = objectSql({ columns })

const PLACE = 'due_at IS NULL, due_at, seq, snoozed_until, snooze_expired'
const index = (name: string, on: string, where: string): SchemaObject => ({
  kind: 'index',
  name,
  sql: `CREATE INDEX ${name} ON tasks (workspace_id, ${on})\n  WHERE status = 'open' AND ${where}`,
})

/** The mark follows every write of a snooze. */
const marking = (name: string, when: string): SchemaObject => ({
  kind: 'trigger',
  name,
  sql: `CREATE TRIGGER ${name} AFTER ${when} ON tasks
WHEN NEW.snoozed_until IS NOT NULL AND NEW.snooze_expired <> (NEW.snoozed_until <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) BEGIN
  UPDATE tasks SET snooze_expired = 1 - snooze_expired WHERE seq = NEW.seq;
END`,
})

/** tasks_unsnoozed holds whole tasks, so that a list is read from neighbouring pages, however large the table is. */
export const schema: SchemaObject[] = [
  index('tasks_unsnoozed', `${PLACE}, ${OBJECT}`, UNSNOOZED),
  index('tasks_of_book', `book_key, ${PLACE}`, `${UNSNOOZED} AND book_key IS NOT NULL`),
  index('tasks_of_assignee', `lower(assignee_email), ${PLACE}`, `${UNSNOOZED} AND assignee_email IS NOT NULL`),
  index(
    'tasks_of_book_and_assignee',
    `book_key, lower(assignee_email), ${PLACE}`,
    `${UNSNOOZED} AND book_key IS NOT NULL AND assignee_email IS NOT NULL`,
  ),
  index('tasks_of_session', `source_session_id, ${PLACE}`, `${UNSNOOZED} AND source_session_id IS NOT NULL`),
  index('tasks_unassigned', PLACE, `${UNSNOOZED} AND ${UNASSIGNED}`),
  index('tasks_snoozed', 'snooze_expired, snoozed_until, due_at', 'snoozed_until IS NOT NULL'),
  marking('tasks_inserted_snoozed', 'INSERT'),
  marking('tasks_snooze_written', 'UPDATE OF snoozed_until'),
]

export function markExpired(db: DatabaseSync): UpdateSome {
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
