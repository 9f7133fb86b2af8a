import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { FixedWindows } from '../../src/database/fixed-windows.ts'
import { SharedWindows } from '../../src/database/shared-windows.ts'
import type { CountingTask } from '../support/counting-thread.ts'

test('threads that count at once get every place, and none twice, while others count other ids', async () => {
  const THREADS = 4
  const TIMES = 20_000
  const memory = SharedWindows.createMemory()
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

test('a request that read the clock first and is counted second counts in the window of the other', () => {
  const windows = new SharedWindows(SharedWindows.createMemory(), () => 1001)
  const quota = { limit: 1, windowSeconds: 10 }
  windows.count('a', quota, 1001)
  assert.deepEqual(windows.count('a', quota, 1000), { used: 2, resetsAt: 11_001 })
})

/** The clock goes on, or is set back to before anything that was counted. */
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

test('they give what windows of one thread give, whatever is counted and whenever', () => {
  fc.assert(
    fc.property(fc.array(burst, { minLength: 1, maxLength: 25 }), (bursts) => {
      let now = 0
      let earliest = 0
      const fixed = new FixedWindows()
      const shared = new SharedWindows(SharedWindows.createMemory(), () => now)
      for (const { step, first, ids, windowSeconds } of bursts) {
        now = Math.max(now + step.forwardMs, earliest - 1_000_000)
        earliest = Math.min(earliest, now)
        const quota = { limit: 5, windowSeconds }
        for (let id = first; id < first + ids; id++)
          assert.deepEqual(shared.count(`key ${id}`, quota, now), fixed.count(`key ${id}`, quota, now))
      }
    }),
    { numRuns: 60 },
  )
})
