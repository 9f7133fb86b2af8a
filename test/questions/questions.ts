/**
 * The questions: how people put them, the cheapest calls that bring what is needed, how the value follows from the last result,
 * and the right value by the naive model. The oracle, the runner and the table in docs/mcp.md use this one table.
 */
import { byAssignee, counted, leader, people, type World, type WorldTask } from './world.ts'

/** What the tools return, loosely typed: a question reads only what its calls bring. */
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
}

/** How a model is asked to write each kind of value. */
export const forms = {
  number: 'a number',
  boolean: 'true or false',
  date: 'a date as "YYYY-MM-DD"',
  ids: 'an array of task ids',
  text: 'a string',
  person: 'an email address, or the name of somebody who has none',
  perPerson: 'an object from email address (or the name of somebody who has none, or "nobody") to number',
  perDay: 'an object from date ("YYYY-MM-DD") to number, without days that have none',
  dueDates: 'an object from task id to its due date as "YYYY-MM-DDThh:mm:ss.sssZ", or null',
} as const

/** In tokens, over all calls of a question. */
export const budgets = { count: 300, list: 1600, unchanged: 60 } as const

type Args = Readonly<Record<string, unknown>>
export type Call = readonly [tool: 'list_tasks' | 'get_workspace', args: Args]
export type Value = number | boolean | string | null | readonly string[] | Record<string, number | string | null>

export interface Question {
  /** `{etag}` stands for the etag in the result of `earlier`. */
  ask: string
  form: keyof typeof forms
  budget: keyof typeof budgets
  earlier?: Call
  first: (etag: string) => Call
  /** Left out where one call is enough. */
  second?: (first: Payload) => Call
  read: (last: Payload) => Value
  right: (world: World) => Value
}

/** The arguments of list_tasks; those of a second call may depend on the first one's result. */
type Steps = Args | readonly [Args, (first: Payload) => Args]

const isPair = (steps: Steps): steps is readonly [Args, (first: Payload) => Args] => Array.isArray(steps)

function question(
  ask: string,
  steps: Steps,
  [form, read, budget]: readonly [Question['form'], Question['read'], Question['budget']?],
  right: Question['right'],
): Question {
  const about = { ask, form, budget: budget ?? 'count', read, right }
  if (!isPair(steps)) return { ...about, first: () => ['list_tasks', steps] }
  const [args, next] = steps
  return { ...about, first: () => ['list_tasks', args], second: (page) => ['list_tasks', next(page)] }
}

const DUE = { fields: ['dueAt'] }
/** The shortest result that has a total and today's date. */
const ONE = { limit: 1, ...DUE }

const idsIn = ({ tasks }: Payload) => tasks.map(({ id }) => String(id))
const idsOf = (tasks: readonly WorldTask[]) => tasks.map(({ id }) => id)
const groups = ({ counts }: Payload) => Object.fromEntries(counts.map(({ value, count }) => [value ?? 'nobody', count]))
const largest = ({ counts }: Payload) => counts.find(({ value }) => value !== null)?.value ?? null
const extended = (steps: Steps, more: Args): Steps =>
  isPair(steps) ? [{ ...steps[0], ...more }, (first) => ({ ...steps[1](first), ...more })] : { ...steps, ...more }

/** How many tasks there are. */
const total = (ask: string, steps: Steps, right: (world: World) => WorldTask[]) =>
  question(ask, extended(steps, ONE), ['number', (page) => page.total], (world) => right(world).length)
/** Which tasks there are, in the service's order. */
const list = (ask: string, steps: Steps, right: (world: World) => WorldTask[]) =>
  question(ask, extended(steps, DUE), ['ids', idsIn, 'list'], (world) => idsOf(right(world)))
/** The first of many. */
const firstOf = (ask: string, args: Args, right: (world: World) => WorldTask[]) =>
  question(ask, { ...args, ...ONE }, ['ids', idsIn, 'list'], (world) => idsOf(right(world).slice(0, 1)))
const perPerson = (ask: string, args: Args, right: (world: World) => WorldTask[]) =>
  question(ask, { ...args, countBy: 'assignee' }, ['perPerson', groups], (world) =>
    counted(right(world), byAssignee, 'nobody'),
  )
const fullestDay = (ask: string, steps: Steps, right: (world: World) => WorldTask[]) =>
  question(ask, extended(steps, { countBy: 'dueDate' }), ['date', largest], (world) =>
    leader(counted(right(world), world.dateOf)),
  )

const isOf = (person: (typeof people)[keyof typeof people]) => (task: WorldTask) =>
  task.assigneeName === person.assigneeName
