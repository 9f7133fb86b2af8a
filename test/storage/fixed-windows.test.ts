import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FixedWindows } from '../../src/storage/fixed-windows.ts'

const quota = { limit: 2, windowSeconds: 10 }

test('a window opens with its first request and its end gives the whole quota back', () => {
  const windows = new FixedWindows()
  assert.deepEqual(windows.count('a', quota, 5_000), { used: 1, resetsAt: 15_000 })
  assert.deepEqual(windows.count('a', quota, 14_999), { used: 2, resetsAt: 15_000 })
  assert.deepEqual(windows.count('a', quota, 14_999), { used: 3, resetsAt: 15_000 })
  assert.deepEqual(windows.count('a', quota, 15_000), { used: 1, resetsAt: 25_000 })
})

test('keys do not share a window', () => {
  const windows = new FixedWindows()
  windows.count('a', quota, 0)
  assert.deepEqual(windows.count('b', quota, 0), { used: 1, resetsAt: 10_000 })
})

test('a clock set back does not lock a key out', () => {
  const windows = new FixedWindows()
  windows.count('a', quota, 3_600_000)
  assert.deepEqual(windows.count('a', quota, 0), { used: 1, resetsAt: 10_000 })
})

test('no window that is still open is forgotten, however many keys come', () => {
  const windows = new FixedWindows()
  windows.count('first', quota, 0)
  for (let i = 0; i < 5_000; i++) windows.count(`key ${i}`, quota, 1)
  assert.equal(windows.count('first', quota, 2).used, 2)
})
