import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { type Draft, draftDefinition } from '../../../src/import/draft/draft.ts'
import { listNameOf, singularOf } from '../../../src/import/draft/names.ts'
import { readSample } from '../../../src/import/draft/sample.ts'
import { parseMap } from '../../../src/import/map/load-map.ts'
import { parseRecords } from '../../../src/import/parse-records.ts'
import type { Row } from '../../../src/lists/column.ts'
import { definitionFaults } from '../../../src/resources/declared/check.ts'
import { compileDefinition } from '../../../src/resources/declared/compile.ts'

async function* chunksOf(text: string | Buffer): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}

const NAMES = { name: 'orders', singular: 'order' }

const draftOf = async (text: string): Promise<Draft> =>
  draftDefinition(await readSample(chunksOf(text), NAMES.name), NAMES)

/** Imports the very same sample by the draft and its map. */
async function imported(text: string, { definition, map, needsMap }: Draft): Promise<Row[]> {
  const { list } = compileDefinition(definition)
  assert.ok(list)
  const rows: Row[] = []
  const listener = { onBadRecord: (_: unknown, problems: string[]) => assert.fail(problems.join()) }
  const staged = { add: (batch: readonly Row[]) => void rows.push(...batch) }
  const options = { list, listener, staged, map: needsMap ? parseMap('its map', JSON.stringify(map), list) : undefined }
  await parseRecords({ chunks: chunksOf(text) }, options)
  return rows
}

const ORDERS = `Order No;Supplier;Net total;Ordered on;Deliver by;Urgent;State;Contact;Web;Pieces
PO-1;Alvés & Filhos;1.240,50;16/11/2026;2026-11-20T09:00:00+01:00;yes;sent;ana@alves.example;https://alves.example;12
PO-2;Meridian;80,00;17/11/2026;;no;draft;;https://meridian.example;-3
PO-3;Alvés & Filhos;5,00;30/11/2026;2026-12-01T09:00:00Z;no;sent;ana@alves.example;https://alves.example;0`

test('a draft has types, nullability, lengths with headroom, an id, an order and filters', async () => {
  const draft = await draftOf(ORDERS)
  const { fields, ...others } = draft.definition
  assert.deepEqual(
    Object.entries(fields).map(([name, { description: _, ...field }]) => [name, field]),
    [
      ['id', { type: 'text', maxLength: 100 }],
      ['supplier', { type: 'text', maxLength: 100 }],
      ['netTotal', { type: 'money' }],
      ['orderedOn', { type: 'date' }],
      ['deliverBy', { type: 'instant', nullable: true }],
      ['urgent', { type: 'boolean' }],
      ['state', { type: 'choice', values: ['sent', 'draft'] }],
      ['contact', { type: 'email', nullable: true }],
      ['web', { type: 'url', maxLength: 2048 }],
      ['pieces', { type: 'integer' }],
    ],
  )
  assert.equal(fields.netTotal?.description, 'Describe netTotal.')
  assert.equal(fields.id?.description, 'Describe id (Order No).')
  assert.deepEqual(others, {
    ...NAMES,
    state: 'draft',
    description: 'Describe orders: what the list contains.',
    order: ['orderedOn', 'supplier'],
    filters: ['urgent', 'state', 'contact', 'deliverBy'],
    search: ['supplier'],
    limit: 100,
    label: 'supplier',
    tool: { description: 'Describe when to list orders.' },
    example: {
      id: 'PO-1',
      supplier: 'Alvés & Filhos',
      netTotal: '1240.50',
      orderedOn: '2026-11-16',
      deliverBy: '2026-11-20T08:00:00.000Z',
      urgent: true,
      state: 'sent',
      contact: 'ana@alves.example',
      web: 'https://alves.example',
      pieces: 12,
    },
  })
  assert.deepEqual(draft.map?.fields.netTotal, { from: 'Net total', decimal: ',' })
  assert.equal((await imported(ORDERS, draft)).length, 3)
})

test('a sample with field names and plain values needs no map', async () => {
  const text = '[{"id":"a","title":"One","tags":["x"],"total":"1.50"},{"id":"b","title":null,"tags":[],"total":"2"}]'
  const { needsMap, definition } = await draftOf(text)
  assert.equal(needsMap, false)
  assert.deepEqual(
    Object.values(definition.fields).map(({ type, nullable = false }) => [type, nullable]),
    [
      ['text', false],
      ['text', true],
      ['texts', true],
      ['money', false],
    ],
  )
})

