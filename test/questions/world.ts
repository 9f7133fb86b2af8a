/**
 * The frozen workspace that the questions are about, and a naive model of it. The model goes over plain objects and compares
 * local dates as text, so that it shares neither SQL nor date arithmetic with the service.
 */
import assert from 'node:assert/strict'
import { emptyTask, type TaskRow } from '../../src/resources/tasks/columns.ts'
import { randomFrom } from '../support/random.ts'

/** Where and when the questions are asked: an ordinary Wednesday in three timezones, and the days when clocks change. */
export const scenarios = {
  'New York': { zone: 'America/New_York', date: '2026-11-18' },
  Lisbon: { zone: 'Europe/Lisbon', date: '2026-11-18' },
  Kathmandu: { zone: 'Asia/Kathmandu', date: '2026-11-18' },
  'New York, a day of 25 hours': { zone: 'America/New_York', date: '2026-11-01' },
  'New York, a day of 23 hours': { zone: 'America/New_York', date: '2027-03-14' },
  'Auckland, a day of 25 hours': { zone: 'Pacific/Auckland', date: '2027-04-04' },
  'Auckland, a day of 23 hours': { zone: 'Pacific/Auckland', date: '2026-09-27' },
} as const

export type ScenarioName = keyof typeof scenarios

export type WorldTask = TaskRow & { id: string; title: string }

const person = (assigneeName: string, assigneeEmail: string | null) => ({ assigneeName, assigneeEmail })

/** Two have the same first name, and two have no address. */
export const people = {
  alves: person('Inês Alves', 'ines.alves@northwind.example'),
  duarte: person('Inês Duarte', 'ines.duarte@northwind.example'),
  soren: person('Søren Østergaard', 'soren@northwind.example'),
  zoe: person('Zoë Krüger', 'zoe.kruger@northwind.example'),
  lukasz: person('Łukasz Żak', 'lukasz@northwind.example'),
  nikos: person('Νίκος Παππάς', null),
  seyma: person('Şeyma Çelik', null),
} as const

/** The groups that occur several times get more tasks than the others, so that no two lead together. */
const team = ['alves', 'alves', 'alves', 'duarte', 'soren', 'zoe', 'lukasz', 'lukasz', 'nikos', 'seyma'] as const
const books = ['home-textiles', 'home-textiles', 'home-textiles', 'kitchen', 'garden', 'bedding', null]
const kinds = ['meeting', 'meeting', 'meeting', 'email', 'form', null]
const titles = ['Confirm the towel prices', 'Chase delivery week 49', 'Review the colour card', 'Plan the spring range']

const NOW = '10:30'
const DAY_MS = 86_400_000

export class World {
  readonly now: number
  readonly today: string
  readonly zone: string
  readonly currency = 'EUR'
  readonly tasks: readonly WorldTask[]
  /** Formats as "2026-11-18 10:30:00". */
  readonly #clock: Intl.DateTimeFormat

  constructor({ zone, date }: { zone: string; date: string }) {
    this.zone = zone
    this.#clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
    this.today = date
    this.now = Date.parse(this.at(date, NOW))
    this.tasks = createTasks(this)
  }

  /** The date so many days after today, or after another date. */
  day(days: number, from = this.today): string {
    return new Date(Date.parse(from) + days * DAY_MS).toISOString().slice(0, 10)
  }

  /** The Monday of this week, or of one so many weeks later. */
  monday(weeks = 0): string {
    return this.day(7 * weeks - ((new Date(this.today).getUTCDay() + 6) % 7))
  }

  /** The instant at which the workspace's clocks show this. The second guess matters where clocks have changed in between. */
  at(date: string, time: string): string {
    const asUtc = Date.parse(`${date}T${time}Z`)
    let instant = asUtc
    for (let guess = 0; guess < 2; guess++)
      instant += asUtc - Date.parse(`${this.#clock.format(instant).replace(' ', 'T')}Z`)
    return new Date(instant).toISOString()
  }

  dateOf = ({ dueAt }: WorldTask): string | null => dueAt && this.#clock.format(Date.parse(dueAt)).slice(0, 10)

  /** What the service may show: earliest due first, undated last, then in the order of creation. */
  current(matches: (task: WorldTask) => boolean = () => true): WorldTask[] {
    const isAwake = ({ snoozedUntil }: WorldTask) => snoozedUntil === null || Date.parse(snoozedUntil) <= this.now
    return this.tasks
      .filter((task) => task.status === 'open' && isAwake(task) && matches(task))
      .sort((a, b) => Date.parse(a.dueAt ?? '9999-12-31') - Date.parse(b.dueAt ?? '9999-12-31'))
  }

