/** The pages of a plain list, put together, are the list, whatever columns order it and narrow it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { InvalidPositionError } from '../../src/database/lists/keyset.ts'
import type { Position } from '../../src/database/lists/reader.ts'
import { creation, email, instant, integer, text } from '../../src/database/table.ts'
import { defineList } from '../../src/resources/list.ts'
import { books } from '../resources/books/contract.ts'
import { freshDatabaseUrl, insertion, runs } from '../support/database.ts'
import { listed } from '../support/list-model.ts'
import { listOf, readPages, startLists } from '../support/pages.ts'
import { plainResource } from '../support/plain-resource.ts'

const AT = '2026-11-15T12:00:00.000Z'

const columns = {
  id: text({ maxLength: 100, description: 'Identifier.' }),
  hall: text({ maxLength: 100, nullable: true, description: 'Hall.' }),
  shelf: integer({ nullable: true, description: 'Shelf.' }),
  placedAt: instant({ nullable: true, description: 'When it was put there.' }),
  name: text({ maxLength: 100, description: 'Name.' }),
  addedAt: creation({ published: false, description: 'When it was added.' }),
}
const list = defineList(
  { name: 'exhibits', singular: 'exhibit', version: 1, columns },
  { order: ['hall', 'shelf', 'placedAt', 'name'], filters: ['hall', 'shelf', 'name'], limit: 50, label: 'name' },
)
const exhibits = plainResource(list)

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
  const { store, workspaceId, elsewhere } = await startLists(t, await freshDatabaseUrl(t), [exhibits, books])
  let seq = 0
  const insert = async (one: Exhibit) => {
    seq++
    const row = { ...one, id: `e${seq}` }
    await elsewhere.run(insertion('exhibits', [{ seq, workspaceId, addedAt: AT, ...row }]))
    return row
  }
  const scope = () => ({ workspaceId, now: Date.parse(AT) })

  await fc.assert(
    fc.asyncProperty(
      fc.array(exhibit, { maxLength: 25, size: 'max' }),
      fc.array(fc.record({ filters, fields, limits }), { minLength: 1, maxLength: 5 }),
      fc.array(fc.record({ of: fc.nat(), isRemoved: fc.boolean(), added: exhibit }), { maxLength: 4 }),
      async (all, readings, changes) => {
        await elsewhere.run('DELETE FROM exhibits')
        const rows: (Exhibit & { id: string })[] = []
        for (const one of all) rows.push(await insert(one))
        const sorted = (asked: Record<string, string | number>) =>
          listed({ fields: {}, order: ['hall', 'shelf', 'placedAt', 'name'] }, rows, asked, 0)
        for (const { fields: asked, ...reading } of readings) {
          const request = asked === undefined ? reading : { ...reading, fields: ['id', 'name', ...asked] }
          const pages = await readPages(exhibits, store, scope, request)
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
        const seen = await readPages(
          exhibits,
          store,
          scope,
          { filters: reading.filters, limits: [2] },
          async (page) => {
            const change = changes[page - 1]
            if (change === undefined) return
            await insert(change.added)
            const target = rows[change.of % rows.length]?.id ?? ''
            touched.add(target)
            await elsewhere.run(
              change.isRemoved
                ? `DELETE FROM exhibits WHERE id = '${target}'`
                : `UPDATE exhibits SET shelf = 5 WHERE id = '${target}'`,
            )
          },
        )
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

const visits = plainResource(
  defineList(
    {
      ...{ name: 'visits', singular: 'visit', version: 1 },
      columns: {
        id: columns.id,
        contact: email({ description: 'Who is visited.' }),
        startsAt: instant({ nullable: true, description: 'When the visit starts.' }),
      },
    },
    { order: ['contact', 'startsAt'], filters: ['contact'], limit: 50 },
  ),
)

test('a range applies to every page of rows with one address, however they spell it', async (t) => {
  const { store, workspaceId, elsewhere } = await startLists(t, await freshDatabaseUrl(t), [visits])
  for (let n = 1; n <= 6; n++)
    await elsewhere.run(`INSERT INTO visits (workspace_id, id, contact, starts_at) VALUES
      ('${workspaceId}', 'v${n}', '${n % 2 ? 'A' : 'a'}nn@acme.example', '2026-11-1${n}T09:00:00.000Z')`)
  const filters = {
    contact: 'ann@acme.example',
    startsAtAfter: '2026-11-12T00:00:00.000Z',
    startsAtBefore: '2026-11-20T00:00:00.000Z',
  }
  const scope = () => ({ workspaceId, now: Date.parse(AT) })
  const pages = await readPages(visits, store, scope, { filters, limits: [2] })
  const ids = pages.flat().map(({ id }) => id)
  assert.deepEqual(ids, ['v3', 'v5', 'v2', 'v4', 'v6'])
})

test('an impossible position is rejected before the database is queried', async (t) => {
  const { store } = await startLists(t, await freshDatabaseUrl(t), [books, exhibits])
  const read = (resource: typeof books, after: unknown) =>
    store
      .reader(listOf(resource))
      .page({ workspaceId: 'w', now: 0 }, { filters: {}, limit: 1, after: after as Position })
  for (const after of [
    [],
    ['a', 'b'],
    ['a', 'b', '1', '2'],
    ['a', null, '1'],
    ['a', 'b', null],
    ['a', 'b', 'c'],
    ['a', 'b', '9223372036854775808'],
    ['a', 'b', '1.5'],
    ['a\0', 'b', '1'],
  ])
    await assert.rejects(async () => read(books, after), InvalidPositionError, JSON.stringify(after))
  for (const after of [
    ['a', 'b', '1'],
    [null, 'b', '9223372036854775807'],
    ['a', 'b', 1],
  ])
    assert.equal((await read(books, after)).rows.length, 0)
  assert.equal((await read(exhibits, ['a', '-5', AT, 'n', '1'])).next, undefined)
  await assert.rejects(async () => read(exhibits, ['a', 'five', AT, 'n', '1']), InvalidPositionError)
})