test('without an id column, the draft reports it, and the map creates one from all columns', async () => {
  const text = 'supplier,city\nMeridian,Oslo\nMeridian,Oslo\nMeridian,Porto'
  const draft = await draftOf(text)
  assert.match(draft.notes.join('\n'), /^id: no column .* add a column with a stable id/m)
  const ids = (await imported(text, draft)).map(({ id }) => id)
  assert.equal(new Set(ids).size, 3)
  assert.equal(ids[1], `${ids[0]}-2`)
})

test('numbers in JSON are amounts if they are exact, and decimals if rows have a currency', async () => {
  const typesIn = async (record: object) =>
    Object.values((await draftOf(JSON.stringify([{ id: 'a', ...record }]))).definition.fields).map(({ type }) => type)
  assert.deepEqual(await typesIn({ price: 1.5, weight: 2.25, count: 3 }), ['text', 'money', 'decimal', 'integer'])
  assert.deepEqual(await typesIn({ price: 1.5, currency: 'EUR' }), ['text', 'decimal', 'text'])
  assert.deepEqual(await typesIn({ price: 0.1 + 0.2, phone: 4930123 }), ['text', 'text', 'text'])
})

test('nested members become fields; lists of objects are left out, with a note', async () => {
  const document = { data: [{ key: 1, supplier: { name: 'Meridian', 'a/b': 'x' }, lines: [{ sku: 1 }], n: 1e30 }] }
  for (const space of [undefined, 2]) {
    const text = JSON.stringify(document, null, space)
    const draft = await draftOf(text)
    assert.deepEqual(draft.map, {
      format: 'json',
      records: '/data',
      fields: { id: '/key', supplierName: '/supplier/name', supplierAB: '/supplier/a~1b' },
    })
    assert.match(draft.notes.join('\n'), /^\/lines is left out: in some records it is an object/m)
    assert.match(draft.notes.join('\n'), /^\/n is left out: in some records it is a number with too many digits/m)
    assert.equal((await imported(text, draft))[0]?.supplierAB, 'x')
  }
})

test('a choice needs two values: another one would be refused later', async () => {
  const rows = Array.from({ length: 20 }, (_, i) => `${i},open,${i % 2 ? 'a' : 'b'}`)
  const { fields } = (await draftOf(['id,status,side', ...rows].join('\n'))).definition
  assert.deepEqual([fields.status?.type, fields.side?.values], ['text', ['b', 'a']])
})

test('ambiguous dates and decimals are read in one way, with a note', async () => {
  const { notes } = await draftOf('id,on,price\na,03/04/2026,"1,240"\nb,05/06/2026,"2,500"')
  assert.match(notes.join('\n'), /^on: the format may be dd\/MM\/yyyy or MM\/dd\/yyyy; it is read as dd\/MM\/yyyy$/m)
  assert.match(notes.join('\n'), /^price: the decimal mark may be '\.' or ','; it is read as '\.'$/m)
})

test('an unreadable sample is refused with its line', async () => {
  const refused = (text: string, message: RegExp) => assert.rejects(draftOf(text), message)
  await refused('', /the file is empty/)
  await refused('id,title', /the file has no records/)
  await refused('id,title\na', /^UserError: line 2: has 1 cell where the header has 2$/)
  await refused('{"id":"a"}\n{"id":', /^UserError: line 2: the record is not JSON: Unexpected end/)
  await refused('[1]', /^UserError: line 1, item 1: it is not an object$/)
  await refused('{\n"a": 1}', /no array of records/)
})

test('a huge sample is read up to a limit', async () => {
  const line = `${JSON.stringify({ id: 'x'.repeat(50), title: 'y'.repeat(1000) })}\n`
  let chunks = 0
  const endless = async function* () {
    for (;;) {
      chunks++
      yield Buffer.from(line.repeat(50))
    }
  }
  const { isCut, raw } = await readSample(endless(), 'orders')
  assert.ok(isCut && raw.length >= 5000 && chunks * 50 * line.length < 10_000_000, `${chunks} chunks`)
  const compressed = gzipSync(`${JSON.stringify({ id: 'x', title: 'y'.repeat(20_000) })}\n`.repeat(2000))
  const { length } = (await readSample(chunksOf(compressed), 'orders')).raw
  assert.ok(length < 1000, `${length} records of 20 kB`)
  const columns = Array.from({ length: 3000 }, (_, n) => ({ [`n${n}`]: 1 }))
  const { definition, notes } = await draftOf(JSON.stringify(columns))
  assert.equal(Object.keys(definition.fields).length, 100)
  assert.match(notes.join('\n'), /only the first 100 columns are used/)
})