  /** How the tasks came to be what they are: all of them a week ago, two completed on Friday, two renamed this morning. */
  get writes(): { at: string; tasks: WorldTask[] }[] {
    const those = (ids: readonly string[]) => this.tasks.filter(({ id }) => ids.includes(id))
    const former = this.tasks.map((task) => ({
      ...task,
      ...(COMPLETED.includes(task.id) && { status: 'open' as const }),
      ...(RENAMED.includes(task.id) && { title: 'To be named' }),
    }))
    return [
      { at: this.at(this.day(-7), '09:00'), tasks: former },
      { at: this.at(this.lastFriday, '14:00'), tasks: those(COMPLETED) },
      { at: this.at(this.today, '08:00'), tasks: those(RENAMED) },
    ]
  }

  get lastFriday(): string {
    return this.day(-((new Date(this.today).getUTCDay() + 2) % 7))
  }

  /** Renamed, or awake again. */
  changedToday = () =>
    this.current(
      ({ id, snoozedUntil }) =>
        RENAMED.includes(id) || (snoozedUntil !== null && snoozedUntil >= this.at(this.today, '00:00')),
    )
  goneSinceFriday = () => COMPLETED

  isOverdue = ({ dueAt }: WorldTask) => dueAt !== null && Date.parse(dueAt) < this.now
  overdue = () => this.current(this.isOverdue)
  on = (date: string) => this.between(date, this.day(1, date))
  /** Of this week, Monday to Sunday, or of one so many weeks later. */
  week = (weeks: number) => this.between(this.monday(weeks), this.monday(weeks + 1))
  next7Days = () => this.between(this.today, this.day(7)).filter((task) => !this.isOverdue(task))

  /** Due on the days from `from` until the day before `to`. */
  between(from: string, to: string): WorldTask[] {
    return this.current((task) => (this.dateOf(task) ?? '') >= from && (this.dateOf(task) ?? to) < to)
  }

  /** Every word occurs somewhere in the texts of a task, whether in upper or lower case. */
  search(words: string): WorldTask[] {
    const texts = ({ title, details, bookKey, assigneeName, sourceTitle, sourceSummary }: WorldTask) =>
      [title, details, bookKey, assigneeName, sourceTitle, sourceSummary].map((text) => text?.toLowerCase() ?? '')
    const terms = words.toLowerCase().split(' ')
    return this.current((task) => terms.every((word) => texts(task).some((text) => text.includes(word))))
  }
}

/** Formerly open, and formerly with another title: task_0015 and so on. */
const COMPLETED = [15, 16].map(idOf)
const RENAMED = [5, 11].map(idOf)

/** A model of `countBy`; tasks without a value are under "nobody" or "none", as the questions say. */
export function counted<T>(items: readonly T[], groupOf: (item: T) => string | null, without = 'none') {
  const counts: Record<string, number> = {}
  for (const item of items) counts[groupOf(item) ?? without] = (counts[groupOf(item) ?? without] ?? 0) + 1
  return counts
}

/** The leading value, which must be unique: otherwise a question would have two right answers. */
export function leader(counts: Record<string, number>): string {
  const [[first = '', most = 0] = [], [, second = 0] = []] = Object.entries(counts).sort(([, a], [, b]) => b - a)
  assert.ok(most > second, `no single leader: ${JSON.stringify(counts)}`)
  return first
}

export const byAssignee = ({ assigneeEmail, assigneeName }: WorldTask): string | null => assigneeEmail ?? assigneeName

function idOf(number: number): string {
  return `task_${String(number).padStart(4, '0')}`
}

const LONG = 'The buyer asked for three offers, and the terms differ in deposit, lead time and pallet size. '

