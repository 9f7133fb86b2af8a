// On both engines: revisions order concurrent writers.
/**
 * A copy that only asks what changed since it asked last is always the list: no change is missing and none is told twice, whatever was
 * written, appeared or moved with the time, before its pages or between them, for whatever filters and limits of keys.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isoOf } from '../../src/lib/instant.ts'
import type { Filters, Gone, Moment } from '../../src/lists/query.ts'
import type { ListReader } from '../../src/lists/reader.ts'
import { readerOf } from '../../src/lists/stored/rows.ts'
import { StagedItems } from '../../src/lists/stored/staged-items.ts'
import { emptyTask, type TaskRow } from '../../src/resources/tasks/columns.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { runs } from '../support/database.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { at, NOON } from '../support/service.ts'
import { rowsOf, startLists } from '../support/written-lists.ts'
import { listedTasks } from './list-model.ts'

const MINUTE = 60_000

const minute = fc.integer({ min: -3, max: 12 }).map(at)
const task = fc.record({
  title: fc.constantFrom('Linen', 'Wool', 'Linen and wool'),
  details: fc.constantFrom(null, 'More'),
  dueAt: fc.option(minute),
  bookKey: fc.constantFrom(null, 'linen', 'wool'),
  assigneeEmail: fc.constantFrom(null, 'ann@x.example', 'Ann@x.example'),
  status: fc.constantFrom('open', 'open', 'open', 'completed'),
  snoozedUntil: fc.option(minute, { freq: 2 }),
})
type Stored = TaskRow & { id: string }
const ofPrefix = (prefix: string, max: number): fc.Arbitrary<Stored[]> =>
  fc
    .uniqueArray(fc.tuple(fc.integer({ min: 1, max }), task), { maxLength: 4, selector: ([n]) => n })
    .map((some) => some.map(([n, one]) => ({ ...emptyTask, ...one, id: `${prefix}${n}`, createdAt: at(0) })))

const write = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), rows: ofPrefix('t', 8) }),
  fc.record({ kind: fc.constant('sync' as const), rows: ofPrefix('s', 4) }),
  fc.record({
    kind: fc.constant('remove' as const),
    ids: fc.subarray(['t1', 't2', 't3', 't4', 't5'], { maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant('wait' as const), minutes: fc.integer({ min: 0, max: 4 }) }),
)
type Write = typeof write extends fc.Arbitrary<infer T> ? T : never

/** What each copy asks for; two depend on the time. */
const questions: { only?: object; filters(now: number): Filters }[] = [
  { filters: () => ({}) },
  { filters: () => ({ bookKey: 'linen' }) },
  { filters: () => ({ query: ['linen', 'more'] }) },
  { filters: () => ({ assigneeEmail: 'ann@x.example', dueAfter: at(0), dueBefore: at(8) }) },
  { filters: (now) => ({ dueBefore: isoOf(now) }) },
  { filters: (now) => ({ dueAfter: isoOf(threeMinutes(now)), dueBefore: isoOf(threeMinutes(now) + 3 * MINUTE) }) },
  { filters: () => ({ dueBefore: at(6) }), only: { tasks: { bookKey: ['wool'] } } },
]
const threeMinutes = (now: number) => now - (now % (3 * MINUTE))

const poll = fc.record({
  kind: fc.constant('poll' as const),
  copy: fc.nat(questions.length - 1),
  limit: fc.integer({ min: 1, max: 4 }),
  between: fc.array(write, { maxLength: 2 }),
})

type Poll = typeof poll extends fc.Arbitrary<infer T> ? T : never

/** What is stored, and the number of the last write that changed each row. */
class World {
  now = NOON
  writes = 0
  readonly rows = new Map<string, Stored & { written: number; source: string | null }>()
  readonly created = new Map<string, number>()

