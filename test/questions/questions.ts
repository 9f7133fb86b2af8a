/**
 * The questions: how people put them, the cheapest calls that bring what is needed, how the value follows from the last result,
 * and the right value by the naive model. The oracle and the table in docs/mcp.md use this one table.
 */
import { byAssignee, counted, leader, people, type World, type WorldTask } from './world.ts'

/** What the tools return, loosely typed: a question reads only its calls' results. */
export interface Payload {
  workspace: { currencyCode: string }
  asOf: string
  localDate: string
  etag: string
  unchanged?: true
  total: number
  counts: { value: string | null; count: number }[]
  nextCursor: string | null
  tasks: Record<string, string | null>[]
  suggestions?: Record<string, string[]>
  notFound?: string[]
  gone?: string[]
}

/** In tokens, over all calls of a question. */
export const budgets = { count: 300, list: 1600, unchanged: 60 } as const

export type Args = Readonly<Record<string, unknown>>
export type Value = number | boolean | string | null | readonly string[] | Record<string, number | string | null>

export interface Question {
  /** `{etag}` stands for the etag of an earlier result: see `etagIn`. */
  ask: string
  form: 'number' | 'boolean' | 'date' | 'ids' | 'text' | 'person' | 'perPerson' | 'perDay' | 'dueDates'
  budget: keyof typeof budgets
  tool: 'list_tasks' | 'get_workspace'
  args: Args
  /** The same was asked before, and now comes with the etag of that result as this argument. */
  etagIn?: 'ifNoneMatch' | 'changedSince'
  /** The arguments of a second call, if one is not enough. */
  next?: (first: Payload) => Args
  read: (last: Payload) => Value
  right: (world: World) => Value
}

const DUE = { fields: ['dueAt'] }
/** The shortest result that has a total and today's date. */
const ONE = { limit: 1, ...DUE }

const idsIn = ({ tasks }: Payload) => tasks.map(({ id }) => String(id))
const idsOf = (tasks: readonly WorldTask[]) => tasks.map(({ id }) => id)
const groups = ({ counts }: Payload) => Object.fromEntries(counts.map(({ value, count }) => [value ?? 'nobody', count]))
const largest = ({ counts }: Payload) => counts.find(({ value }) => value !== null)?.value ?? null

/** The filters of list_tasks. Those that depend on today's date take a first call to learn it. */
type Filters = Args | ((first: Payload) => Args)
type Model = (world: World) => WorldTask[]

function calls(filters: Filters, rest: Args): Pick<Question, 'tool' | 'args' | 'next'> {
  if (typeof filters !== 'function') return { tool: 'list_tasks', args: { ...filters, ...rest } }
  return { tool: 'list_tasks', args: ONE, next: (first) => ({ ...filters(first), ...rest }) }
}

const total = (ask: string, filters: Filters, model: Model): Question => ({
  ...{ ask, form: 'number', budget: 'count', ...calls(filters, ONE), read: (page) => page.total },
  right: (world) => model(world).length,
})
const list = (ask: string, filters: Filters, model: Model): Question => ({
  ...{ ask, form: 'ids', budget: 'list', ...calls(filters, DUE), read: idsIn, right: (world) => idsOf(model(world)) },
})
const firstOf = (ask: string, filters: Filters, model: Model): Question => ({
  ...list(ask, { ...filters, limit: 1 }, (world) => model(world).slice(0, 1)),
})
const perPerson = (ask: string, filters: Filters, model: Model): Question => ({
  ...{ ask, form: 'perPerson', budget: 'count', ...calls(filters, { countBy: 'assignee' }), read: groups },
  right: (world) => counted(model(world), byAssignee, 'nobody'),
})
const fullestDay = (ask: string, filters: Filters, model: Model): Question => ({
  ...{ ask, form: 'date', budget: 'count', ...calls(filters, { countBy: 'dueDate' }), read: largest },
  right: (world) => leader(counted(model(world), world.dateOf)),
})
const perDay = (ask: string, filters: Filters, model: Model): Question => ({
  ...{ ...fullestDay(ask, filters, model), form: 'perDay', read: groups },
  right: (world) => counted(model(world), world.dateOf),
})
const fact = (ask: string, args: Args, form: Question['form'], read: Question['read'], right: Question['right']) =>
  ({ ask, form, budget: 'count', tool: 'list_tasks', args, read, right }) satisfies Question

const isOf = (person: (typeof people)[keyof typeof people]) => (task: WorldTask) =>
  task.assigneeName === person.assigneeName
const inBook = (bookKey: string) => (task: WorldTask) => task.bookKey === bookKey
const isUndated = ({ dueAt }: WorldTask) => dueAt === null

/** What an agent does in its head: days from today's date, by its weekday (0 is Sunday). */
const daysFrom =
  (start: (weekday: number) => number, length: number) =>
  ({ localDate }: Payload): Args => {
    const today = new Date(`${localDate}T00:00:00Z`)
    const date = (days: number) => new Date(today.getTime() + days * 86_400_000).toISOString().slice(0, 10)
    const from = start(today.getUTCDay())
    return { dueAfter: date(from), dueBefore: date(from + length) }
  }
