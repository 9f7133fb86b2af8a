import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FixedWindows } from '../../src/database/fixed-windows.ts'
import { SharedWindows } from '../../src/database/shared-windows.ts'
import type { Windows } from '../../src/database/store.ts'

const quota = { limit: 2, windowSeconds: 10 }

const kinds: Record<string, (clock: () => number) => Windows> = {
  'in one thread': () => new FixedWindows(),
  'shared by threads': (clock) => new SharedWindows(SharedWindows.createMemory(), clock),
}

for (const [kind, make] of Object.entries(kinds)) {
  let now = 0
  const clock = () => now
  const start = () => {
    const windows = make(clock)
    return (id: string, at: number) => {
      now = at
      return windows.count(id, quota, now)
    }
  }

  test(`${kind}: a window opens with its first request and its end gives the whole quota back`, () => {
    const count = start()
    assert.deepEqual(count('a', 5_000), { used: 1, resetsAt: 15_000 })
    assert.deepEqual(count('a', 14_999), { used: 2, resetsAt: 15_000 })
    assert.deepEqual(count('a', 14_999), { used: 3, resetsAt: 15_000 })
    assert.deepEqual(count('a', 15_000), { used: 1, resetsAt: 25_000 })
  })

  test(`${kind}: looking at a window neither counts nor opens one`, () => {
    let at = 5_000
    const windows = make(() => at)
    assert.equal(windows.peek('a', at), undefined)
    windows.count('a', quota, at)
    for (let i = 0; i < 3; i++) assert.deepEqual(windows.peek('a', at), { used: 1, resetsAt: 15_000 })
    assert.equal(windows.peek('b', at), undefined)
    windows.count('a', quota, 14_999)
    assert.deepEqual(windows.peek('a', 14_999), { used: 2, resetsAt: 15_000 })
    assert.equal(windows.peek('a', 15_000), undefined, 'it has ended')
    at = 4_000
    assert.equal(windows.peek('a', at), undefined, 'the clock was set back')
    assert.deepEqual(windows.count('a', quota, 16_000), { used: 1, resetsAt: 26_000 })
  })

  test(`${kind}: keys do not share a window`, () => {
    const count = start()
    count('a', 0)
    assert.deepEqual(count('b', 0), { used: 1, resetsAt: 10_000 })
  })

  test(`${kind}: a clock set back does not lock a key out`, () => {
    const count = start()
    count('a', 3_600_000)
    assert.deepEqual(count('a', 0), { used: 1, resetsAt: 10_000 })
  })

  test(`${kind}: no window that is still open is forgotten, however many keys come`, () => {
    const count = start()
    count('first', 0)
    for (let i = 0; i < 5_000; i++) count(`key ${i}`, 1)
    assert.equal(count('first', 2).used, 2)
    for (let i = 0; i < 5_000; i++) assert.equal(count(`key ${i}`, 2).used, 2)
  })
}

test('windows of a bounded number: one more forgets the one that was opened first', () => {
  const windows = new FixedWindows(3)
  for (const id of ['a', 'b', 'c']) windows.count(id, quota, 0)
  windows.count('a', quota, 10_000)
  windows.count('d', quota, 10_001)
  assert.equal(windows.count('a', quota, 10_002).used, 2)
  assert.equal(windows.count('c', quota, 9_999).used, 2)
  assert.equal(windows.count('b', quota, 9_999).used, 1)
})

test('shared windows at their largest begin anew instead of failing', () => {
  const windows = new SharedWindows(SharedWindows.createMemory(2048), () => 0)
  for (let i = 0; i < 5000; i++) assert.equal(windows.count(`key ${i}`, quota, 0).used, 1)
  assert.equal(windows.count('key 4999', quota, 0).used, 2)
})
