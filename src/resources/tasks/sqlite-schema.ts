import { expirySchema, isUnhidden } from '../../database/sqlite/expiry.ts'
import { objectSql } from '../../database/sqlite/list.ts'
import type { SchemaObject } from '../../database/table.ts'
import { columns } from './columns.ts'
import { snooze, taskIndexes } from './current-tasks.ts'

export const UNSNOOZED = isUnhidden(snooze)
export const ASSIGNEE = 'lower(assignee_email)'

/** The index tasks_unsnoozed stores this word for word, so that it is not computed at every read. */
const OBJECT = objectSql({ columns })

const PLACE = 'due_at IS NULL, due_at, seq, snoozed_until, snooze_expired'

/** tasks_unsnoozed holds whole tasks, so that a list is read from neighbouring pages, however large the table is. */
const inOrder = { table: 'tasks', place: `${PLACE})`, whole: `${PLACE}, ${OBJECT})` }

export const schema: SchemaObject[] = [
  ...taskIndexes({ ...inOrder, assignee: ASSIGNEE, unsnoozed: UNSNOOZED }),
  ...expirySchema(snooze, ['due_at']),
]