test('a list is named after its file', () => {
  for (const [file, name] of [
    ['Orders 2026.csv', 'orders2026'],
    ['/exports/2026-11 Late Orders.ndjson.gz', 'lateorders202611'],
    ['Übergaben.JSON', 'ubergaben'],
    ['订单.csv', 'rows'],
    ['2026.csv', 'rows2026'],
    ['a-very-long-name-of-a-list-of-orders.tsv', 'averylongnameofalistofor'],
  ] as const)
    assert.equal(listNameOf(file), name)
})

test('a unique code or address is an id in any column; a unique amount or text is not', async () => {
  const idOf = async (text: string) => (await draftOf(text)).map.fields.id
  assert.equal(await idOf('city,mail\nOslo,a@x.example\nOslo,b@x.example'), 'mail')
  for (const column of ['amount\nOslo,1\nOslo,2', 'note\nOslo,one box\nOslo,two boxes'])
    assert.deepEqual(Object(await idOf(`city,${column}`)).hash, true)
})

test('the singular is derived from an English plural', () => {
  const names = ['orders', 'boxes', 'invoices', 'companies', 'days', 'stock', 'addresses', 'warehouses', 'bus']
  assert.deepEqual(names.map(singularOf), [
    ...['order', 'box', 'invoice', 'company', 'day', 'stock', 'address', 'warehouse', 'bus'],
  ])
})

/** What the columns of exports are called, and what is in their cells. */
const TITLES = [
  'id',
  'ID',
  'Order No',
  'Supplier Name',
  'state',
  'Total (€)',
  'createdAt',
  'deleted',
  'limit',
  '№',
  '2nd',
  '__proto__',
]
const CELLS = [
  ...[
    'Alvés & Filhos',
    'say "no"',
    'two\nlines',
    ' padded ',
    '007',
    '-0',
    'ann@acme.example',
    'https://acme.example/?q',
  ],
  ...[
    '2026-11-20T09:30:00+02:00',
    '2026-11-20',
    '20/11/2026',
    '1.240,50',
    '1,240',
    '3.50',
    '-7',
    'Yes',
    'no',
    'x'.repeat(12_000),
  ],
]

test('whatever the sample, the draft has no faults, and the sample itself can be imported', async () => {
  const columns = fc.uniqueArray(fc.constantFrom(...TITLES), { minLength: 1 })
  const kinds = fc.array(fc.uniqueArray(fc.constantFrom(...CELLS), { minLength: 1, maxLength: 3 }), { minLength: 12 })
  const sample = fc.record({
    columns,
    kinds,
    rows: fc.integer({ min: 1, max: 30 }),
    layout: fc.constantFrom(',', ';', '[', '{'),
  })
  await fc.assert(
    fc.asyncProperty(sample, async ({ columns, kinds, rows, layout }) => {
      const cells = Array.from({ length: rows }, (_, row) =>
        columns.map((_, i) => (i === 0 ? `row ${row}` : kinds[i]?.[row % (kinds[i]?.length ?? 1)]) ?? ''),
      )
      const records = cells.map((row) => Object.fromEntries(row.map((cell, i) => [`${columns[i]}`, cell])))
      const quoted = [columns, ...cells].map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(layout))
      const texts: Record<string, string> = { '[': JSON.stringify(records), '{': JSON.stringify({ results: records }) }
      const text = texts[layout] ?? quoted.join('\n')
      const draft = await draftOf(text)
      assert.deepEqual(definitionFaults(draft.definition), [])
      const imports = await imported(text, draft)
      assert.equal(imports.length, rows)
      const { example } = draft.definition
      assert.deepEqual(Object.fromEntries(Object.keys(example).map((field) => [field, imports[0]?.[field]])), example)
    }),
    { numRuns: 30 },
  )
})
