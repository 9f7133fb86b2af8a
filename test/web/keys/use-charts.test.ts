import assert from 'node:assert/strict'
import { test } from 'node:test'
import { heightsOf } from '../../../src/web/keys/use-charts.ts'

test('a bar shows refusals only if there were any, however many were served, and never less than can be seen', () => {
  for (let served = 0; served <= 120; served++)
    for (let refused = 0; refused <= 120; refused++) {
      const heights = heightsOf(served, refused, 240, 100)
      assert.equal(heights.served > 0, served > 0, `${served} ${refused}`)
      assert.equal(heights.refused > 0, refused > 0, `${served} ${refused}`)
      for (const height of Object.values(heights)) assert.ok(height === 0 || height >= 2)
    }
  assert.equal(heightsOf(3, 0, 600, 24).refused, 0)
  assert.ok(heightsOf(10_000, 1, 10_001, 100).refused >= 2)
})
