/** The pages of a plain list, put together, are the list, whatever columns order it and narrow it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { column, creation } from '../../src/lists/column.ts'
import { createList } from '../../src/lists/definition.ts'
import { runs } from '../support/database.ts'
import { listed } from '../support/list-model.ts'
import { readPages } from '../support/pages.ts'
import { startList } from '../support/written-lists.ts'

const AT = '2026-11-15T12:00:00.000Z'

const columns = {
  id: column('text', { maxLength: 100, description: 'Identifier.' }),
  hall: column('text', { maxLength: 100, nullable: true, description: 'Hall.' }),
  shelf: column('integer', { nullable: true, description: 'Shelf.' }),
  placedAt: column('instant', { nullable: true, description: 'When it was put there.' }),
  name: column('text', { maxLength: 100, description: 'Name.' }),
  addedAt: creation({ published: false, description: 'When it was added.' }),
}
const exhibits = createList(
  { name: 'exhibits', singular: 'exhibit', columns },
  {
    order: ['hall', 'shelf', 'placedAt', 'name'],
    filters: ['hall', 'shelf', 'name'],
    limit: 50,
    label: 'name',
    countBy: {},
  },
)

/** Mostly one of two values, or null: only rows that are the same in the first columns have a page's end in the others. */
const mostly = <T>(few: fc.Arbitrary<T>, all: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 6, arbitrary: few }, { weight: 1, arbitrary: all })
const hall = mostly(fc.constantFrom('a', 'é'), fc.constantFrom('', 'A', 'z', '😀', '￼'))
const shelf = mostly(fc.constantFrom(0, -1), fc.constantFrom(2, 10, Number.MAX_SAFE_INTEGER))
const name = fc.constantFrom('a', 'b', 'B')
const exhibit = fc.record({
  hall: fc.option(hall, { freq: 2 }),
  shelf: fc.option(shelf, { freq: 2 }),
  placedAt: fc.option(fc.constantFrom(AT, '0001-01-01T00:00:00.000Z'), { freq: 2 }),
  name,
})
type Exhibit = typeof exhibit extends fc.Arbitrary<infer T> ? T : never
const filters = fc.oneof(fc.constant({}), fc.record({ hall, shelf, name }, { requiredKeys: [] })) as fc.Arbitrary<
  Record<string, string | number>
>
const fields = fc.option(fc.subarray(['hall', 'shelf', 'placedAt']), { nil: undefined })
const limits = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 })

test('the pages of any list are the list, and changes to other rows move none', async (t) => {
  const list = await startList(t, exhibits)
  const { reader, workspaceId } = list
  let created = 0
  const insert = async (one: Exhibit) => {
    const row = { ...one, id: `e${++created}` }
    await list.put([row])
    return row
  }
  const scope = () => ({ workspaceId, now: Date.parse(AT), only: null })

  await fc.assert(
    fc.asyncProperty(
      fc.array(exhibit, { maxLength: 25, size: 'max' }),
      fc.array(fc.record({ filters, fields, limits }), { minLength: 1, maxLength: 5 }),
      fc.array(fc.record({ of: fc.nat(), isRemoved: fc.boolean(), added: exhibit }), { maxLength: 4 }),
      async (all, readings, changes) => {
        await list.remove(Array.from({ length: created }, (_, i) => `e${i + 1}`))
        const rows: (Exhibit & { id: string })[] = []
        for (const one of all) rows.push(await insert(one))
        const sorted = (asked: Record<string, string | number>) =>
          listed({ fields: {}, order: ['hall', 'shelf', 'placedAt', 'name'] }, rows, asked, 0)
        for (const { fields: asked, ...reading } of readings) {
          const request = asked === undefined ? reading : { ...reading, fields: ['id', 'name', ...asked] }
          const pages = await readPages(reader, scope, request)
          const answered = ['id', 'hall', 'shelf', 'placedAt', 'name'].filter(
            (field) => asked === undefined || field === 'id' || field === 'name' || asked.includes(field),
          )
          const expected = sorted(reading.filters).map((row) =>
            Object.fromEntries(answered.map((field) => [field, row[field as 'id']])),
          )
          assert.deepEqual(pages.flat(), expected)
        }
        const touched = new Set<string>()
        const [reading] = readings
        if (reading === undefined) return
        const before = sorted(reading.filters).map(({ id }) => id)
        const seen = await readPages(reader, scope, { filters: reading.filters, limits: [2] }, async (page) => {
          const change = changes[page - 1]
          if (change === undefined) return
          await insert(change.added)
          const target = rows[change.of % rows.length]?.id ?? ''
          touched.add(target)
          if (change.isRemoved) await list.remove([target])
          else await list.put(rows.filter(({ id }) => id === target).map((row) => ({ ...row, shelf: 5 })))
        })
        const unchanged = (id: string) => before.includes(id) && !touched.has(id)
        assert.deepEqual(
          seen
            .flat()
            .map(({ id }) => String(id))
            .filter(unchanged),
          before.filter(unchanged),
        )
      },
    ),
    { numRuns: runs(60) },
  )
})

const visits = createList(
  {
    ...{ name: 'visits', singular: 'visit' },
    columns: {
      id: columns.id,
      contact: column('email', { description: 'Who is visited.' }),
      startsAt: column('instant', { nullable: true, description: 'When the visit starts.' }),
    },
  },
  { order: ['contact', 'startsAt'], filters: ['contact'], limit: 50, countBy: {} },
)

test('a range applies to every page of rows with one address, however they spell it', async (t) => {
  const list = await startList(t, visits)
  const visit = (n: number) => ({ id: `v${n}`, contact: `${n % 2 ? 'A' : 'a'}nn@acme.example` })
  await list.put([1, 2, 3, 4, 5, 6].map((n) => ({ ...visit(n), startsAt: `2026-11-1${n}T09:00:00.000Z` })))
  const filters = {
    contact: 'ann@acme.example',
    startsAtAfter: '2026-11-12T00:00:00.000Z',
    startsAtBefore: '2026-11-20T00:00:00.000Z',
  }
  const scope = () => ({ workspaceId: list.workspaceId, now: Date.parse(AT), only: null })
  const pages = await readPages(list.reader, scope, { filters, limits: [2] })
  const ids = pages.flat().map(({ id }) => id)
  assert.deepEqual(ids, ['v3', 'v5', 'v2', 'v4', 'v6'])
})
