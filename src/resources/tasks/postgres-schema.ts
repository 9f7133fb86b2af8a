import { expirySchema, isUnhidden } from '../../database/postgres/expiry.ts'
import type { SchemaObject } from '../../database/table.ts'
import { snooze } from './current-tasks.ts'

export const UNSNOOZED = isUnhidden(snooze)
export const UNASSIGNED = 'assignee_name IS NULL AND assignee_email IS NULL'
export const ASSIGNEE = 'lower(assignee_email COLLATE "C")'

const PLACE = 'due_at, seq) INCLUDE (snoozed_until, snooze_expired)'
const index = (name: string, on: string, where: string): SchemaObject => ({
  kind: 'index',
  name,
  sql: `CREATE INDEX ${name} ON vitrine.tasks (workspace_id, ${on}\n  WHERE status = 'open' AND ${where}`,
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
  index('tasks_of_session', `source_session_id, ${PLACE}`, `${UNSNOOZED} AND source_session_id IS NOT NULL`),
  index('tasks_unassigned', PLACE, `${UNSNOOZED} AND ${UNASSIGNED}`),
  ...expirySchema(snooze, ['due_at', 'seq']),
]