function createTasks(world: World): WorldTask[] {
  const random = randomFrom(24)
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const tasks: WorldTask[] = []
  const add = (task: Partial<WorldTask>) => {
    const kind = pick(kinds)
    tasks.push({
      ...emptyTask,
      id: idOf(tasks.length + 1),
      title: pick(titles),
      details: random() < 0.2 ? LONG.repeat(12).trim() : null,
      bookKey: pick(books),
      ...people[pick(team)],
      ...(kind && { sourceSessionId: `session_${pick([12, 24, 36])}`, sourceTitle: 'Weekly round', sourceKind: kind }),
      ...task,
    })
  }
  const due = (days: number, time: string) => ({ dueAt: world.at(world.day(days), time) })
  const nobody = { assigneeName: null, assigneeEmail: null }

  for (const task of namedTasks(world, due)) add(task)
  // More than a page, so that the first hundred tasks never reach today.
  for (let i = 0; i < 140; i++) add(due(-1 - (i % 40), pick(['00:00', '09:00', '17:45', '23:59:59'])))
  for (const time of ['00:00', '10:29:59', NOW, '12:00', '18:00', '23:59:59']) add(due(0, time))
  for (const time of ['00:00', '00:30', '13:00', '23:30', '23:59:59']) add(due(1, time))
  for (let days = 2; days < 25; days++)
    for (let i = 0; i < 1 + (days % 3); i++) add(due(days, pick(['08:00', '23:30'])))
  const thursday = { dueAt: world.at(world.day(3, world.monday(1)), '16:00') }
  for (let i = 0; i < 8; i++) add(thursday)
  for (let i = 0; i < 40; i++) add({})
  for (let i = 0; i < 4; i++) add({ ...nobody, ...(i < 2 ? due(i - 5, '09:00') : {}) })
  // None of these may be shown or counted, although they look like the others.
  const snoozedUntil = world.at(world.day(2), '09:00')
  const disguises = [{ status: 'completed' }, { status: 'cancelled' }, { snoozedUntil }]
  for (const [i, { id: _, ...task }] of [...tasks].entries())
    if (i % 3 === 0) add({ ...task, ...(disguises[(i / 3) % 3] as Partial<WorldTask>) })
  for (const task of tasks.slice(20, 24)) task.snoozedUntil = world.at(world.day(-1), '09:00')
  // The moment at which a snooze ends is awake.
  for (const task of tasks.slice(24, 26)) task.snoozedUntil = new Date(world.now).toISOString()
  // The order of creation is not the order of due dates.
  return tasks.sort((a, b) => Number(a.id.slice(-2)) - Number(b.id.slice(-2)))
}

/** The tasks that questions ask for by name. The first ones are task_0001, task_0002 and so on. */
function namedTasks(world: World, due: (days: number, time: string) => { dueAt: string }): Partial<WorldTask>[] {
  const call = { sourceSessionId: 'session_88', sourceTitle: 'Call with Alvés & Filhos', sourceKind: 'call' }
  const agreed = 'Price agreed, quantity open. Delivery in week 49 if the deposit is paid.'
  return [
    { title: 'Renew the contract of the Linen supplier', ...due(-3, '09:00'), ...people.alves },
    { title: 'Ask for LINEN prices', details: 'The Supplier holds them until Friday.', ...due(3, '12:00') },
    { title: 'Order tablecloths', details: `${LONG.repeat(16)}Take the linen supplier in Guimarães: offer PO-7741.` },
    { title: 'Visit the weavers', sourceTitle: 'Supplier review', sourceSummary: 'Linen first.' },
    { title: 'Wash the linen samples', ...due(9, '12:00') },
    { title: 'Pay the deposit', ...call, sourceSummary: agreed, ...due(0, '15:00'), ...people.soren },
    { title: 'Book the container', ...call, sourceSummary: agreed, ...due(2, '09:00'), ...people.duarte },
    { title: 'Send the label files', ...call, ...due(-2, '18:00'), ...people.zoe, bookKey: 'bedding' },
    { title: 'Thank Mr Alvés', sourceTitle: 'Fair in Porto', sourceSessionId: 'session_91', sourceKind: 'fair' },
    { title: 'Return the fabric samples', ...people.lukasz },
    { title: 'Photograph the samples', assigneeName: null, assigneeEmail: null },
    { title: 'Pay the invoice of the Porto fair', ...due(6, '23:59:59'), ...people.zoe, bookKey: null },
    { title: 'Prune the show garden', ...due(0, '17:00'), ...people.seyma, bookKey: 'garden' },
    { title: 'Sign the lease of the warehouse', ...due(-90, '09:00'), ...people.nikos, bookKey: null },
    { title: 'Cancel the old lease', status: 'completed', ...due(-5, '09:00'), ...people.nikos },
    { title: 'Thank the linen supplier', status: 'completed', ...call, ...people.alves },
    { title: 'Ask the linen supplier for a discount', ...call, snoozedUntil: world.at(world.day(1), '09:00') },
  ]
}
