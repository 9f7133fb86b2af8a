/** A declared list, its filters, ranges, counts and the moment at which it changes, compared with a naive reading. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Filters } from '../../src/lists/query.ts'
import { currentOrders, orderOptions } from '../resources/orders/contract.ts'
import { runs } from '../support/database.ts'
import { groupsOf, listed } from '../support/list-model.ts'
import { readPages } from '../support/pages.ts'
import { at, NOON } from '../support/service.ts'
import { startList } from '../support/written-lists.ts'

const minute = fc.integer({ min: -3, max: 3 })
const instant = minute.map(at)
const day = fc.constantFrom('2026-11-01', '2026-11-02', '2027-01-01')
const amount = fc.constantFrom('-2', '1.5', '1.50', '10', '0')
const address = fc.constantFrom('ann@x.example', 'Ann@x.example', 'bo@x.example')
const supplier = fc.constantFrom('a', 'B', 'é')
const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 3 })

const order = fc.record({
  supplier,
  buyer: nullable(address),
  total: nullable(amount),
  pieces: nullable(fc.integer({ min: 0, max: 2 })),
  orderedOn: nullable(day),
  deliveryAt: nullable(instant),
  urgent: fc.boolean(),
  status: fc.constantFrom('draft', 'sent', 'sent', 'closed'),
  paused: fc.constantFrom(false, false, false, true),
  embargo: nullable(instant),
})
/** Those whose values are not compared as they are. */
const fields = { buyer: { type: 'email' }, total: { type: 'decimal' }, deliveryAt: { type: 'instant' } } as const

const filters = {
  supplier,
  buyer: address,
  total: amount,
  pieces: fc.integer({ min: 0, max: 2 }),
  orderedOn: day,
  urgent: fc.boolean(),
  status: fc.constantFrom('draft', 'sent'),
  deliveryAt: instant,
  deliveryAtAfter: instant,
  deliveryAtBefore: instant,
  orderedOnAfter: day,
  orderedOnBefore: day,
  query: fc.constantFrom(['a'], ['b'], ['e']),
  ids: fc.constantFrom(['o1', 'o2', 'o3'], ['o4']),
}
/** Mostly few filters at once, or nothing would match. */
const query = fc
  .tuple(fc.record(filters, { requiredKeys: [] }), fc.subarray(Object.keys(filters), { maxLength: 3 }))
  .map(([all, chosen]) => Object.fromEntries(Object.entries(all).filter(([name]) => chosen.includes(name))) as Filters)

test('a list with current rows returns what a naive reading does, for every query, at every moment', async (t) => {
  const { reader, workspaceId, ...list } = await startList(t, currentOrders)
  await fc.assert(
    fc.asyncProperty(
      fc.array(order, { maxLength: 20, size: 'max' }),
      fc.array(fc.record({ now: minute, asked: query, limit: fc.integer({ min: 1, max: 4 }) }), {
        minLength: 1,
        maxLength: 6,
      }),
      async (all, readings) => {
        await list.remove(Array.from({ length: 20 }, (_, i) => `o${i + 1}`))
        const rows = all.map((one, i) => ({ id: `o${i + 1}`, ...one }))
        await list.put(rows)
        for (const { now: minutes, asked, limit } of readings) {
          const now = NOON + minutes * 60_000
          const scope = () => ({ workspaceId, now, only: null })
          const expected = listed({ fields, ...orderOptions }, rows, asked, now)
          const pages = await readPages(reader, scope, { filters: asked, limits: [limit] })
          assert.deepEqual(
            pages.flat().map(({ id }) => id),
            expected.map(({ id }) => id),
          )
          const request = { filters: asked, limit, withTotal: true }
          const reading = await reader.page(scope(), request)
          assert.deepEqual(reading.total, { count: expected.length, isMinimum: false })
          const ends = rows
            .filter(({ status, paused }) => status !== 'closed' && !paused)
            .map(({ embargo }) => (embargo === null ? 0 : Date.parse(embargo)))
            .filter((end) => end > now)
          assert.equal(reading.until, Math.min(...ends))
          const counts = await reader.counts(scope(), {
            filters: asked,
            by: 'urgent',
            dateOf: (one) => one.slice(0, 10),
          })
          assert.deepEqual(
            counts.groups.map(({ value, count }) => [value, count]),
            groupsOf(expected, ({ urgent }) => String(urgent)).map(([value, of]) => [value, of.length]),
          )
        }
      },
    ),
    { numRuns: runs(80) },
  )
})
