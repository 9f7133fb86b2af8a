// On both engines: texts are compared by the database.
/**
 * Any query of tasks returns what a naive reading of all of them would. Its pages, put together, are the list: each
 * task once, whatever is done to the others meanwhile.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { foldedWords } from '../../src/lib/fold-case.ts'
import type { Filters, Place } from '../../src/lists/query.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { runs } from '../support/database.ts'
import { at, NOON } from '../support/service.ts'
import { type Item, readPages, startList } from '../support/written-lists.ts'
import { groupsOf, listedTasks } from './list-model.ts'

const PIECES = [
  'Alvés & Filhos',
  'ALVE\u0301S',
  'İstanbul',
  'istanbul',
  'abİ',
  'ABI',
  'ΣΊΣΥΦΟΣ',
  'σίσυφος και ΟΔΟΣ',
  'Жук и жУК',
  'Strafe STRASSE straße',
  '100% a_b',
  'O\'Neil "quoted" back\\slash',
  '🎉party🎉 👩‍👩‍👧',
  '\u212Aelvin Å \u212B',
  '한국어 \u1112\u1161\u11ab국',
  '東京都庁',
  'ﬁnal ſun',
]
const text = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' '))
const due = fc.integer({ min: -2, max: 2 }).map(at)
const person = fc.constantFrom('Ana@x.example', 'ANA@x.example', 'bo@x.example')
const book = fc.constantFrom('linen', 'Wool', 'wool%')
const name = fc.constantFrom('Ána Ø', 'ÁNA ø', 'Bo Li', 'Łukasz')
const task = fc.record({
  title: text,
  details: fc.option(text),
  dueAt: fc.option(due),
  bookKey: fc.option(book),
  assigneeName: fc.option(name),
  assigneeEmail: fc.option(person),
  sourceSessionId: fc.option(fc.constantFrom('s1', 's2')),
  sourceTitle: fc.option(text),
  sourceSummary: fc.option(text),
  sourceKind: fc.option(fc.constantFrom<string>('meeting', 'mail')),
  status: fc.constantFrom('open', 'open', 'open', 'open', 'completed'),
  snoozedUntil: fc.option(fc.integer({ min: -3, max: 3 }).map(at), { freq: 2 }),
})
type Task = typeof task extends fc.Arbitrary<infer T> ? T : never
type Stored = Task & { id: string }

/** Parts of what is written, in any case. */
const word = fc
  .tuple(fc.constantFrom(...PIECES), fc.nat(), fc.integer({ min: 1, max: 8 }), fc.boolean())
  .map(([piece, from, length, isUpper]) => {
    const letters = [...piece]
    const start = from % letters.length
    const part =
      letters
        .slice(start, start + length)
        .join('')
        .trim()
        .split(' ')[0] || 'a'
    return foldedWords(isUpper ? part.toUpperCase() : part) || 'a'
  })
const strange = fc.constantFrom('100 a b', 'o neil quoted', 'filler', 'fil', 'no')
const filters = fc
  .record(
    {
      query: fc.array(fc.oneof({ weight: 5, arbitrary: word }, strange), { minLength: 1, maxLength: 3 }),
      assignee: fc.constantFrom('ana', 'o', 'li', 'bo li', 'luk', 'ana@x.example', 'bo@x.example'),
      assigneeEmail: person,
      unassigned: fc.constant(true as const),
      bookKey: fc.constantFrom('linen', 'wool%', 'w'),
      workspaceWide: fc.constant(true as const),
      sourceSessionId: fc.constantFrom('s1', 's'),
      sourceKind: fc.constantFrom('mail', 'Mail'),
      dueAfter: due,
      dueBefore: due,
      undated: fc.constant(true as const),
      ids: fc.array(
        fc.nat(20).map((n) => `t${n}`),
        { minLength: 1, maxLength: 9 },
      ),
    },
    { requiredKeys: [] },
  )
  .map((asked) => {
    // Most are left out, so that something is left.
    const names = Object.keys(asked).slice(0, 2)
    return Object.fromEntries(Object.entries(asked).filter(([one]) => names.includes(one))) as Filters
  })

/** The tasks in the database, in the order of their creation. */
class StoredTasks {
  readonly all = new Map<string, Stored>()
  readonly #list: Awaited<ReturnType<typeof startList>>
  #created = 0

  constructor(list: Awaited<ReturnType<typeof startList>>) {
    this.#list = list
  }

  async reset(tasks: readonly Task[]): Promise<void> {
    await this.#list.remove([...this.all.keys()])
    this.all.clear()
    this.#created = 0
    await this.insert(tasks)
  }

  async insert(tasks: readonly Task[]): Promise<void> {
    const rows = tasks.map((one) => ({ id: `t${++this.#created}`, ...one }))
    await this.#list.put(rows)
    for (const row of rows) this.all.set(row.id, row)
  }
}

