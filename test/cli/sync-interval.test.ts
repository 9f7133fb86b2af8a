import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repeatUntilStopped, waitAfter } from '../../src/cli/commands/row/sync-attempts.ts'
import { UsageError } from '../../src/cli/errors.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

test('after errors it waits for the interval, then twice as long each time, up to ten minutes', () => {
  const waits = (everyMs: number, random: number) =>
    Array.from({ length: 8 }, (_, failures) => waitAfter(failures, everyMs, () => random) / SECOND)
  assert.deepEqual(waits(MINUTE, 0), [60, 60, 120, 240, 480, 600, 600, 600])
  // Up to a tenth less after an error.
  assert.deepEqual(waits(MINUTE, 1), [60, 54, 108, 216, 432, 540, 540, 540])
  assert.equal(
    waitAfter(10_000, MINUTE, () => 0),
    10 * MINUTE,
  )
})

test('usage errors are not retried', async () => {
  const before = process.listenerCount('SIGTERM')
  const attempt = () => Promise.reject(new UsageError('no'))
  await assert.rejects(repeatUntilStopped(SECOND, attempt, assert.fail), /no/)
  assert.equal(process.listenerCount('SIGTERM'), before)
})

test('a failure with a retry time is not retried earlier', async () => {
  const waits: number[] = []
  const asking = Object.assign(new Error('overloaded'), { retryAfterMs: 30 * MINUTE })
  const errors = [asking, new Error('a bad record', { cause: asking }), Object.assign(new Error(), { retryAfterMs: 1 })]
  for (const error of errors)
    await repeatUntilStopped(
      MINUTE,
      () => Promise.reject(error),
      (_, waitMs) => {
        waits.push(waitMs)
        process.emit('SIGTERM')
      },
    )
  assert.deepEqual(waits.slice(0, 2), [30 * MINUTE, 30 * MINUTE])
  assert.ok((waits[2] ?? 0) >= 0.9 * MINUTE)
})
