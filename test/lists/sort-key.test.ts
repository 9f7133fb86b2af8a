import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kind, Value } from '../../src/lists/column.ts'
import { byteKey, keyOf, sortKeyOf } from '../../src/lists/sort-key.ts'
import { randomFrom } from '../support/random.ts'

/** Pairs of each kind. */
const PAIRS = 20_000
const random = randomFrom(Number(process.env.PROPERTY_SEED ?? Date.now() % 2 ** 31))
const below = (n: number) => Math.floor(random() * n)
const oneOf = <T>(values: readonly T[]): T => values[below(values.length)] as T
const digits = (most: number) => Array.from({ length: 1 + below(most) }, () => below(10)).join('')

/** Often with the same digits, and often long. */
function decimal(): string {
  const whole = String(BigInt(digits(oneOf([1, 2, 20]))))
  const places = random() < 0.5 ? '' : `.${digits(oneOf([1, 2, 18]))}`
  const sign = /[1-9]/.test(whole + places) && random() < 0.5 ? '-' : ''
  return sign + whole + places
}

const CHARACTERS = ['a', 'b', 'B', 'é', ' ', '~', '=', '\u0001', '\u0002', '\u0003', '\uff5e', '🎈', '\u{10ffff}']
const text = () => Array.from({ length: below(4) }, () => oneOf(CHARACTERS)).join('')
const number2 = (from: number, n: number) => String(from + below(n)).padStart(2, '0')
const date = () => `${oneOf(['0001', '2026', '9999'])}-${number2(1, 12)}-${number2(1, 28)}`
const instant = () => `${date()}T${number2(0, 24)}:00:00.${oneOf(['000', '001', '000001', '001999', '999'])}Z`

const byBytes = (a: Value, b: Value) => Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))
const scaled = (value: Value): bigint => {
  const [whole = '', places = ''] = String(value).split('.')
  return BigInt(whole + places.padEnd(18, '0'))
}
const byNumber = (a: Value, b: Value) => {
  const difference = scaled(a) - scaled(b)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}
const byMicroseconds = (a: Value, b: Value) => byBytes(microseconds(a), microseconds(b))
const microseconds = (value: Value) => String(value).replace('Z', '').padEnd('2026-11-15T12:00:00.000000'.length, '0')

const kinds: [Kind, () => Value, (a: Value, b: Value) => number][] = [
  ['text', text, byBytes],
  ['choice', () => oneOf(['draft', 'sent', 'Sent', 'é']), byBytes],
  ['date', date, byBytes],
  ['instant', instant, byMicroseconds],
  ['boolean', () => random() < 0.5, (a, b) => Number(a) - Number(b)],
  ['integer', () => oneOf([below(20) - 10, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]), byNumber],
  ['decimal', decimal, byNumber],
]

const nullable = (value: () => Value) => (random() < 0.1 ? null : value())
const nullsLast = (compare: (a: Value, b: Value) => number) => (a: Value, b: Value) =>
  a === null || b === null ? Number(a === null) - Number(b === null) : compare(a, b)

/** As both databases compare the keys. */
const order = (a: string, b: string) => Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)))

for (const [kind, value, compare] of kinds)
  test(`keys of the kind ${kind} are in the order of their values, nulls last`, () => {
    for (let i = 0; i < PAIRS; i++) {
      const [a, b] = [nullable(value), nullable(value)]
      assert.equal(order(keyOf(kind, a), keyOf(kind, b)), Math.sign(nullsLast(compare)(a, b)), `${kind} ${a} ${b}`)
    }
  })

test('the sort key of several fields decides by the first that differs', () => {
  for (let i = 0; i < PAIRS; i++) {
    const fields = Array.from({ length: 3 }, (_, n) => ({ name: `f${n}`, of: oneOf(kinds) }))
    const rowOf = () => Object.fromEntries(fields.map(({ name, of: [, value] }) => [name, nullable(value)]))
    const [a, b] = [rowOf(), rowOf()]
    const ordered = fields.map(({ name, of: [kind] }) => ({ name, kind }))
    const expected = fields.reduce(
      (so, { name, of: [, , compare] }) => so || nullsLast(compare)(a[name] ?? null, b[name] ?? null),
      0,
    )
    const [one, other] = [sortKeyOf(ordered, a), sortKeyOf(ordered, b)]
    if (expected !== 0) assert.equal(order(one, other), Math.sign(expected), JSON.stringify([a, b]))
    assert.equal(byteKey(one) < byteKey(other), order(one, other) < 0, 'JavaScript compares as the databases do')
  }
})