const fortnight = daysFrom(() => 0, 14)
const friday = daysFrom((weekday) => (12 - weekday) % 7, 1)
const sinceFriday = (first: Payload): Args => ({
  changedSince: daysFrom((weekday) => -((weekday + 2) % 7), 1)(first).dueAfter,
  limit: 1,
})
const weekFrom = (weeks: number) => daysFrom((weekday) => 7 * weeks - ((weekday + 6) % 7), 7)
/** The suggestion that a reader recognises. */
const suggested = ({ suggestions }: Payload, filter: string, pattern: RegExp) =>
  suggestions?.[filter]?.find((value) => pattern.test(value)) ?? `none suggested for ${filter}`
const ZOE = 'ZOE.KRUGER@northwind.example'
const someIds = ['task_0001', 'task_0003', 'task_0012']
const dueDates = ({ tasks }: { tasks: readonly { id?: string | null; dueAt?: string | null }[] }) =>
  Object.fromEntries(tasks.map(({ id, dueAt }) => [id, dueAt ?? null]))
const OFFER = { query: 'tablecloths', fields: ['details'] }
const offerIn = ({ tasks }: Payload) => /PO-\d+/.exec(tasks[0]?.details ?? '')?.[0] ?? null
const assigned: Model = (w) => w.current((task) => byAssignee(task) !== null)
const isAny = ({ tasks }: Payload) => tasks.length > 0
const fromSessions: Model = (w) => w.current(({ sourceSessionId }) => sourceSessionId !== null)
const countValues = ({ counts }: Payload) => counts.filter(({ value }) => value !== null).length

