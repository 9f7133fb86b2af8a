import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { csvCell, exportFormats } from '../../src/web/row-export.ts'

interface Row {
  actor: string
  detail: object
  number: number | null
}

const { csv, ndjson } = exportFormats<Row>(['actor', 'detail', 'number'], (row) => [row.actor, row.detail, row.number])

const textOf = ({ head, line }: typeof csv, ...rows: Row[]) => head + rows.map(line).join('')

const row = { actor: 'priya@northwind.example', detail: { label: 'a "b", c\nd' }, number: 7 }

test('CSV: a header, CRLF, quotes doubled', () => {
  assert.equal(
    textOf(csv, row),
    'actor,detail,number\r\n' + 'priya@northwind.example,"{""label"":""a \\""b\\"", c\\nd""}",7\r\n',
  )
})

test('CSV: an RFC 4180 reader gets back what was written', () => {
  const hostile = { ...row, actor: 'line\r\nbreak, "quote"' }
  const [read] = parse(textOf(csv, hostile), { columns: true }) as Record<string, string>[]
  assert.equal(read?.actor, hostile.actor)
  assert.deepEqual(JSON.parse(read?.detail ?? ''), hostile.detail)
})

for (const start of ['=', '+', '-', '@', '\t', '\r', "'"])
  test(`CSV: a cell that begins with ${JSON.stringify(start)} is not treated as a formula`, () => {
    const cell = csvCell(`${start}1+1`)
    assert.equal(cell.replace(/^"/, '').charAt(0), "'")
  })

test('CSV: a formula is harmless where a spreadsheet splits at semicolons, quoted or not', () => {
  for (const text of ['x;=1+1', 'x;"=1+1', 'x\r\n=1+1', 'x, y;@SUM(A1)', 'a;b;-1']) {
    const cell = csvCell(text)
    assert.match(cell, /^"/, text)
    for (const part of `2026-11-15,${cell},7`.split(/[;\r\n]+/)) assert.doesNotMatch(part, /^"*[=+\-@]/, text)
  }
  assert.equal(csvCell('one;two'), '"one;two"')
})

test('NDJSON: one object per line', () => {
  const line = '{"actor":"priya@northwind.example","detail":{"label":"a \\"b\\", c\\nd"},"number":7}\n'
  assert.equal(textOf(ndjson, row, row), line.repeat(2))
})
