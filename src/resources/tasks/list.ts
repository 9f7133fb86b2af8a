import { createList } from '../../lists/definition.ts'
import { before, containedIn, equalTo, notBefore, withoutValue } from '../../lists/filters.ts'
import { columns } from './columns.ts'

export const MAX_TASKS = 100

/** Open tasks that are not snoozed into the future, earliest due first. */
export const currentTasks = createList(
  { name: 'tasks', singular: 'task', columns },
  {
    current: { status: ['open'], snoozedUntil: 'past' },
    hiding: 'snoozed',
    order: ['dueAt'],
    due: 'dueAt',
    limit: MAX_TASKS,
    label: 'title',
    search: ['title', 'details', 'bookKey', 'assigneeName', 'sourceTitle', 'sourceSummary'],
    filters: (field) => {
      const [due, name, address] = [field('dueAt'), field('assigneeName'), field('assigneeEmail')]
      const book = field('bookKey')
      return {
        dueAfter: notBefore(due),
        dueBefore: before(due),
        undated: withoutValue(due),
        assignee: (value) => (String(value).includes('@') ? equalTo(address) : containedIn(name))(value),
        assigneeEmail: equalTo(address),
        unassigned: withoutValue(name, address),
        bookKey: equalTo(book),
        workspaceWide: withoutValue(book),
        sourceSessionId: equalTo(field('sourceSessionId')),
        sourceKind: equalTo(field('sourceKind')),
      }
    },
    limitedBy: ['bookKey', 'assigneeEmail', 'sourceSessionId'],
    countBy: {
      assignee: ['assigneeEmail', 'assigneeName'],
      bookKey: ['bookKey'],
      sourceKind: ['sourceKind'],
      sourceSessionId: ['sourceSessionId'],
      dueDate: ['dueAt'],
    },
    groupLabels: {
      assignee: { property: 'name', field: 'assigneeName' },
      sourceSessionId: { property: 'title', field: 'sourceTitle' },
    },
    suggests: {
      bookKey: ['bookKey'],
      assignee: ['assigneeName', 'assigneeEmail'],
      assigneeEmail: ['assigneeEmail'],
      sourceSessionId: ['sourceSessionId'],
      sourceKind: ['sourceKind'],
    },
  },
)