const inBook = (bookKey: string) => (task: WorldTask) => task.bookKey === bookKey
const isUndated = ({ dueAt }: WorldTask) => dueAt === null

/** What an agent does in its head: a window of days, counted from today, from this week's Monday, or from the next Friday. */
function window(from: (weekday: number) => number, length: number) {
  return ({ localDate }: Payload): Args => {
    const today = new Date(`${localDate}T00:00:00Z`)
    const date = (days: number) => new Date(today.getTime() + days * 86_400_000).toISOString().slice(0, 10)
    const start = from(today.getUTCDay())
    return { dueAfter: date(start), dueBefore: date(start + length) }
  }
}
const weekFrom = (weeks: number) => window((weekday) => 7 * weeks - ((weekday + 6) % 7), 7)

/** The suggestion that a reader recognises. */
const suggested = (filter: string, pattern: RegExp) => (page: Payload) => ({
  [filter]: page.suggestions?.[filter]?.find((value) => pattern.test(value)) ?? `none suggested for ${filter}`,
})
const someIds = ['task_0001', 'task_0003', 'task_0012']
const dueDates = (tasks: readonly { id?: string | null; dueAt?: string | null }[]) =>
  Object.fromEntries(tasks.map(({ id, dueAt }) => [id, dueAt ?? null]))

