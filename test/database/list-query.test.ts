import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupsOf, positionsAfter, sortedByPosition } from '../../src/database/lists/query.ts'
import type { Position } from '../../src/database/lists/reader.ts'
import { taskList } from '../../src/resources/tasks/current-tasks.ts'

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

test('the largest groups come first, ties by code points, and no value last', () => {
  const groups = groupsOf(taskList, ['bookKey'], { filters: {}, by: 'bookKey', dateOf: String })
  const names = Array.from({ length: 100 }, (_, i) => `book ${String(i).padStart(2, '0')}`)
  for (const name of names.toReversed()) groups.add([name], false)
  for (const value of [null, 'Zoo', '\u{1f600}', '\u{ff21}']) groups.add([value], true, 2)
  const reading = groups.reading({ count: 108, isMinimum: false }, 0)
  const values = ['Zoo', '\u{ff21}', '\u{1f600}', null, ...names.slice(0, 46)]
  assert.deepEqual(
    reading.groups.map(({ value }) => value),
    values,
  )
  assert.deepEqual([reading.more, reading.overdue, reading.groups[0]], [54, 8, { value: 'Zoo', count: 2, overdue: 2 }])
})
