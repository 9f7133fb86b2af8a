import { choice, column, creation, type RowOf } from '../../lists/column.ts'
import { fieldsOf } from '../../lists/definition.ts'

/** The limits bound a hundred tasks to 13.2 MB of JSON. Only rows from before there were limits may be longer. */
export const columns = {
  id: column('text', { maxLength: 200, description: 'Stable task identifier.' }),
  title: column('text', { maxLength: 500, description: 'Short description of the work.' }),
  details: column('text', {
    maxLength: 10_000,
    nullable: true,
    description: 'Additional task context when available.',
  }),
  dueAt: column('instant', { nullable: true, description: 'Due time; null when the task has no due date.' }),
  bookKey: column('text', {
    maxLength: 200,
    nullable: true,
    description: 'Buying-remit key; null for a workspace-wide task.',
  }),
  assigneeName: column('text', {
    maxLength: 200,
    nullable: true,
    description: 'Display name of the assignee, when assigned.',
  }),
  assigneeEmail: column('email', { nullable: true, description: 'Email address of the assignee, when assigned.' }),
  sourceSessionId: column('text', {
    maxLength: 200,
    nullable: true,
    description: 'Identifier of the work unit that produced the task, when applicable.',
  }),
  sourceTitle: column('text', {
    maxLength: 500,
    nullable: true,
    description: 'Title of the source work unit, when applicable.',
  }),
  sourceSummary: column('text', {
    maxLength: 10_000,
    nullable: true,
    description: 'Summary of the source work unit, when available.',
  }),
  sourceKind: column('text', {
    maxLength: 100,
    nullable: true,
    description: 'Extensible kind of the source work unit, when applicable. The set of values is open.',
  }),
  status: choice(['open', 'completed', 'cancelled'], { published: false, description: 'Only open tasks are listed.' }),
  snoozedUntil: column('instant', {
    nullable: true,
    published: false,
    description: 'When the snooze ends; null without one.',
  }),
  createdAt: creation({ description: 'When the task was created.' }),
}

export type TaskRow = RowOf<typeof columns>

export const emptyTask = Object.fromEntries(
  fieldsOf(columns).map(({ name, default: value = null }) => [name, value]),
) as TaskRow
