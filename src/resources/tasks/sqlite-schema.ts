import { expirySchema, isUnhidden } from '../../database/sqlite/expiry.ts'
import { objectSql } from '../../database/sqlite/list.ts'
import type { SchemaObject } from '../../database/table.ts'
import { columns } from './columns.ts'
import { snooze } from './current-tasks.ts'

export const UNSNOOZED = isUnhidden(snooze)

export const UNASSIGNED = 'assignee_name IS NULL AND assignee_email IS NULL'

/** The index tasks_unsnoozed stores this word for word, so that it is not computed at every read. */
const OBJECT = objectSql({ columns })

const PLACE = 'due_at IS NULL, due_at, seq, snoozed_until, snooze_expired'
const index = (name: string, on: string, where: string): SchemaObject => ({
  kind: 'index',
  name,
  sql: `CREATE INDEX ${name} ON tasks (workspace_id, ${on})\n  WHERE status = 'open' AND ${where}`,
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
  ...expirySchema(snooze, ['due_at']),
]
