import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairShare } from '../../src/lib/fair-share.ts'

test('one holder gets its share and no more, and gets it back after releasing it', () => {
  const shares = new FairShare(100, 1 / 4)
  shares.take('greedy', 25)
  assert.ok(shares.isRefused('greedy'))
  assert.ok(!shares.isRefused('other'))
  shares.release('greedy', 1)
  assert.ok(!shares.isRefused('greedy'))
  shares.release('greedy', 24)
  assert.equal(shares.total, 0)
})

test('when everything is taken, holders with little still get some, and holders with much do not', () => {
  const shares = new FairShare(100, 1 / 2)
  shares.take('a', 49)
  shares.take('b', 49)
  shares.take('c', 2)
  assert.ok(shares.isFull)
  assert.ok(shares.isRefused('a') && shares.isRefused('b'))
  assert.ok(!shares.isRefused('c') && !shares.isRefused('new'))
})

test('at twice the limit no one gets any more, however many there are', () => {
  const shares = new FairShare(100, 1 / 4)
  let holders = 0
  while (!shares.isRefused(`holder ${holders}`)) {
    shares.take(`holder ${holders++}`, 1)
    assert.ok(holders <= 200)
  }
  assert.equal(shares.total, 200)
})