  put(rows: readonly Stored[], source: string | null): void {
    for (const row of rows) {
      const before = this.rows.get(row.id)
      const after = { ...row, source, written: before?.written ?? 0 }
      if (before !== undefined && JSON.stringify(before) === JSON.stringify(after)) continue
      this.rows.set(row.id, { ...after, written: this.writes })
      if (before === undefined) this.created.set(row.id, this.writes)
      if (row.bookKey === 'wool') this.ofWool.add(row.id)
    }
  }

  /** Ids that the limited copy may know. */
  readonly ofWool = new Set<string>()

  remove(ids: readonly string[]): void {
    for (const id of ids) this.rows.delete(id)
  }

  listed({ filters, only }: (typeof questions)[number], now = this.now) {
    const rows = [...this.rows.values()].filter(({ bookKey }) => only === undefined || bookKey === 'wool')
    return listedTasks(rows, filters(now), this.now)
  }
}

class Copy {
  readonly #question: (typeof questions)[number]
  readonly #reader: ListReader
  readonly #workspaceId: string
  readonly #tasks = new Map<string, unknown>()
  #since: Moment | undefined
  #written = 0
  #at = 0

  constructor(question: (typeof questions)[number], reader: ListReader, workspaceId: string) {
    this.#question = question
    this.#reader = reader
    this.#workspaceId = workspaceId
  }

