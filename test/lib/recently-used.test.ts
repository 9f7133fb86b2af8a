import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecentlyUsed } from '../../src/lib/recently-used.ts'

const names = (n: number, prefix = 'key') => Array.from({ length: n }, (_, i) => `${prefix} ${i}`)
const held = (kept: RecentlyUsed<number>, keys: string[]) => keys.filter((key) => kept.get(key) !== undefined).length

test('as many as it is created for are all kept, however often they are used in turn', () => {
  const kept = new RecentlyUsed<number>(100)
  const keys = names(100)
  for (const key of keys) kept.set(key, 1)
  for (let round = 0; round < 5; round++) assert.equal(held(kept, keys), 100)
})

test('frequently used entries stay while others come and go, and at most twice the size is held', () => {
  const kept = new RecentlyUsed<number>(100)
  kept.set('favourite', 7)
  const passing = names(10_000, 'passing')
  for (const key of passing) {
    kept.set(key, 1)
    assert.equal(kept.get('favourite'), 7)
  }
  assert.ok(held(kept, passing) < 200)
})

test('the later value counts, even for an old entry', () => {
  const kept = new RecentlyUsed<number>(2)
  kept.set('a', 1)
  for (const key of ['b', 'c']) kept.set(key, 1)
  kept.set('a', 2)
  assert.equal(kept.get('a'), 2)
  kept.clear()
  assert.equal(kept.get('a'), undefined)
})
