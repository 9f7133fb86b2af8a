import { searchedFields } from '../../database/questions.ts'
import type { Table } from '../../database/table.ts'
import { arrayOf, object, optional, reference, string } from '../../lib/schema.ts'
import { defineResource, publishedFields } from '../define.ts'
import { listShape } from '../list.ts'
import { columns } from './columns.ts'
import { currentTasks, DUE_ORDER, MAX_TASKS, taskQuestions } from './current-tasks.ts'
import * as postgres from './postgres.ts'
import * as postgresSchema from './postgres-schema.ts'
import * as sqlite from './sqlite.ts'
import * as sqliteSchema from './sqlite-schema.ts'

const Task = object(publishedFields(columns), {
  description: 'A current task: open, and not snoozed into the future.',
})

export const table: Table = {
  name: 'tasks',
  singular: 'task',
  version: 4,
  columns,
  listing: { order: DUE_ORDER, limit: MAX_TASKS, label: 'title', current: currentTasks },
  search: { fields: searchedFields(taskQuestions), only: ['status', 'open'] },
  sqlite: sqliteSchema.schema,
  postgres: postgresSchema.schema,
}

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
      'List the current tasks, earliest due first, undated last. Use it to find what is due, overdue, or assigned to ' +
      'somebody. Left out: completed, cancelled and snoozed tasks; undated ones when narrowed by due date. Times are UTC. ' +
      'Example: {"assigneeEmail":"ann@acme.example","limit":20}.',
    filters: {
      bookKey: optional(string({ description: 'Only tasks of the buying remit with this key.' })),
      assigneeEmail: optional(string({ description: 'Only tasks of this assignee, in any case.' })),
      dueBefore: optional(
        string({
          format: 'date-time',
          description: 'Only tasks due before this instant, such as 2026-11-20T09:00:00Z.',
        }),
      ),
      dueAfter: optional(string({ format: 'date-time', description: 'Only tasks due at this instant or later.' })),
    },
    ignoresCase: ['assigneeEmail'],
  },
  whenUnavailable: { tasks: [] },
  table,
  list: listShape(table),
  pages: {
    sqlite: sqlite.readCurrentTasks,
    postgres: postgres.readCurrentTasks,
    shape: taskQuestions,
    counts: { sqlite: sqlite.countTasks, postgres: postgres.countTasks },
    suggestions: { sqlite: sqlite.suggestTasks, postgres: postgres.suggestTasks },
  },
})
