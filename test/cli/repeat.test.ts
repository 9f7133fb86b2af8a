import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseInterval, waitAfter } from '../../src/cli/repeat.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

test('after errors it waits the interval, then twice that each time, up to ten minutes', () => {
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

test('an interval over ten minutes stays as it is', () => {
  for (const failures of [0, 1, 2, 50])
    assert.equal(
      waitAfter(failures, 60 * MINUTE, () => 0),
      60 * MINUTE,
    )
})

test('an interval is from a second to a week', () => {
  assert.equal(parseInterval('1s', '--every'), SECOND)
  assert.equal(parseInterval('5m', '--every'), 5 * MINUTE)
  assert.equal(parseInterval('1w', '--every'), 7 * 24 * 60 * MINUTE)
  for (const text of ['0', '0s', '8d', '2w', '5', 'm', '1.5m', '-1m'])
    assert.throws(() => parseInterval(text, '--every'), { name: 'UsageError', message: /^--every: must be / }, text)
})
