import assert from 'node:assert/strict'
import { test } from 'node:test'
import { median, quantile, ratios, spreadOf } from '../../../bench/report/statistics.ts'

test('the median is the middle number, or lies between the two in the middle', () => {
  assert.equal(median([10, 9, 100]), 10)
  assert.equal(median([4, 1, 3, 2]), 2.5)
  assert.equal(median([7]), 7)
  assert.throws(() => median([]))
})

test('a quantile lies where its share of the numbers is below it', () => {
  const numbers = Array.from({ length: 101 }, (_, i) => 100 - i)
  assert.equal(quantile(numbers, 0.99), 99)
  assert.equal(quantile(numbers, 0), 0)
  assert.equal(quantile(numbers, 1), 100)
})

test('the spread is the range of the middle half of the rounds', () => {
  assert.deepEqual(spreadOf([5, 1, 2, 3, 4]), { median: 3, low: 2, high: 4 })
})

test('a ratio compares with the baseline of the same round, so a slow moment of the machine cancels out', () => {
  assert.deepEqual(ratios([50, 5, 50], [100, 10, 100]), [0.5, 0.5, 0.5])
  assert.throws(() => ratios([1, 2], [1]), /same rounds/)
})