export const questions: readonly Question[] = [
  total('How many tasks are open?', {}, (world) => world.current()),
  total('How many tasks are overdue?', { due: 'overdue' }, (world) => world.overdue()),
  perPerson('How many tasks are overdue, and whose?', { due: 'overdue' }, (world) => world.overdue()),
  question('Who has the most to do?', { countBy: 'assignee' }, ['person', largest], (world) =>
    leader(counted(world.current(), byAssignee)),
  ),
  question(
    'How many people have open tasks?',
    { countBy: 'assignee' },
    ['number', ({ counts }) => counts.filter(({ value }) => value !== null).length],
    (world) =>
      new Set(
        world
          .current()
          .map(byAssignee)
          .filter((assignee) => assignee !== null),
      ).size,
  ),
  question(
    'Which book has the most overdue tasks?',
    { due: 'overdue', countBy: 'bookKey' },
    ['text', largest],
    (world) => leader(counted(world.overdue(), ({ bookKey }) => bookKey)),
  ),
  total('How many tasks of the garden book are overdue?', { bookKey: 'garden', due: 'overdue' }, (world) =>
    world.overdue().filter(inBook('garden')),
  ),
  question(
    'How many tasks came out of meetings?',
    { countBy: 'sourceKind' },
    ['number', (page) => groups(page).meeting ?? 0],
    (world) => world.current(({ sourceKind }) => sourceKind === 'meeting').length,
  ),
  fullestDay('Which day next week is fullest?', [ONE, weekFrom(1)], (world) => world.week(1)),
  fullestDay('Which of the next seven days is the busiest, from now on?', { due: 'next_7_days' }, (world) =>
    world.next7Days(),
  ),
  question(
    'How many tasks are due on each day of this week?',
    { due: 'this_week', countBy: 'dueDate' },
    ['perDay', groups],
    (world) => counted(world.week(0), world.dateOf),
  ),
  total('How many tasks have no due date?', { due: 'none' }, (world) => world.current(isUndated)),
  perPerson('Who has something due today, and how much?', { due: 'today' }, (world) => world.on(world.today)),
  total('How many tasks mention linen?', { query: 'linen' }, (world) => world.search('linen')),
  total('How much does ΝΊΚΟΣ have to do?', { assignee: 'ΝΊΚΟΣ' }, (world) => world.current(isOf(people.nikos))),
  perPerson('Which Inês has overdue tasks, and how many?', { assignee: 'INÊS', due: 'overdue' }, (world) =>
    world.overdue().filter((task) => isOf(people.alves)(task) || isOf(people.duarte)(task)),
  ),
  total('How many tasks are due in the 14 days from today?', [{}, window(() => 0, 14)], (world) =>
    world.between(world.today, world.day(14)),
  ),
  total('How many tasks are left over from last week?', [{}, weekFrom(-1)], (world) => world.week(-1)),
  total(
    'How many tasks are in the book "home textiles"?',
    [{ bookKey: 'home textiles' }, suggested('bookKey', /^home.textiles$/)],
    (world) => world.current(inBook('home-textiles')),
  ),
  list('What is due today?', { due: 'today' }, (world) => world.on(world.today)),
  question(
    'What is still ahead of us today?',
    { due: 'today', ...DUE },
    ['ids', ({ asOf, tasks }) => tasks.filter((task) => isAhead(task, asOf)).map(({ id }) => String(id)), 'list'],
    (world) => idsOf(world.on(world.today).filter((task) => !world.isOverdue(task))),
  ),
  list('What is due tomorrow?', { due: 'tomorrow' }, (world) => world.on(world.day(1))),
  list('What is due on Friday?', [ONE, window((weekday) => (12 - weekday) % 7, 1)], (world) =>
    world.on(world.day(-3, world.monday(world.today > world.day(4, world.monday()) ? 2 : 1))),
  ),
  firstOf('Which task has been overdue for the longest?', { due: 'overdue' }, (world) => world.overdue()),
  firstOf('Which deadline is the next?', { due: 'next_7_days' }, (world) => world.next7Days()),
  list('Is there anything about the linen supplier?', { query: 'linen supplier' }, (world) =>
    world.search('linen supplier'),
  ),
  list('What has nobody taken?', { unassigned: true }, (world) => world.current((task) => byAssignee(task) === null)),
  list('Anything from the call with Alvés?', { query: 'call ALVÉS' }, (world) =>
    world.current(({ sourceTitle }) => sourceTitle === 'Call with Alvés & Filhos'),
  ),
  list('What came out of session_91?', { sourceSessionId: 'session_91' }, (world) =>
    world.current(({ sourceSessionId }) => sourceSessionId === 'session_91'),
  ),
  list('What does Søren have this week?', { assignee: 'søren', due: 'this_week' }, (world) =>
    world.week(0).filter(isOf(people.soren)),
  ),
  list(
    'What does Soren have today?',
    [{ assignee: 'Soren', due: 'today' }, (first) => ({ ...suggested('assignee', /s[øo]ren/i)(first), due: 'today' })],
    (world) => world.on(world.today).filter(isOf(people.soren)),
  ),
  firstOf(
    'What is most urgent for ZOE.KRUGER@northwind.example?',
    { assigneeEmail: 'ZOE.KRUGER@northwind.example' },
    (world) => world.current(isOf(people.zoe)),
  ),
  list('Which tasks of the garden book are due today?', { bookKey: 'garden', due: 'today' }, (world) =>
    world.on(world.today).filter(inBook('garden')),
  ),
  list('Which tasks about samples have no due date?', { query: 'samples', due: 'none' }, (world) =>
    world.search('samples').filter(isUndated),
  ),
  question(
    'When are task_0001, task_0003 and task_0012 due?',
    { ids: someIds, ...DUE },
    ['dueDates', ({ tasks }) => dueDates(tasks), 'list'],
    (world) => dueDates(world.current(({ id }) => someIds.includes(id))),
  ),
  question(
    'Which offer do we take for the tablecloths? Its number starts with PO.',
    { query: 'tablecloths', fields: ['details'] },
    ['text', ({ tasks }) => /PO-\d+/.exec(tasks[0]?.details ?? '')?.[0] ?? null, 'list'],
    (world) => /PO-\d+/.exec(world.search('tablecloths')[0]?.details ?? '')?.[0] ?? null,
  ),
  question(
    'Is task_0015 open?',
    { ids: ['task_0015'], ...DUE },
    ['boolean', ({ tasks }) => tasks.length > 0],
    (world) => world.current().some(({ id }) => id === 'task_0015'),
  ),
  list(
    'Which overdue tasks come after the first ten, up to the twentieth?',
    [{ due: 'overdue', limit: 10 }, ({ nextCursor }) => ({ due: 'overdue', limit: 10, cursor: nextCursor })],
    (world) => world.overdue().slice(10, 20),
  ),
  {
    ask: 'Has anything changed since this morning, when list_tasks with {"limit":1} had the etag {etag}?',
    ...{ form: 'boolean', budget: 'unchanged', earlier: ['list_tasks', { limit: 1 }] },
    first: (ifNoneMatch) => ['list_tasks', { limit: 1, ifNoneMatch }],
    read: ({ unchanged }) => unchanged !== true,
    right: () => false,
  },
  {
    ask: 'Which currency does the workspace report in?',
    ...{ form: 'text', budget: 'count', first: () => ['get_workspace', {}] },
    read: ({ workspace }) => workspace.currencyCode,
    right: ({ currency }) => currency,
  },
]

function isAhead({ dueAt }: Record<string, string | null>, asOf: string): boolean {
  return Date.parse(String(dueAt)) >= Date.parse(asOf)
}