/** More than one statement reads. None shares a word with the others. */
const OTHERS = 250
async function addOthers(list: Awaited<ReturnType<typeof startList>>): Promise<Stored[]> {
  const filler: Omit<Stored, 'id'> = {
    ...{ title: 'filler', details: null, dueAt: at(60 * 24 * 365), bookKey: null, assigneeName: null },
    ...{ assigneeEmail: null, sourceSessionId: null, sourceTitle: null, sourceSummary: null, sourceKind: 'filler' },
    ...{ snoozedUntil: null, status: 'open' },
  }
  const others = Array.from({ length: OTHERS }, (_, i) => ({ id: `f${i + 1}`, ...filler }))
  await list.put(others)
  return others
}

const ids = (items: readonly (Item | Stored)[]) => items.map(({ id }) => String(id))

test('any query finds what a naive reading finds, counted and page by page', async (t) => {
  const list = await startList(t, currentTasks)
  const { reader, workspaceId } = list
  const others = await addOthers(list)
  const stored = new StoredTasks(list)
  const scope = { workspaceId, now: NOON, only: null }
  await fc.assert(
    fc.asyncProperty(
      fc.array(task, { maxLength: 20 }),
      fc.array(
        fc.tuple(
          filters,
          fc.integer({ min: 1, max: 100 }),
          fc.constantFrom('assignee', 'bookKey', 'sourceKind', 'sourceSessionId', 'dueDate'),
        ),
        { minLength: 1, maxLength: 6 },
      ),
      async (all, queries) => {
        await stored.reset(all)
        for (const [asked, limit, by] of queries) {
          const expected = listedTasks([...others, ...stored.all.values()], asked, NOON)
          const shown: string[] = []
          let after: Place | undefined
          do {
            const request = { filters: asked, limit, withTotal: true, ...(after !== undefined && { after }) }
            const page = await reader.page(scope, request)
            assert.deepEqual(page.total, { count: expected.length, isMinimum: false })
            shown.push(...ids(JSON.parse(`[${page.rows}]`) as Item[]))
            assert.ok(page.next === undefined || shown.length < expected.length)
            after = page.next
          } while (after !== undefined && shown.length < 300)
          assert.deepEqual(shown, ids(expected).slice(0, after === undefined ? undefined : shown.length))
          const {
            moment: _,
            hints: __,
            ...counts
          } = await reader.counts(scope, {
            filters: asked,
            by,
            dateOf: (at) => at.slice(0, 10),
          })
          assert.deepEqual({ ...counts, until: 0 }, { ...countsOf(expected, by), until: 0 })
        }
      },
    ),
    { numRuns: runs(150) },
  )
})

function countsOf(list: Stored[], by: string) {
  const groupOf = (one: Stored) =>
    by === 'assignee'
      ? (one.assigneeEmail?.toLowerCase() ?? one.assigneeName)
      : by === 'dueDate'
        ? (one.dueAt?.slice(0, 10) ?? null)
        : one[by as 'bookKey' | 'sourceKind' | 'sourceSessionId']
  const isOverdue = ({ dueAt }: Stored) => dueAt !== null && Date.parse(dueAt) < NOON
  const labels = { assignee: ['name', 'assigneeName'], sourceSessionId: ['title', 'sourceTitle'] } as const
  const groups = groupsOf(list, groupOf).map(([value, of]) => {
    const [property, field] = labels[by as keyof typeof labels] ?? []
    const label = field && of.map((one) => one[field]).find((text) => text !== null)
    return {
      value,
      count: of.length,
      overdue: of.filter(isOverdue).length,
      ...(property && value !== null && label && label !== value && { [property]: label }),
    }
  })
  const overdue = list.filter(isOverdue).length
  return {
    total: { count: list.length, isMinimum: false },
    overdue,
    groups: groups.slice(0, 50),
    more: Math.max(0, groups.length - 50),
  }
}

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

test('whatever happens to other tasks between pages, a task that did not change is shown once', async (t) => {
  const list = await startList(t, currentTasks)
  const { reader, workspaceId } = list
  const stored = new StoredTasks(list)
  await fc.assert(
    fc.asyncProperty(
      fc.array(task, { minLength: 5, maxLength: 30 }),
      narrow,
      limits,
      fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 8 }),
      async (all, asked, sizes, changes) => {
        await stored.reset(all)
        let now = NOON
        const touched = new Set<string>()
        const first = listedTasks([...stored.all.values()], asked, now)
        const apply = async (one: Change) => {
          if (one.kind === 'clock') now += one.minutes * 60_000
          else if (one.kind === 'insert') await stored.insert([one.task])
          else {
            const target = [...stored.all.values()][one.of % Math.max(stored.all.size, 1)]
            if (target === undefined) return
            touched.add(target.id)
            if (one.kind === 'move') await list.put([{ ...target, dueAt: one.to }])
            else if (one.kind === 'complete') await list.put([{ ...target, status: 'completed' }])
            else await list.remove([target.id])
            if (one.kind === 'delete') stored.all.delete(target.id)
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
