import { toInstant } from '../../lib/instant.ts'
import { arrayOf, integer, nullableString, object, optional, reference, string } from '../../lib/schema.ts'
import { defineResource } from '../define.ts'

const MAX_TASKS = 100

export const Task = object(
  {
    id: string({ description: 'Stable task identifier.' }),
    title: string({ description: 'Short description of the work.' }),
    details: nullableString({ description: 'Additional task context when available.' }),
    dueAt: nullableString({ format: 'date-time', description: 'Due time; null when the task has no due date.' }),
    bookKey: nullableString({ description: 'Buying-remit key; null for a workspace-wide task.' }),
    assigneeName: nullableString({ description: 'Display name of the assignee, when assigned.' }),
    assigneeEmail: nullableString({ format: 'email', description: 'Email address of the assignee, when assigned.' }),
    sourceSessionId: nullableString({
      description: 'Identifier of the work unit that produced the task, when applicable.',
    }),
    sourceTitle: nullableString({ description: 'Title of the source work unit, when applicable.' }),
    sourceSummary: nullableString({ description: 'Summary of the source work unit, when available.' }),
    sourceKind: nullableString({
      description: 'Extensible kind of the source work unit, when applicable. The set of values is open.',
    }),
  },
  { description: 'A current task: open, and not snoozed into the future.' },
)

const fields = Object.keys(Task.properties)

/**
 * The longest that each text of a task may be, in characters (code points), for the importer and both databases (their
 * migrations named limits). They bound an answer of MAX_TASKS to 13.2 MB, however its texts are escaped. They are not in
 * the published schema: rows from before the limits may be longer.
 */
export const taskLimits = {
  id: 200,
  title: 500,
  details: 10_000,
  bookKey: 200,
  assigneeName: 200,
  assigneeEmail: 320,
  sourceSessionId: 200,
  sourceTitle: 500,
  sourceSummary: 10_000,
  sourceKind: 100,
} as const satisfies Partial<Record<keyof typeof Task.properties, number>>

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
  example: {
    tasks: [
      {
        id: 'task_0192',
        title: 'Confirm the spring linen order with Alvés & Filhos',
        details: 'They hold the price until Friday.',
        dueAt: '2026-11-16T17:00:00.000Z',
        bookKey: 'home-textiles',
        assigneeName: 'Priya Raman',
        assigneeEmail: 'priya@northwind.example',
        sourceSessionId: 'session_88',
        sourceTitle: 'Supplier call, Alvés & Filhos',
        sourceSummary: 'Price agreed, quantity open.',
        sourceKind: 'meeting',
      },
    ],
  },
  tool: {
    name: 'list_tasks',
    title: 'List tasks',
    description:
      `List the current tasks of the workspace, at most ${MAX_TASKS}: open ones that are not snoozed into the future, ` +
      'earliest due first, those without a due date last. Times are UTC; read them in the timezone that get_workspace ' +
      'gives. All arguments are optional and narrow the list. Returns JSON.',
    arguments: object(
      {
        limit: optional(
          integer({
            minimum: 1,
            maximum: MAX_TASKS,
            description: `How many tasks at most; ${MAX_TASKS} if left out.`,
          }),
        ),
        bookKey: optional(string({ description: 'Only tasks of the buying remit with this key.' })),
        assigneeEmail: optional(
          string({ description: 'Only tasks assigned to this email address, in upper or lower case.' }),
        ),
        dueBefore: optional(
          string({
            format: 'date-time',
            description: 'Only tasks due before this instant, in RFC 3339, such as 2026-11-15T09:00:00Z.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
  },
  whenUnavailable: { tasks: [] },
  async read(store, { workspaceId, now }, { limit = MAX_TASKS, bookKey, assigneeEmail, dueBefore }) {
    const before = dueBefore === undefined ? undefined : toInstant(dueBefore)
    const { json, until } = await store.currentTasks({
      workspaceId,
      now,
      fields,
      before: '{"tasks":[',
      after: ']}',
      limit,
      ...(bookKey !== undefined && { bookKey }),
      ...(assigneeEmail !== undefined && { assigneeEmail }),
      ...(before !== undefined && { dueBefore: before }),
    })
    return { body: json, until }
  },
})
