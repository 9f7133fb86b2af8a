import { expirySchema, isUnhidden } from '../../database/postgres/expiry.ts'
import type { SchemaObject } from '../../database/table.ts'
import { snooze, taskIndexes } from './current-tasks.ts'

export const UNSNOOZED = isUnhidden(snooze)
export const ASSIGNEE = 'lower(assignee_email COLLATE "C")'

const place = 'due_at, seq) INCLUDE (snoozed_until, snooze_expired)'

export const schema: SchemaObject[] = [
  ...taskIndexes({ table: 'vitrine.tasks', place, whole: place, assignee: ASSIGNEE, unsnoozed: UNSNOOZED }),
  ...expirySchema(snooze, ['due_at', 'seq']),
]
