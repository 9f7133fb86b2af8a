import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RateWindows } from '../../src/lib/rate-windows.ts'

const quota = { limit: 2, windowSeconds: 10 }

function start() {
  const windows = new RateWindows()
  return (id: string, at: number) => windows.count(id, quota, at)
}

test('a window opens with its first request, and its end restores the whole quota', () => {
  const count = start()
  assert.deepEqual(count('a', 5_000), { used: 1, resetsAt: 15_000 })
  assert.deepEqual(count('a', 14_999), { used: 2, resetsAt: 15_000 })
  assert.deepEqual(count('a', 14_999), { used: 3, resetsAt: 15_000 })
  assert.deepEqual(count('a', 15_000), { used: 1, resetsAt: 25_000 })
})

test('reading a window neither counts nor opens one', () => {
  const at = 5_000
  const windows = new RateWindows()
  assert.equal(windows.peek('a', quota, at), undefined)
  windows.count('a', quota, at)
  for (let i = 0; i < 3; i++) assert.deepEqual(windows.peek('a', quota, at), { used: 1, resetsAt: 15_000 })
  assert.equal(windows.peek('b', quota, at), undefined)
  windows.count('a', quota, 14_999)
  assert.deepEqual(windows.peek('a', quota, 14_999), { used: 2, resetsAt: 15_000 })
  assert.equal(windows.peek('a', quota, 15_000), undefined, 'it has ended')
  assert.equal(windows.peek('a', quota, 4_000), undefined, 'the clock was set back')
  assert.deepEqual(windows.count('a', quota, 16_000), { used: 1, resetsAt: 26_000 })
})

test('a clock that is set back does not lock a key out', () => {
  const count = start()
  count('a', 3_600_000)
  assert.deepEqual(count('a', 0), { used: 1, resetsAt: 10_000 })
})

test('a window that ends more than ten seconds later than a new one would is replaced by that', () => {
  const windows = new RateWindows()
  const short = { limit: 2, windowSeconds: 10 }
  windows.count('a', { limit: 2, windowSeconds: 100 }, 0)
  assert.equal(windows.peek('a', short, 79_999), undefined)
  assert.deepEqual(windows.peek('a', short, 80_000), { used: 1, resetsAt: 100_000 })
  assert.deepEqual(windows.count('a', short, 79_999), { used: 1, resetsAt: 89_999 })
  assert.deepEqual(windows.count('a', { limit: 2, windowSeconds: 100 }, 89_998), { used: 2, resetsAt: 89_999 })
})

test('one key is never forgotten while it is used, however many others are counted; one that is not used starts over', () => {
  const count = start()
  count('unused', 0)
  let used = 0
  for (let i = 0; i < 500_000; i++) {
    count(`stranger ${i}`, 0)
    if (i % 100_000 === 0) assert.equal(count('used', 0).used, ++used)
  }
  assert.equal(count('unused', 0).used, 1)
})
