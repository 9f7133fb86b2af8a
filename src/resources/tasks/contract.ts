import { arrayOf, boolean, object, reference, string } from '../../lib/schema.ts'
import { defineResource, rowFields } from '../define.ts'
import { DAYS } from '../list-arguments.ts'
import { columns } from './columns.ts'
import example from './example.json' with { type: 'json' }
import { currentTasks, MAX_TASKS } from './list.ts'

const Task = object(rowFields(columns, { withLengths: true }), {
  description: 'A current task: open, and not snoozed into the future.',
})

export const tasks = defineResource({
  name: 'tasks',
  path: '/tasks',
  permission: 'tasks:read',
  summary: 'List current tasks',
  description:
    `Returns the workspace's current tasks, at most ${MAX_TASKS}: those that are open and not snoozed into the ` +
    'future. Tasks with a due date come first, earliest first; tasks without one follow; ties keep creation order.',
  body: object({ tasks: arrayOf(reference('Task'), { maxItems: MAX_TASKS }) }),
  schemas: { Task },
  example,
  tool: {
    name: 'list_tasks',
    title: 'List tasks',
    description:
      'Find or count current tasks (open, not snoozed), earliest due first, undated last. Use it for what is due, overdue, ' +
      'assigned to someone or about something; filters combine. For "how many", use countBy, or limit 1 and read total. ' +
      "It cannot show completed, cancelled or snoozed tasks, or who changed what. Times are UTC, days the workspace's. " +
      'Example: {"due":"today","assignee":"ann"}.',
    filters: {
      due: string({
        enum: DAYS,
        description: 'overdue: before now. this_week: Monday to Sunday. next_7_days: from now. none: undated.',
      }),
      dueAfter: string({
        format: 'date-time',
        description: 'Due at or after this instant or local date: 2026-11-20T09:00:00Z or 2026-11-20.',
      }),
      dueBefore: string({ format: 'date-time', description: 'Due before this; same forms.' }),
      assignee: string({ description: 'Part of a name, or a whole email address.' }),
      assigneeEmail: string({ description: 'Exact email address.' }),
      unassigned: boolean({ description: 'true: tasks without an assignee.' }),
      bookKey: string({ description: 'Exact key of a buying remit.' }),
      sourceSessionId: string({ description: 'Exact id of the source session.' }),
      ids: arrayOf(string(), { maxItems: MAX_TASKS, description: 'Task ids.' }),
    },
    matching: { assignee: 'person', assigneeEmail: 'address' },
    days: { argument: 'due', from: 'dueAfter', to: 'dueBefore', none: 'undated' },
    ranges: [['dueAfter', 'dueBefore']],
    flags: ['unassigned'],
    excludes: { due: ['dueAfter', 'dueBefore'], unassigned: ['assignee', 'assigneeEmail'] },
  },
  list: currentTasks,
})