/** `w` is the world that the question is about. */
export const questions: readonly Question[] = [
  total('How many tasks are open?', {}, (w) => w.current()),
  total('How many tasks are overdue?', { due: 'overdue' }, (w) => w.overdue()),
  perPerson('How many tasks are overdue, and whose?', { due: 'overdue' }, (w) => w.overdue()),
  fact('Who has the most to do?', { countBy: 'assignee' }, 'person', largest, (w) =>
    leader(counted(w.current(), byAssignee)),
  ),
  fact(
    'How many people have open tasks?',
    { countBy: 'assignee' },
    'number',
    countValues,
    (w) => Object.keys(counted(assigned(w), byAssignee)).length,
  ),
  fact('Which book has the most overdue tasks?', { due: 'overdue', countBy: 'bookKey' }, 'text', largest, (w) =>
    leader(counted(w.overdue(), ({ bookKey }) => bookKey)),
  ),
  total('How many tasks of the garden book are overdue?', { bookKey: 'garden', due: 'overdue' }, (w) =>
    w.overdue().filter(inBook('garden')),
  ),
  total('How many tasks came out of meetings?', { sourceKind: 'meeting' }, (w) =>
    w.current(({ sourceKind }) => sourceKind === 'meeting'),
  ),
  fact('Which session do most tasks come from?', { countBy: 'sourceSessionId' }, 'text', largest, (w) =>
    leader(counted(fromSessions(w), ({ sourceSessionId }) => sourceSessionId)),
  ),
  total('How many tasks belong to no book?', { workspaceWide: true }, (w) =>
    w.current(({ bookKey }) => bookKey === null),
  ),
  fullestDay('Which day next week is fullest?', weekFrom(1), (w) => w.week(1)),
  fullestDay('From now on, which of the next seven days is busiest?', { due: 'next_7_days' }, (w) => w.next7Days()),
  perDay('How many tasks are due on each day of this week?', { due: 'this_week' }, (w) => w.week(0)),
  total('How many tasks have no due date?', { due: 'none' }, (w) => w.current(isUndated)),
  perPerson('Who has something due today, and how much?', { due: 'today' }, (w) => w.on(w.today)),
  total('How many tasks mention linen?', { query: 'linen' }, (w) => w.search('linen')),
  total('How much does ΝΊΚΟΣ have to do?', { assignee: 'ΝΊΚΟΣ' }, (w) => w.current(isOf(people.nikos))),
  perPerson('Which Inês has overdue tasks, and how many?', { assignee: 'INÊS', due: 'overdue' }, (w) =>
    w.overdue().filter((task) => isOf(people.alves)(task) || isOf(people.duarte)(task)),
  ),
  total('How many tasks are due in the 14 days from today?', fortnight, (w) => w.between(w.today, w.day(14))),
  total('How many tasks are left over from last week?', weekFrom(-1), (w) => w.week(-1)),
  {
    ...total('How many tasks are in the book "home textiles"?', { bookKey: 'home textiles' }, (w) =>
      w.current(inBook('home-textiles')),
    ),
    next: (first) => ({ bookKey: suggested(first, 'bookKey', /^home.textiles$/), ...ONE }),
  },
  list('What is due today?', { due: 'today' }, (w) => w.on(w.today)),
  {
    ...list('What is still ahead of us today?', { due: 'today' }, (w) =>
      w.on(w.today).filter((task) => !w.isOverdue(task)),
    ),
    read: ({ asOf, tasks }) => tasks.filter(({ dueAt }) => String(dueAt) >= asOf).map(({ id }) => String(id)),
  },
  list('What is due tomorrow?', { due: 'tomorrow' }, (w) => w.on(w.day(1))),
  list('What is due on Friday?', friday, (w) =>
    w.on(w.monday(1) >= w.day(3) ? w.day(4, w.monday()) : w.day(4, w.monday(1))),
  ),
  firstOf('Which task has been overdue for the longest?', { due: 'overdue' }, (w) => w.overdue()),
  firstOf('Which deadline is the next?', { due: 'next_7_days' }, (w) => w.next7Days()),
  list('Is there anything about the linen supplier?', { query: 'linen supplier' }, (w) => w.search('linen supplier')),
  list('Is there anything about "linen samples"?', { query: '"linen samples"' }, (w) =>
    w.current(({ title }) => title.includes('linen samples')),
  ),
  list('What is unassigned?', { unassigned: true }, (w) => w.current((task) => byAssignee(task) === null)),
  list('Anything from the call with Alvés?', { query: 'call ALVÉS' }, (w) =>
    w.current(({ sourceTitle }) => sourceTitle === 'Call with Alvés & Filhos'),
  ),
  list('What came out of session_91?', { sourceSessionId: 'session_91' }, (w) =>
    w.current(({ sourceSessionId }) => sourceSessionId === 'session_91'),
  ),
  list('What does Søren have this week?', { assignee: 'søren', due: 'this_week' }, (w) =>
    w.week(0).filter(isOf(people.soren)),
  ),
  list('What does Soren have today?', { assignee: 'Soren', due: 'today' }, (w) =>
    w.on(w.today).filter(isOf(people.soren)),
  ),
  firstOf(`What is most urgent for ${ZOE}?`, { assigneeEmail: ZOE }, (w) => w.current(isOf(people.zoe))),
  list('Which tasks of the garden book are due today?', { bookKey: 'garden', due: 'today' }, (w) =>
    w.on(w.today).filter(inBook('garden')),
  ),
  list('Which tasks about samples have no due date?', { query: 'samples', due: 'none' }, (w) =>
    w.search('samples').filter(isUndated),
  ),
  fact('When are task_0001, task_0003 and task_0012 due?', { ids: someIds, ...DUE }, 'dueDates', dueDates, (w) =>
    dueDates({ tasks: w.current(({ id }) => someIds.includes(id)) }),
  ),
  {
    ...fact('Which offer, PO-…, do we take for the tablecloths?', OFFER, 'text', offerIn, () => 'PO-7741'),
    budget: 'list',
  },
  fact('Is task_0015 open?', { ids: ['task_0015'], ...DUE }, 'boolean', isAny, (w) =>
    idsOf(w.current()).includes('task_0015'),
  ),
  fact(
    'Which of task_0001, task_0003 and task_0015 are not open?',
    { ids: ['task_0001', 'task_0003', 'task_0015'], ...DUE },
    'ids',
    ({ notFound = [] }) => notFound,
    (w) => ['task_0001', 'task_0003', 'task_0015'].filter((id) => !idsOf(w.current()).includes(id)),
  ),
  {
    ...list('Which are the eleventh to the twentieth of the overdue tasks?', { due: 'overdue', limit: 10 }, (w) =>
      w.overdue().slice(10, 20),
    ),
    next: ({ nextCursor }) => ({ due: 'overdue', limit: 10, ...DUE, cursor: nextCursor }),
  },
  {
    ask: 'Has anything changed since this morning, when list_tasks with {"limit":1} had the etag {etag}?',
    ...{ form: 'boolean', budget: 'unchanged', tool: 'list_tasks', args: { limit: 1 }, etagIn: 'ifNoneMatch' },
    read: ({ unchanged }) => unchanged !== true,
    right: () => false,
  },
  {
    ask: 'What is new since I last asked, when list_tasks with {"limit":1} had the etag {etag}?',
    ...{ form: 'text', budget: 'count', tool: 'list_tasks', args: { limit: 1 }, etagIn: 'changedSince' },
    read: ({ total, gone = [] }) => `${total} changed, ${gone.length} gone`,
    right: () => '0 changed, 0 gone',
  },
  list('What changed since this morning?', { changedSince: 'today' }, (w) => w.changedToday()),
  {
    ...list('Which tasks are gone since Friday?', sinceFriday, () => []),
    ...{ read: ({ gone = [] }) => gone, right: (w) => w.goneSinceFriday() },
  },
  {
    ask: 'Which currency does the workspace report in?',
    ...{ form: 'text', budget: 'count', tool: 'get_workspace', args: {} },
    read: ({ workspace }) => workspace.currencyCode,
    right: ({ currency }) => currency,
  },
]
