import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Lru } from '../../src/lib/lru.ts'

test('entries never weigh more than the maximum, however they come, change and go', () => {
  const cache = new Lru<number>(1000, (weight) => weight)
  const stored = new Map<string, number>()
  for (let i = 0; i < 10_000; i++) {
    const [key, weight] = [`key ${(i * 7919) % 97}`, (i * 31) % 150]
    if (i % 5 === 0) cache.delete(key)
    else cache.set(key, weight)
    stored.set(key, weight)
    if (i % 3 === 0) cache.get(`key ${i % 97}`)
    let sum = 0
    if (i % 500 === 0) for (const each of stored.keys()) sum += cache.get(each) ?? 0
    if (i % 500 === 0) assert.equal(cache.weight, sum)
    assert.ok(cache.weight <= 1000)
  }
  cache.clear()
  assert.equal(cache.weight, 0)
  assert.ok([...stored.keys()].every((key) => cache.get(key) === undefined))
})

test('a value that is too heavy is not stored, and neither is the one that it replaces', () => {
  const cache = new Lru<number>(10, (weight) => weight)
  cache.set('a', 4)
  cache.set('b', 4)
  cache.set('b', 11)
  assert.deepEqual([cache.get('a'), cache.get('b'), cache.weight], [4, undefined, 4])
})
