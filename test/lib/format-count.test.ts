import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatCount } from '../../src/lib/format-count.ts'

test('thousands are separated by commas, as in English', () => {
  for (const count of [0, 1, 999, 1000, 12_345, 123_456, 1_000_000, 1_234_567_890, -1, -999, -1000])
    assert.equal(formatCount(count), count.toLocaleString('en'))
})
