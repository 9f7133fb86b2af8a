import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { auditCsv, auditNdjson, csvCell } from '../../src/settings/export.ts'

const entry = {
  at: '2026-11-15T12:00:00.000Z',
  workspaceId: 'ws_1',
  actor: 'priya@northwind.example',
  action: 'key.created',
  subject: 'key_1',
  detail: { label: 'a "b", c\nd' },
}

test('CSV: a header, CRLF, quotes doubled', () => {
  assert.equal(
    [...auditCsv([entry])].join(''),
    'at,actor,action,subject,detail\r\n' +
      '2026-11-15T12:00:00.000Z,priya@northwind.example,key.created,key_1,"{""label"":""a \\""b\\"", c\\nd""}"\r\n',
  )
})

test('CSV: a reader of RFC 4180 gets back what was written', () => {
  const hostile = { ...entry, actor: 'line\r\nbreak, "quote"' }
  const [row] = parse([...auditCsv([hostile])].join(''), { columns: true }) as Record<string, string>[]
  assert.equal(row?.actor, hostile.actor)
  assert.deepEqual(JSON.parse(row?.detail ?? ''), hostile.detail)
})

for (const start of ['=', '+', '-', '@', '\t', '\r'])
  test(`CSV: a cell that begins with ${JSON.stringify(start)} is not taken for a formula`, () => {
    const cell = csvCell(`${start}1+1`)
    assert.equal(cell.replace(/^"/, '').charAt(0), "'")
  })

test('CSV: a formula with a quote in it is both made harmless and quoted', () => {
  assert.equal(csvCell('=HYPERLINK("http://x")'), `"'=HYPERLINK(""http://x"")"`)
})

test('NDJSON: one object a line, without the workspace’s id', () => {
  assert.equal(
    [...auditNdjson([entry, entry])].join(''),
    '{"at":"2026-11-15T12:00:00.000Z","actor":"priya@northwind.example","action":"key.created","subject":"key_1","detail":{"label":"a \\"b\\", c\\nd"}}\n'.repeat(
      2,
    ),
  )
})

test('nothing to export: the header alone, and nothing', () => {
  assert.equal([...auditCsv([])].join(''), 'at,actor,action,subject,detail\r\n')
  assert.equal([...auditNdjson([])].join(''), '')
})
