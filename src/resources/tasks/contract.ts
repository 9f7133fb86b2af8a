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
      'someone\'s or about something; filters combine. For "how many", use countBy, or limit 1 and read total. ' +
      "It cannot show completed, cancelled or snoozed tasks, or who changed what. Times are UTC; localDate and days are the workspace's. " +
      'Example: {"due":"today","assignee":"ann"}.',
    filters: {
      due: string({
        enum: DAYS,
        description:
          'overdue: before now. this_week: Monday to Sunday, past days too. next_7_days: from now. none: undated.',
      }),
      dueAfter: string({
        format: 'date-time',
        description: 'Due at or after: 2026-11-20T09:00:00Z, or a local date, 2026-11-20.',
      }),
      dueBefore: string({ format: 'date-time', description: 'Due before this; same forms.' }),
      assignee: string({ description: 'Part of any name, or one whole email address.' }),
      assigneeEmail: string({ description: 'Exact email address.' }),
      unassigned: boolean({ description: 'true: only unassigned tasks.' }),
      bookKey: string({ description: 'Exact key of a buying remit.' }),
      workspaceWide: boolean({ description: 'true: tasks without a bookKey.' }),
      sourceSessionId: string({ description: 'Exact session id.' }),
      sourceKind: string({ description: 'Exact kind of source.' }),
      ids: arrayOf(string(), { maxItems: MAX_TASKS, description: 'Task ids; notFound lists unknown ones.' }),
    },
    matching: { assignee: 'person', assigneeEmail: 'address' },
    days: { argument: 'due', from: 'dueAfter', to: 'dueBefore', none: 'undated' },
    ranges: [['dueAfter', 'dueBefore']],
    flags: ['unassigned', 'workspaceWide'],
    excludes: { due: ['dueAfter', 'dueBefore'], unassigned: ['assignee', 'assigneeEmail'], workspaceWide: ['bookKey'] },
  },
  list: currentTasks,
})