  /** Reads all pages, with `between` after the first. Without it, the copy is the list afterwards. */
  async poll(world: World, limit: number, between: () => Promise<void>): Promise<void> {
    const { filters, only = null } = this.#question
    const since = this.#since
    const scope = () => ({ workspaceId: this.#workspaceId, now: world.now, only: only && JSON.stringify(only) })
    const then = world.now
    const expected = this.#expected(world)
    const written = world.writes
    const request = { filters: filters(then), limit, withTotal: true }
    const changes = since && { since, formerFilters: filters(since.ms) }
    let page = await this.#reader.page(scope(), { ...request, ...(changes && { changes }) })
    const { moment, gone, total } = page
    const told = page.rows.map((row) => JSON.parse(row) as Stored)
    await between()
    while (page.next !== undefined) {
      const later = changes && { changes: { ...changes, until: moment } }
      page = await this.#reader.page(scope(), { ...request, ...later, after: page.next })
      told.push(...page.rows.map((row) => JSON.parse(row) as Stored))
      // Traces have no words, and do not tell that a row was created.
      const traced = ({ ids = [] }: Partial<Gone> = {}) =>
        ids.filter((id) => (world.created.get(id) ?? 0) <= written).toSorted()
      if (!('query' in request.filters)) assert.deepEqual(traced(page.gone), traced(gone))
    }
    const isQuiet = world.writes === written && world.now === then
    const ids = told.map(({ id }) => id)
    if (isQuiet) assert.deepEqual(ids, expected)
    // What changed between the pages is told next time.
    else if (since !== undefined)
      assert.deepEqual(
        ids,
        expected.filter((id) => ids.includes(id)),
      )
    if (since !== undefined) assert.equal(total?.count, expected.length)
    const lost = gone?.ids ?? []
    assert.equal(new Set(lost).size, lost.length)
    if (only !== null)
      for (const id of lost) assert.ok(world.ofWool.has(id), `${id} is told to a key that never saw it`)
    for (const id of lost) this.#tasks.delete(id)
    for (const one of told) this.#tasks.set(one.id, one)
    this.#since = moment
    this.#written = written
    this.#at = then
    if (isQuiet) this.#assertSame(world)
  }

  /** Ids of the tasks that are new or changed, in order. */
  #expected(world: World): string[] {
    const before = new Set(world.listed(this.#question, this.#at).map(({ id }) => id))
    return world
      .listed(this.#question)
      .filter(({ id, written, snoozedUntil }) => {
        const wakes = snoozedUntil !== null && Date.parse(snoozedUntil) > this.#at
        return this.#since === undefined || written > this.#written || wakes || !before.has(id)
      })
      .map(({ id }) => id)
  }

  #assertSame(world: World): void {
    const published = currentTasks.fields.filter(({ isPublished }) => isPublished).map(({ name }) => name)
    const expected = world
      .listed(this.#question)
      .map((row) => Object.fromEntries(published.map((name) => [name, row[name as keyof TaskRow]])))
    const byId = (tasks: unknown[]) => (tasks as Stored[]).sort((a, b) => (a.id < b.id ? -1 : 1))
    assert.deepEqual(byId([...this.#tasks.values()]), byId(expected))
  }
}

test('a copy that only asks what changed is always the list, and is told nothing twice', async (t) => {
  const { operator, store, workspaceId } = await startLists(t, await migratedDatabaseUrl(t))
  const list = rowsOf(operator, currentTasks, workspaceId)
  const reader = readerOf(store, currentTasks)
  const sync = async (rows: readonly Stored[]) => {
    using staged = new StagedItems(currentTasks, at(0))
    staged.add(rows)
    await operator.transaction(async (tx) => (await staged.begin(tx, { workspaceId, source: 's' })).write())
  }
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(write, poll), { minLength: 10, maxLength: 40, size: 'max' }), async (steps) => {
      const world = new World()
      await sync([])
      await list.remove(Array.from({ length: 8 }, (_, i) => `t${i + 1}`))
      const copies = questions.map((question) => new Copy(question, reader, workspaceId))
      const perform = async (step: Write) => {
        world.writes++
        if (step.kind === 'wait') world.now += step.minutes * MINUTE
        else if (step.kind === 'remove') {
          await list.remove(step.ids)
          world.remove(step.ids)
        } else if (step.kind === 'put') {
          await list.put(step.rows)
          world.put(step.rows, null)
        } else {
          await sync(step.rows)
          const ids = step.rows.map(({ id }) => id)
          world.remove(
            [...world.rows.values()].filter((row) => row.source !== null && !ids.includes(row.id)).map(({ id }) => id),
          )
          world.put(step.rows, 's')
        }
      }
      for (const step of steps) {
        if (step.kind !== 'poll') await perform(step)
        else
          await copies[step.copy]?.poll(world, step.limit, async () => {
            for (const one of step.between) await perform(one)
          })
      }
      for (const copy of copies) {
        await copy.poll(world, 100, async () => {})
        await copy.poll(world, 100, async () => {})
      }
    }),
    { numRuns: runs(120), examples: [[APPEARED_BETWEEN_PAGES], [REMOVED_ASLEEP]] },
  )
})

/** A row that a later page of a result had, and that was gone before the next question. */
const APPEARED_BETWEEN_PAGES: (Write | Poll)[] = [
  { kind: 'sync', rows: [1, 2].map((n) => ({ ...emptyTask, id: `s${n}`, title: 'Linen', createdAt: at(0) })) },
  { kind: 'put', rows: [{ ...emptyTask, id: 't1', title: 'Late', createdAt: at(0), snoozedUntil: at(1) }] },
  { kind: 'poll', copy: 0, limit: 1, between: [{ kind: 'wait', minutes: 1 }] },
  { kind: 'remove', ids: ['t1'] },
]

/** A row that was removed while it was snoozed, until between the pages. */
const REMOVED_ASLEEP: (Write | Poll)[] = [
  { kind: 'put', rows: [{ ...emptyTask, id: 't1', title: 'Late', createdAt: at(0), snoozedUntil: at(1) }] },
  { kind: 'poll', copy: 0, limit: 1, between: [] },
  { kind: 'remove', ids: ['t1'] },
  { kind: 'put', rows: [2, 3].map((n) => ({ ...emptyTask, id: `t${n}`, title: 'Linen', createdAt: at(0) })) },
  { kind: 'poll', copy: 0, limit: 1, between: [{ kind: 'wait', minutes: 1 }] },
]
