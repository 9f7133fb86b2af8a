/** Any query of tasks returns what a naive reading of all of them would. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import type { Filters, Position } from '../../src/database/lists/reader.ts'
import { foldCase } from '../../src/lib/fold-case.ts'
import { tasks } from '../../src/resources/tasks/contract.ts'
import { insertion, numbers, runs } from '../support/database.ts'
import { groupsOf, listedTasks } from '../support/list-model.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { type Item, listOf, startLists } from '../support/pages.ts'
import { at, NOON } from '../support/service.ts'

/** More tasks than are walked without an index. None shares a word with the others. */
const OTHERS = 1100

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
const name = fc.constantFrom('Ána Ø', 'ÁNA ø', 'Bo Li', 'Łukasz')
const task = fc.record({
  title: text,
  details: fc.option(text),
  dueAt: fc.option(due),
  bookKey: fc.option(fc.constantFrom('linen', 'Wool', 'wool%')),
  assigneeName: fc.option(name),
  assigneeEmail: fc.option(person),
  sourceSessionId: fc.option(fc.constantFrom('s1', 's2')),
  sourceTitle: fc.option(text),
  sourceSummary: fc.option(text),
  sourceKind: fc.option(fc.constantFrom('meeting', 'mail')),
  status: fc.constantFrom('open', 'open', 'open', 'open', 'completed'),
  snoozedUntil: fc.option(fc.integer({ min: -2, max: 2 }).map(at), { freq: 2 }),
  isMarked: fc.boolean(),
})
type Task = typeof task extends fc.Arbitrary<infer T> ? T : never
type Stored = Omit<Task, 'isMarked' | 'sourceKind'> & { id: string; seq: number; sourceKind: string | null }

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
    return foldCase(isUpper ? part.toUpperCase() : part)
  })
const strange = fc.constantFrom('%', '_', "'", '"', '\\', '\0', 'nul\0', '*', 'filler', 'fil', 'no')
const filters = fc
  .record(
    {
      query: fc.array(fc.oneof({ weight: 5, arbitrary: word }, strange), { minLength: 1, maxLength: 3 }),
      assignee: fc.constantFrom('ána', 'ø', 'li', 'łuk', 'ana@x.example', 'bo@x.example'),
      assigneeEmail: person,
      unassigned: fc.constant(true as const),
      bookKey: fc.constantFrom('linen', 'wool%', 'w'),
      sourceSessionId: fc.constantFrom('s1', 's'),
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

async function startTasks(t: TestContext) {
  const { store, workspaceId, elsewhere } = await startLists(t, await migratedDatabaseUrl(t))
  const far = at(60 * 24 * 365)
  await elsewhere.run(`INSERT INTO tasks (seq, workspace_id, id, title, due_at, source_kind)
    SELECT 100000 + n, '${workspaceId}', 'f' || n, 'filler', '${far}', 'filler' FROM ${numbers(1, OTHERS)}`)
  await elsewhere.analyze('tasks')
  const nulls = { details: null, bookKey: null, assigneeName: null, assigneeEmail: null, sourceSessionId: null }
  const others = Array.from({ length: OTHERS }, (_, i): Stored => {
    const rest = { ...nulls, sourceTitle: null, sourceSummary: null, sourceKind: 'filler', snoozedUntil: null }
    return { ...rest, id: `f${i + 1}`, seq: 100_001 + i, title: 'filler', dueAt: far, status: 'open' }
  })
  let stored: Stored[] = []
  return {
    store,
    elsewhere,
    workspaceId,
    all: () => [...stored, ...others],
    async reset(all: Task[]) {
      stored = all.map(({ isMarked: _, ...one }, i) => ({ ...one, id: `t${i}`, seq: i + 1 }))
      const rows = stored.map((one) => ({ workspaceId, ...one }))
      const marks = all.map(({ isMarked }, i) => `UPDATE tasks SET snooze_expired = ${isMarked} WHERE id = 't${i}'`)
      await elsewhere.run(`DELETE FROM tasks WHERE seq <= 1000; ${insertion('tasks', rows)} ${marks.join(';\n')}`)
    },
  }
}

const ids = (items: readonly (Item | Stored)[]) => items.map(({ id }) => String(id))

test('any query finds what a naive reading finds, counted and page by page', async (t) => {
  const started = await startTasks(t)
  const { store, workspaceId } = started
  const scope = { workspaceId, now: NOON }
  await fc.assert(
    fc.asyncProperty(
      fc.array(task, { maxLength: 20 }),
      fc.array(
        fc.tuple(
          filters,
          fc.integer({ min: 1, max: 100 }),
          fc.constantFrom('assignee', 'bookKey', 'sourceKind', 'dueDate'),
        ),
        {
          minLength: 1,
          maxLength: 6,
        },
      ),
      async (all, queries) => {
        await started.reset(all)
        for (const [asked, limit, by] of queries) {
          const list = listedTasks(started.all(), asked, NOON)
          const shown: string[] = []
          let after: Position | undefined
          do {
            const request = {
              filters: asked,
              limit,
              withTotal: true,
              ...(after !== undefined && { after }),
            }
            const page = await store.reader(listOf(tasks)).page(scope, request)
            assert.deepEqual(page.total, { count: list.length, isMinimum: false })
            shown.push(...ids(JSON.parse(`[${page.rows}]`) as Item[]))
            assert.ok(page.next === undefined || shown.length < list.length)
            after = page.next
          } while (after !== undefined && shown.length < 300)
          assert.deepEqual(shown, ids(list).slice(0, after === undefined ? undefined : shown.length))
          const counts = await store.reader(listOf(tasks)).counts(scope, {
            filters: asked,
            by,
            dateOf: (at) => at.slice(0, 10),
          })
          assert.deepEqual({ ...counts, until: 0 }, { ...countsOf(list, by), until: 0 })
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
        : one[by as 'bookKey' | 'sourceKind']
  const isOverdue = ({ dueAt }: Stored) => dueAt !== null && Date.parse(dueAt) < NOON
  const groups = groupsOf(list, groupOf).map(([value, of]) => {
    return { value, count: of.length, overdue: of.filter(isOverdue).length }
  })
  const overdue = list.filter(isOverdue).length
  return {
    total: { count: list.length, isMinimum: false },
    overdue,
    groups: groups.slice(0, 50),
    more: Math.max(0, groups.length - 50),
  }
}
