import assert from 'node:assert/strict'
import test from 'node:test'
import { parseQuota, secondsToReset } from '../../src/keys/quota.ts'

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

test('a quota is 1 to a billion requests in 1 second to a day', () => {
  for (const [limit, windowSeconds] of [
    [1, 1],
    [600, 60],
    [1_000_000_000, 86_400],
  ])
    assert.deepEqual(parseQuota(` ${limit}; w=${windowSeconds} `), { limit, windowSeconds })
  for (const text of ['0;w=60', '1000000001;w=60', '600;w=0', '600;w=86401', '600', '600;w=', '-1;w=60', '6e2;w=60'])
    assert.equal(parseQuota(text), undefined, text)
})
