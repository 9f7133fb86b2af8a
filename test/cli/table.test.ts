import assert from 'node:assert/strict'
import { test } from 'node:test'
import { displayWidth } from '../../src/cli/display-width.ts'
import { layOut, lineOf, stacked } from '../../src/cli/table.ts'

const NAMES = ['ID', 'NAME', 'STATE']
const ROWS = [
  ['ws_0123456789abcdef01', '東京の購買チームと、その長い名前', 'available'],
  ['ws_0123456789abcdef02', 'Northwind Buying, with a name that goes on', 'archived'],
]
const SHRINKS = [false, true, false]

function table(columns: number | undefined, rows = ROWS): string[] {
  const layout = layOut([NAMES, ...rows], SHRINKS, columns)
  return layout.kind === 'table'
    ? [NAMES, ...rows].map((cells) => lineOf(cells, layout))
    : rows.map((cells) => stacked(NAMES, cells, (name) => name))
}

test('a table that fits a terminal is aligned by what its characters take there', () => {
  const lines = table(120)
  assert.deepEqual(
    lines.map((line) => displayWidth(line.slice(0, line.search(/STATE|available|archived/)))),
    [67, 67, 67],
  )
  assert.ok(lines[2]?.includes('with a name that goes on  archived'))
})

for (const columns of [65, 60, 47])
  test(`in ${columns} columns a long name is cut, and an id never`, () => {
    const lines = table(columns)
    for (const line of lines) assert.ok(displayWidth(line) <= columns, line)
    assert.match(lines[1] ?? '', /^ws_0123456789abcdef01 {2}東京.*… +available$/)
    assert.match(lines[2] ?? '', /^ws_0123456789abcdef02 {2}Northwind.*… +archived$/)
  })

test('where too little would be left of a name, records stand below each other, whole', () => {
  assert.deepEqual(table(30), [
    'ID     ws_0123456789abcdef01\nNAME   東京の購買チームと、その長い名前\nSTATE  available\n',
    'ID     ws_0123456789abcdef02\nNAME   Northwind Buying, with a name that goes on\nSTATE  archived\n',
  ])
})

test('without a terminal nothing is cut', () => {
  assert.deepEqual(table(undefined), [
    'ID                     NAME                                        STATE',
    'ws_0123456789abcdef01  東京の購買チームと、その長い名前                            available',
    'ws_0123456789abcdef02  Northwind Buying, with a name that goes on  archived',
  ])
})

test('of two long texts the longer one is cut', () => {
  const layout = layOut(
    [
      ['A', 'B'],
      ['x'.repeat(30), 'y'.repeat(60)],
    ],
    [true, true],
    72,
  )
  assert.deepEqual(layout.kind === 'table' && layout.widths, [30, 40])
})

test('a further page may have longer texts in the last column, up to the end of the line, and ids are whole there too', () => {
  const cells = [
    ['ID', 'TITLE'],
    ['1', 'short'],
  ]
  const layout = layOut(cells, [false, true], 30)
  assert.equal(layout.kind, 'table')
  if (layout.kind !== 'table') return
  assert.equal(lineOf(['2', 'a title that is rather long for it'], layout), '2   a title that is rather lo…')
  assert.equal(lineOf(['a-longer-id', 'A'], layout), 'a-longer-id  A')
})
