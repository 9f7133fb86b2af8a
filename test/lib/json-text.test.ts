import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { numberAsWritten, tooMuchToParse } from '../../src/lib/json-text.ts'

const space = fc.constantFrom('', ' ', '\n\t', '\r\n ')
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.constantFrom('0', '-0', '1.0', '1e2', '-3.00E+2', '12345678901234567890', '1e400'),
)

/** A name spelled with any of its characters escaped. */
const spelled = (name: string) =>
  fc
    .array(fc.boolean(), { minLength: name.length, maxLength: name.length })
    .map((escaped) =>
      [...name].map((letter, i) =>
        escaped[i] ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}` : JSON.stringify(letter).slice(1, -1),
      ),
    )
    .map((letters) => `"${letters.join('')}"`)

const name = fc.oneof(
  fc.constantFrom('id', 'Id', 'i', 'id ', 'params', '"id"', 'id":1.5,"'),
  fc.string({ maxLength: 4 }),
)
const inner = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
  fc.constantFrom('{"id":9.5}', '[{"id":9.5}]', '"\\"id\\":9.5"', '"id"', '"\\\\"'),
)
const member = fc
  .tuple(name.chain(spelled), space, space, fc.oneof(number, inner), space)
  .map(([key, before, after, value, end]) => ({ text: `${key}${before}:${after}${value}${end}`, key, value }))

test('a number is found as written, whatever else the object contains: as a reader of members sees it', () => {
  fc.assert(
    fc.property(fc.array(member, { maxLength: 8 }), number, (members, last) => {
      // The reference knows where each member lies, because it put it there.
      const all = [...members, { text: `"id":${last}`, key: '"id"', value: last }]
      const text = `{${all.map((one) => one.text).join(',')}}`
      assert.equal(numberAsWritten(text, 'id'), last)
      assert.equal(Number(numberAsWritten(text, 'id')), JSON.parse(text).id)
      const shuffled = all.toReversed()
      const { value = '' } = shuffled.findLast(({ key }) => JSON.parse(key) === 'id') ?? {}
      const found = numberAsWritten(`{${shuffled.map((one) => one.text).join(',')}}`, 'id')
      assert.equal(found, /^[-\d]/.test(value) ? value : undefined)
    }),
    { numRuns: 2000 },
  )
})

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

test('no text, JSON or not, causes a failure', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ':', ',', '1', 'i', 'd') }),
      (text) => {
        tooMuchToParse(text)
        tooMuchToParse(text.repeat(200))
      },
    ),
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
