/** The pages of the tasks, put together, are the list: each task once, whatever is done to the others meanwhile. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { toInstant } from '../../src/lib/instant.ts'
import { tasks } from '../../src/resources/tasks/contract.ts'
import { engineUnderTest, insertion, literal, runs } from '../support/database.ts'
import { listedTasks } from '../support/list-model.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { type Item, readPages, startLists } from '../support/pages.ts'
import { at, NOON } from '../support/service.ts'

const MINUTE_MS = 60_000
/** Other programs' rows on PostgreSQL may have microseconds; on SQLite none but the one form is stored. */
const finer = (instant: string) =>
  engineUnderTest() === 'sqlite' ? instant : instant.replace('Z', instant.includes(':01') ? '001Z' : '999Z')

const due = fc.oneof(
  fc.integer({ min: -2, max: 2 }).map(at),
  fc.integer({ min: -1, max: 1 }).map((minutes) => finer(at(minutes))),
)
const person = fc.constantFrom('Ana@x.example', 'ANA@x.example', 'bo@x.example')
const book = fc.constantFrom('linen', 'wool')
const task = fc.record({
  dueAt: fc.option(due),
  bookKey: fc.option(book),
  assigneeEmail: fc.option(person),
  status: fc.constantFrom('open', 'open', 'open', 'open', 'completed'),
  snoozedUntil: fc.option(fc.integer({ min: -3, max: 3 }).map(at), { freq: 2 }),
  isMarked: fc.boolean(),
})
type Task = typeof task extends fc.Arbitrary<infer T> ? T : never

const bound = due.map((instant) => toInstant(instant) ?? assert.fail(instant))
const filters = fc.record(
  { bookKey: book, assigneeEmail: person, dueBefore: bound, dueAfter: bound },
  { requiredKeys: [] },
) as fc.Arbitrary<Record<string, string>>
const fields = fc.option(fc.subarray(['dueAt', 'bookKey', 'details', 'sourceKind']), { nil: undefined })
const limits = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 6 })

const change = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), task }),
  fc.record({ kind: fc.constantFrom('delete' as const, 'complete' as const), of: fc.nat() }),
  fc.record({ kind: fc.constant('move' as const), of: fc.nat(), to: fc.option(due) }),
  fc.record({ kind: fc.constant('clock' as const), minutes: fc.integer({ min: 0, max: 2 }) }),
)
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

type Stored = Task & { id: string }

async function startTasks(t: TestContext) {
  const { store, workspaceId, elsewhere } = await startLists(t, await migratedDatabaseUrl(t))
  const stored = new Map<string, Stored>()
  let created = 0
  return {
    store,
    stored,
    workspaceId,
    elsewhere,
    async reset(all: Task[]) {
      await elsewhere.run('DELETE FROM tasks')
      stored.clear()
      for (const one of all) await this.insert(one)
    },
    async insert(one: Task) {
      const id = `t${++created}`
      const { isMarked, ...row } = one
      const inserted = insertion('tasks', [{ seq: created, workspaceId, id, title: 'Task', ...row }])
      await elsewhere.run(`${inserted} UPDATE tasks SET snooze_expired = ${isMarked} WHERE id = '${id}'`)
      stored.set(id, { ...one, id })
      return id
    },
  }
}

const ids = (items: readonly Item[] | readonly Stored[]) => items.map(({ id }) => String(id))

test('the pages of any list of tasks are the list', async (t) => {
  const started = await startTasks(t)
  const { store, stored, workspaceId } = started
  await fc.assert(
    fc.asyncProperty(
      fc.array(task, { maxLength: 30 }),
      fc.array(fc.record({ filters, fields, limits }), { minLength: 1, maxLength: 6 }),
      async (all, readings) => {
        await started.reset(all)
        for (const reading of readings) {
          const { fields: asked, ...others } = reading
          const request = asked === undefined ? others : { ...others, fields: ['id', 'title', ...asked] }
          const pages = await readPages(tasks, store, () => ({ workspaceId, now: NOON }), request)
          const list = listedTasks([...stored.values()], reading.filters, NOON)
          assert.deepEqual(ids(pages.flat()), ids(list))
          const members = ['id', 'title', 'details', 'dueAt', 'bookKey', 'sourceKind'].filter(
            (name) => asked === undefined || name === 'id' || name === 'title' || asked.includes(name),
          )
          for (const [i, item] of pages.flat().entries()) {
            const { dueAt = null, bookKey = null } = list[i] ?? {}
            const seen = {
              id: list[i]?.id,
              title: 'Task',
              details: null,
              dueAt: dueAt === null ? null : toInstant(dueAt),
              bookKey,
              sourceKind: null,
            }
            for (const name of members) assert.equal(item[name], seen[name as keyof typeof seen], name)
            if (asked !== undefined) assert.deepEqual(Object.keys(item), members)
          }
        }
      },
    ),
    { numRuns: runs(60) },
  )
})

test('whatever happens to other tasks between pages, a task that did not change is shown once', async (t) => {
  const started = await startTasks(t)
  const { store, stored, workspaceId, elsewhere } = started
  await fc.assert(
    fc.asyncProperty(
      fc.array(task, { minLength: 5, maxLength: 30 }),
      filters,
      limits,
      fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 8 }),
      async (all, asked, sizes, changes) => {
        await started.reset(all)
        let now = NOON
        const touched = new Set<string>()
        const first = listedTasks([...stored.values()], asked, now)
        const apply = async (one: Change) => {
          if (one.kind === 'clock') now += one.minutes * MINUTE_MS
          else if (one.kind === 'insert') touched.add(await started.insert(one.task))
          else {
            const target = [...stored.values()][one.of % Math.max(stored.size, 1)]
            if (target === undefined) return
            touched.add(target.id)
            if (one.kind === 'move')
              await elsewhere.run(`UPDATE tasks SET due_at = ${literal(one.to)} WHERE id = '${target.id}'`)
            else if (one.kind === 'complete')
              await elsewhere.run(`UPDATE tasks SET status = 'completed' WHERE id = '${target.id}'`)
            else await elsewhere.run(`DELETE FROM tasks WHERE id = '${target.id}'`)
            if (one.kind === 'delete') stored.delete(target.id)
          }
        }
        const pages = await readPages(
          tasks,
          store,
          () => ({ workspaceId, now }),
          { filters: asked, limits: sizes },
          async (page) => {
            for (const one of changes[page - 1] ?? []) await apply(one)
          },
        )
        const wasCurrent = new Set(ids(first))
        const unchanged = (id: string) => wasCurrent.has(id) && !touched.has(id)
        assert.deepEqual(ids(pages.flat()).filter(unchanged), ids(first).filter(unchanged))
      },
    ),
    { numRuns: runs(100) },
  )
})
