// On both engines: texts are compared by the database.
/** The pages of a list, put together, are the list: each task once, whatever is done to the others meanwhile. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { runs } from '../support/database.ts'
import { at, NOON } from '../support/service.ts'
import { readPages, startList } from '../support/written-lists.ts'
import { listedTasks } from './list-model.ts'

const due = fc.integer({ min: -2, max: 2 }).map(at)
const person = fc.constantFrom('Ana@x.example', 'ANA@x.example', 'bo@x.example')
const book = fc.constantFrom('linen', 'Wool', 'wool%')
const task = fc.record({
  title: fc.constantFrom('Alvés & Filhos', '東京都庁', '🎉party🎉'),
  dueAt: fc.option(due),
  bookKey: fc.option(book),
  assigneeEmail: fc.option(person),
  status: fc.constantFrom('open', 'open', 'open', 'open', 'completed'),
  snoozedUntil: fc.option(fc.integer({ min: -3, max: 3 }).map(at), { freq: 2 }),
})
type Task = typeof task extends fc.Arbitrary<infer T> ? T : never
type Stored = Task & { id: string }

const narrow = fc.record(
  { bookKey: book, assigneeEmail: person, dueBefore: due, dueAfter: due },
  { requiredKeys: [] },
) as fc.Arbitrary<Record<string, string>>
const limits = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 6 })

const change = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), task }),
  fc.record({ kind: fc.constantFrom('delete' as const, 'complete' as const), of: fc.nat() }),
  fc.record({ kind: fc.constant('move' as const), of: fc.nat(), to: fc.option(due) }),
  fc.record({ kind: fc.constant('clock' as const), minutes: fc.integer({ min: 0, max: 2 }) }),
)
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

const ids = (items: readonly { id?: unknown }[]) => items.map(({ id }) => String(id))

test('whatever happens to other tasks between pages, a task that did not change is shown once', async (t) => {
  const list = await startList(t, currentTasks)
  const { reader, workspaceId } = list
  const stored = new Map<string, Stored>()
  let created = 0
  const insert = async (tasks: readonly Task[]) => {
    const rows = tasks.map((one) => ({ id: `t${++created}`, ...one }))
    await list.put(rows)
    for (const row of rows) stored.set(row.id, row)
  }
  await fc.assert(
    fc.asyncProperty(
      fc.array(task, { minLength: 5, maxLength: 30 }),
      narrow,
      limits,
      fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 8 }),
      async (all, asked, sizes, changes) => {
        await list.remove([...stored.keys()])
        stored.clear()
        await insert(all)
        let now = NOON
        const touched = new Set<string>()
        const first = listedTasks([...stored.values()], asked, now)
        const apply = async (one: Change) => {
          if (one.kind === 'clock') now += one.minutes * 60_000
          else if (one.kind === 'insert') await insert([one.task])
          else {
            const target = [...stored.values()][one.of % Math.max(stored.size, 1)]
            if (target === undefined) return
            touched.add(target.id)
            if (one.kind === 'move') await list.put([{ ...target, dueAt: one.to }])
            else if (one.kind === 'complete') await list.put([{ ...target, status: 'completed' }])
            else await list.remove([target.id])
            if (one.kind === 'delete') stored.delete(target.id)
          }
        }
        const pages = await readPages(
          reader,
          () => ({ workspaceId, now, only: null }),
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
