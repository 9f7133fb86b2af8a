// Run once: it does not depend on the engine.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import fc from 'fast-check'
import { sortKey } from '../../src/database/sqlite/lists/list.ts'
import { isDecimal, scaledDecimal } from '../../src/lib/decimal.ts'

const digits = (min: number, max: number) =>
  fc.array(fc.constantFrom(...'0123456789'), { minLength: min, maxLength: max }).map((all) => all.join(''))

const decimals = fc
  .tuple(fc.boolean(), digits(1, 20), digits(0, 18), fc.integer({ min: 0, max: 4 }))
  .map(([isNegative, whole, places, zeros]) => {
    const point = places === '' ? '' : `.${places.slice(0, 18 - zeros)}${'0'.repeat(zeros)}`
    return `${isNegative ? '-' : ''}${whole.replace(/^0+(?=\d)/, '')}${point === '.' ? '' : point}`
  })
  .filter(isDecimal)

test('decimals are compared as numbers, in memory and by the key that SQLite sorts by', () => {
  const db = new DatabaseSync(':memory:')
  const compare = db.prepare(
    `SELECT CASE WHEN a < b THEN -1 WHEN a > b THEN 1 ELSE 0 END AS sign
     FROM (SELECT ${sortKey(':a', 'decimal')} AS a, ${sortKey(':b', 'money')} AS b)`,
  )
  const expected = (a: string, b: string) => {
    const scaled = (text: string) => {
      const [whole = '', places = ''] = text.replace('-', '').split('.')
      return BigInt(whole + places.padEnd(20, '0')) * (text.startsWith('-') ? -1n : 1n)
    }
    return scaled(a) < scaled(b) ? -1 : scaled(a) > scaled(b) ? 1 : 0
  }
  const check = (a: string, b: string) => {
    const [left, right] = [scaledDecimal(a), scaledDecimal(b)]
    assert.equal(left < right ? -1 : left > right ? 1 : 0, expected(a, b), `${a} ${b}`)
    assert.equal(compare.get({ a, b })?.sign, expected(a, b), `${a} ${b}`)
  }
  const edges = ['0', '0.00', '-0.1', '-0.10', '0.1', '1', '-1', '-1.5', '-1.51', '9', '10', '-9', '-10', '1.5', '1.50']
  const longest = ['9'.repeat(38), `-${'9'.repeat(38)}`, `${'9'.repeat(20)}.${'9'.repeat(18)}`, '0.000000000000000001']
  for (const a of [...edges, ...longest]) for (const b of [...edges, ...longest]) check(a, b)
  fc.assert(fc.property(decimals, decimals, check))
  db.close()
})
