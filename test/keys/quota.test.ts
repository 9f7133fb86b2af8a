import assert from 'node:assert/strict'
import test from 'node:test'
import { secondsToReset } from '../../src/keys/quota.ts'

test('the seconds to a reset are whole, at least one, and never more than a window', () => {
  const quota = { limit: 5, windowSeconds: 60 }
  const to = (resetsAt: number, now: number) => secondsToReset(quota, { used: 1, resetsAt }, now)
  assert.equal(to(60_000, 0), 60)
  assert.equal(to(60_000, 1), 60)
  assert.equal(to(60_000, 59_999), 1)
  assert.equal(to(60_000, 60_000), 1)
  // Another replica opened the window a moment after this one looked at the clock.
  assert.equal(to(60_001, 0), 60)
})
