import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { tooMuchToParse } from '../../src/lib/json-text.ts'

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

test('a text is too deep exactly if its value is', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 50, max: 70 }), (value, levels) => {
      const wrapped = Array.from({ length: levels }).reduce<unknown>(
        (all, _, i) => (i % 2 ? [all] : { '[{': all }),
        value,
      )
      const isTooDeep = tooMuchToParse(JSON.stringify(wrapped)) === 'nests deeper than 64 levels'
      assert.equal(isTooDeep, depthOf(wrapped) > 64)
    }),
    { numRuns: 500 },
  )
})

test('the limits are exact, however short the text', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  assert.equal(tooMuchToParse(nested(64)), undefined)
  assert.match(tooMuchToParse(nested(65)) ?? '', /64 levels/)
  const values = (count: number) => JSON.stringify(Array(count).fill(1))
  assert.equal(tooMuchToParse(values(10_000)), undefined)
  assert.match(tooMuchToParse(values(10_001)) ?? '', /10000 values/)
})
