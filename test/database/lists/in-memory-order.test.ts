import assert from 'node:assert/strict'
import { test } from 'node:test'
import { positionsAfter, sortedByPosition } from '../../../src/database/lists/in-memory-order.ts'
import type { Position } from '../../../src/lists/query.ts'

const order = (['text', 'integer'] as const).map((kind) => ({ name: `"${kind}"`, kind, isNullable: true }))
const MANY = 10_000
const sort = (positions: Position[]) =>
  sortedByPosition(
    order,
    positions.map((position) => ({ position })),
    async () => {},
  ).then((sorted) => sorted.map(({ position }) => position))

test('positions are sorted by code points and numbers, nulls last', async () => {
  const positions: Position[] = [
    ['a', '-9007199254740993'],
    ['a', '-9007199254740992'],
    ['a', '9'],
    ['a', 10],
    ['\u{ff21}', '1'],
    ['\u{1f600}', '1'],
    [null, '3'],
    [null, '12'],
  ]
  assert.deepEqual(await sort(positions.toReversed()), positions)
  assert.deepEqual(positionsAfter(order, positions, ['a', '10']), positions.slice(4))
})

test('many positions are sorted in slices, and each is read once', async () => {
  let [pauses, reads] = [0, 0]
  const found = Array.from({ length: MANY }, (_, i) => ({
    position: new Proxy<Position>([null, String((i * 7919) % MANY)], {
      get: (target, member) => {
        reads++
        return Reflect.get(target, member)
      },
    }),
  }))
  const sorted = await sortedByPosition(order, found, async () => {
    pauses++
  })
  assert.equal(reads, 2 * MANY)
  assert.ok(pauses >= 10, `${pauses} pauses`)
  assert.deepEqual(
    sorted.map(({ position }) => Number(position[1])),
    Array.from({ length: MANY }, (_, i) => i),
  )
})
