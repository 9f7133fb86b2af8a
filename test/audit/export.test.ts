import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { auditFormats, csvCell } from '../../src/audit/export.ts'

type Format = (typeof auditFormats)['csv']

const textOf = ({ head, line }: Format, ...entries: Parameters<Format['line']>[0][]) =>
  head + entries.map(line).join('')

const entry = {
  at: '2026-11-15T12:00:00.000Z',
  workspaceId: 'ws_1',
  actor: 'priya@northwind.example',
  action: 'key.created',
  subject: 'key_1',
  detail: { label: 'a "b", c\nd' },
  link: { number: 7, previousHash: 'aa', hash: 'bb' },
}

test('CSV: a header, CRLF, quotes doubled', () => {
  assert.equal(
    textOf(auditFormats.csv, entry),
    'at,actor,action,subject,detail,workspaceId,number,previousHash,hash\r\n' +
      '2026-11-15T12:00:00.000Z,priya@northwind.example,key.created,key_1,"{""label"":""a \\""b\\"", c\\nd""}",ws_1,7,aa,bb\r\n',
  )
})

test('CSV: an RFC 4180 reader gets back what was written', () => {
  const hostile = { ...entry, actor: 'line\r\nbreak, "quote"' }
  const [row] = parse(textOf(auditFormats.csv, hostile), { columns: true }) as Record<string, string>[]
  assert.equal(row?.actor, hostile.actor)
  assert.deepEqual(JSON.parse(row?.detail ?? ''), hostile.detail)
})

for (const start of ['=', '+', '-', '@', '\t', '\r', "'"])
  test(`CSV: a cell that begins with ${JSON.stringify(start)} is not treated as a formula`, () => {
    const cell = csvCell(`${start}1+1`)
    assert.equal(cell.replace(/^"/, '').charAt(0), "'")
  })

test('CSV: a formula that contains a quote is both made harmless and quoted', () => {
  assert.equal(csvCell('=HYPERLINK("http://x")'), `"'=HYPERLINK(""http://x"")"`)
})

test('NDJSON: one object per line, with its place in the chain', () => {
  assert.equal(
    textOf(auditFormats.ndjson, entry, entry),
    '{"at":"2026-11-15T12:00:00.000Z","actor":"priya@northwind.example","action":"key.created","subject":"key_1","detail":{"label":"a \\"b\\", c\\nd"},"workspaceId":"ws_1","number":7,"previousHash":"aa","hash":"bb"}\n'.repeat(
      2,
    ),
  )
})

test('a row that is not an entry of the chain has no place in it', () => {
  const refusal = { ...entry, link: null }
  assert.match(textOf(auditFormats.ndjson, refusal), /"number":null,"previousHash":null,"hash":null}\n$/)
  assert.match(textOf(auditFormats.csv, refusal), /,ws_1,,,\r\n$/)
})

test('nothing to export: only the header, or an empty file', () => {
  assert.equal(textOf(auditFormats.csv), 'at,actor,action,subject,detail,workspaceId,number,previousHash,hash\r\n')
  assert.equal(textOf(auditFormats.ndjson), '')
})
