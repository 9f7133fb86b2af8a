import assert from 'node:assert/strict'
import { test } from 'node:test'
import { displayWidth, fit, layOut } from '../../src/cli/terminal/table.ts'

for (const [text, width] of [
  ['plain', 5],
  ['Übergröße', 9],
  ['e\u0301', 1],
  ['日本語', 6],
  ['ｆｕｌｌ', 8],
  ['한글', 4],
  ['🙂', 2],
  ['👩‍👩‍👧‍👦', 2],
  ['☂', 1],
  ['☂️', 2],
  ['שלום', 4],
] as const)
  test(`${JSON.stringify(text)} takes ${width} columns of a terminal`, () => assert.equal(displayWidth(text), width))

const LINES = [
  ['ID', 'NAME', 'STATE'],
  ['ws_0123456789abcdef01', '東京の購買チームと、その長い名前', 'available'],
  ['ws_0123456789abcdef02', 'Northwind Buying, with a name that goes on', 'archived'],
]
const SHRINKS = [false, true, false]

for (const [columns, layout] of [
  [undefined, [21, 42, 9]],
  [120, [21, 42, 9]],
  [60, [21, 26, 9]],
  [46, [21, 12, 9]],
  [45, 'stacked'],
] as const)
  test(`in ${columns} columns a name is truncated as far as necessary, and an id never`, () => {
    assert.deepEqual(layOut(LINES, SHRINKS, columns), layout)
  })

test('a table may have hundreds of thousands of rows', () => {
  assert.deepEqual(layOut([...Array(300_000).fill(['a', 'b']), ['longer', 'b']], [false, false], undefined), [6, 1])
})

test('the longer of two texts is truncated, and the last column gets the rest for later pages', () => {
  const lines = [['x'.repeat(30), 'y'.repeat(60)]]
  assert.deepEqual(layOut(lines, [true, true], 72), [30, 40])
  assert.deepEqual(layOut(lines, [true, true], 100), [30, 68])
})

test('a text is padded, or truncated between characters with an ellipsis if allowed', () => {
  assert.equal(fit('short', 7, true), 'short  ')
  assert.equal(fit('longer text', 8, true), 'longer… ')
  assert.equal(fit('longer text', 8, false), 'longer text')
  assert.equal(fit('日本語のテキスト', 8, true), '日本語… ')
  assert.equal(fit('👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 3, true), '👩‍👩‍👧‍👦…')
})
