import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { LATER_SECONDS, type QuotaWindow, RateWindows } from '../../src/lib/rate-windows.ts'
import type { CountingTask } from '../support/counting-thread.ts'

const quota = { limit: 2, windowSeconds: 10 }

function start() {
  let now = 0
  const windows = new RateWindows(() => now)
  return (id: string, at: number) => {
    now = at
    return windows.count(id, quota, now)
  }
}

test('a window opens with its first request, and its end restores the whole quota', () => {
  const count = start()
  assert.deepEqual(count('a', 5_000), { used: 1, resetsAt: 15_000 })
  assert.deepEqual(count('a', 14_999), { used: 2, resetsAt: 15_000 })
  assert.deepEqual(count('a', 14_999), { used: 3, resetsAt: 15_000 })
  assert.deepEqual(count('a', 15_000), { used: 1, resetsAt: 25_000 })
})

test('reading a window neither counts nor opens one', () => {
  let at = 5_000
  const windows = new RateWindows(() => at)
  assert.equal(windows.peek('a', quota, at), undefined)
  windows.count('a', quota, at)
  for (let i = 0; i < 3; i++) assert.deepEqual(windows.peek('a', quota, at), { used: 1, resetsAt: 15_000 })
  assert.equal(windows.peek('b', quota, at), undefined)
  windows.count('a', quota, 14_999)
  assert.deepEqual(windows.peek('a', quota, 14_999), { used: 2, resetsAt: 15_000 })
  assert.equal(windows.peek('a', quota, 15_000), undefined, 'it has ended')
  at = 4_000
  assert.equal(windows.peek('a', quota, at), undefined, 'the clock was set back')
  assert.deepEqual(windows.count('a', quota, 16_000), { used: 1, resetsAt: 26_000 })
})

test('a clock that is set back does not lock a key out', () => {
  const count = start()
  count('a', 3_600_000)
  assert.deepEqual(count('a', 0), { used: 1, resetsAt: 10_000 })
})

test('a window that ends more than ten seconds later than a new one would is replaced by that', () => {
  const windows = new RateWindows(() => 0)
  const short = { limit: 2, windowSeconds: 10 }
  windows.count('a', { limit: 2, windowSeconds: 100 }, 0)
  assert.equal(windows.peek('a', short, 79_999), undefined)
  assert.deepEqual(windows.peek('a', short, 80_000), { used: 1, resetsAt: 100_000 })
  assert.deepEqual(windows.count('a', short, 79_999), { used: 1, resetsAt: 89_999 })
  assert.deepEqual(windows.count('a', { limit: 2, windowSeconds: 100 }, 89_998), { used: 2, resetsAt: 89_999 })
})

test("a request that read the clock first and is counted second counts in the other's window", () => {
  const windows = new RateWindows(() => 1001)
  windows.count('a', quota, 1001)
  assert.deepEqual(windows.count('a', quota, 1000), { used: 2, resetsAt: 11_001 })
})

test('a full table forgets a window instead of failing', () => {
  const windows = new RateWindows(() => 0, RateWindows.createMemory(2048))
  for (let i = 0; i < 5000; i++) assert.equal(windows.count(`key ${i}`, quota, 0).used, 1)
  assert.equal(windows.count('key 4999', quota, 0).used, 2)
})

/** The clock advances, or is set back to before anything was counted. */
const step = fc.oneof(
  { weight: 9, arbitrary: fc.record({ forwardMs: fc.integer({ min: 0, max: 3000 }) }) },
  { weight: 1, arbitrary: fc.constant({ forwardMs: Number.NEGATIVE_INFINITY }) },
)
const burst = fc.record({
  step,
  first: fc.integer({ min: 0, max: 3000 }),
  ids: fc.integer({ min: 1, max: 1500 }),
  windowSeconds: fc.integer({ min: 1, max: 8 }),
})

test('no open window is forgotten or shared, whatever is counted and whenever', () => {
  fc.assert(
    fc.property(fc.array(burst, { minLength: 1, maxLength: 25 }), (bursts) => {
      let now = 0
      let earliest = 0
      const expected = new Map<number, QuotaWindow & { openedAt: number }>()
      const windows = new RateWindows(() => now, RateWindows.createMemory(2 ** 16))
      for (const { step, first, ids, windowSeconds } of bursts) {
        now = Math.max(now + step.forwardMs, earliest - 1_000_000)
        earliest = Math.min(earliest, now)
        for (let id = first; id < first + ids; id++) {
          let window = expected.get(id)
          const end = now + windowSeconds * 1000
          const isOpen =
            window && now < window.resetsAt && now >= window.openedAt && window.resetsAt <= end + LATER_SECONDS * 1000
          if (window === undefined || !isOpen) window = { used: 0, openedAt: now, resetsAt: end }
          window.used++
          expected.set(id, window)
          const { used, resetsAt } = window
          assert.deepEqual(windows.count(`key ${id}`, { limit: 5, windowSeconds }, now), { used, resetsAt })
        }
      }
    }),
    { numRuns: 60 },
  )
})

test('threads that count at once get every count, and none twice', async () => {
  const THREADS = 4
  const TIMES = 20_000
  const memory = RateWindows.createMemory()
  const start = new SharedArrayBuffer(4)
  const threads = Array.from({ length: THREADS }, (_, i) => {
    const workerData: CountingTask = { memory, start, name: `thread ${i}`, times: TIMES }
    return new Worker(new URL('../support/counting-thread.ts', import.meta.url), { workerData })
  })
  await Promise.all(threads.map((thread) => once(thread, 'message')))
  const counted = Promise.all(threads.map((thread) => once(thread, 'message')))
  Atomics.store(new Int32Array(start), 0, 1)
  Atomics.notify(new Int32Array(start), 0)
  const results = (await counted).map(([result]) => result as { places: number[]; ownPlaces: number[] })
  const places = results.flatMap((result) => result.places).sort((a, b) => a - b)
  assert.deepEqual(
    places,
    Array.from({ length: THREADS * TIMES }, (_, i) => i + 1),
  )
  for (const { ownPlaces } of results) assert.ok(ownPlaces.every((place) => place === 2))
})
