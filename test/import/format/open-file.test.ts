import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { decompressed, openFile } from '../../../src/import/format/open-file.ts'
import { UserError } from '../../../src/lib/user-error.ts'
import { readMapped } from '../read-mapped.ts'

const tasks = [
  { id: 'a', title: 'One', status: 'open' },
  { id: 'b', title: 'Two', status: 'open' },
]

for (const [format, file] of [
  ['NDJSON', '{"id":"a","title":"One","dueAt":"2026-11-16T16:00:00+09:00"}\n{"id":"b","title":"Zwö"}\n'],
  ['a JSON array', '[{"id":"a","title":"One","dueAt":"2026-11-16T16:00:00+09:00"},{"id":"b","title":"Zwö"}]'],
  ['CSV', 'id,title,dueAt\na,One,2026-11-16T16:00:00+09:00\nb,Zwö,\n'],
])
  test(`${format} is detected by its beginning, also after a byte order mark and blank lines, and byte by byte`, async () => {
    const rows = [
      { id: 'a', title: 'One', dueAt: '2026-11-16T07:00:00.000Z', status: 'open' },
      { id: 'b', title: 'Zwö', status: 'open' },
    ]
    for (const lead of ['', '\uFEFF', '\uFEFF\r\n \t\n'])
      for (const chunkBytes of [1, 65_536])
        assert.deepEqual(await readMapped(lead + file, undefined, { chunkBytes }), { rows, complaints: [] })
  })

test('the shape of the tasks response is read without a map, however it is laid out', async () => {
  const response = {
    tasks: [
      { id: 'a', title: 'One' },
      { id: 'b', title: 'Two' },
    ],
    hasMore: false,
  }
  for (const file of [
    JSON.stringify(response),
    JSON.stringify(response, null, 2),
    `\uFEFF \n${JSON.stringify(response, null, '\t')}\n`,
  ])
    for (const chunkBytes of [1, 3, 65_536])
      assert.deepEqual(await readMapped(file, undefined, { chunkBytes }), { rows: tasks, complaints: [] })
  assert.deepEqual(await readMapped('{"tasks":[]}', undefined), { rows: [], complaints: [] })
})

test('the shape of the tasks response is refused if truncated', async () => {
  const file = '{"tasks":[{"id":"a","title":"One"}],"hasMore":false}'
  for (let length = 1; length < file.length; length++)
    assert.equal((await readMapped(file.slice(0, length), undefined)).complaints.length, 1, file.slice(0, length))
})

test('a file of two bytes is read', async () =>
  assert.deepEqual(await readMapped('[]', undefined, { chunkBytes: 1 }), { rows: [], complaints: [] }))

test('a compressed file is read like an uncompressed one, and must be complete', async () => {
  const text = 'id,title\na,One\nb,Two\n'
  const packed = gzipSync(text)
  for (const chunkBytes of [2, 7, 65_536])
    assert.deepEqual(await readMapped(packed, undefined, { chunkBytes }), { rows: tasks, complaints: [] })
  assert.deepEqual(await readMapped(gzipSync(packed), undefined), {
    rows: [],
    complaints: ['1: is compressed twice; decompress it first'],
  })
  const parts = Buffer.concat([gzipSync('id,title\na,One\n'), gzipSync('b,Two\n')])
  assert.deepEqual(await readMapped(parts, undefined), { rows: tasks, complaints: [] })
  await assert.rejects(
    readMapped(packed.subarray(0, -9), undefined),
    /^UserError: the file is not valid gzip, or was truncated$/,
  )
  await assert.rejects(
    readMapped(Buffer.concat([packed, Buffer.from('x')]), undefined),
    /^UserError: the file (is not valid gzip, or was truncated|continues after the end of its gzip data)$/,
  )
})

test('a file that decompresses to more than the limit is refused, without being held in memory', async () => {
  const bomb = async function* () {
    yield gzipSync(Buffer.alloc(20_000_000, 0x20))
  }
  const read = async () => {
    let bytes = 0
    const fail = (problem: string) => new UserError(problem)
    for await (const chunk of decompressed(bomb(), 1_000_000, fail)) bytes += chunk.length
    return bytes
  }
  await assert.rejects(read(), /^UserError: is larger than 1,000,000 bytes, the limit$/)
})

for (const [what, start, problem] of [
  [
    'a workbook',
    'PK\x03\x04\x14\0\x06\0[Content_Types].xml',
    /^1: is an Excel workbook or a ZIP archive; save it as CSV/,
  ],
  ['an old workbook', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', /^1: is an Excel workbook or a ZIP archive; save it as CSV/],
  ['a page to sign in', '\n<!DOCTYPE html>\n<title>Log in</title>', /^2: is an HTML page, perhaps one to sign in/],
  ['UTF-16', '\xff\xfei\0d\0,\0t\0\n\0', /^1: is not UTF-8 text; save it as UTF-8 first/],
  ['Latin-1', 'id,title\na,Caf\xe9\nb,Th\xe9\n', /^1: is not UTF-8 text; save it as UTF-8 first/],
  ['Latin-1 in JSON', '[{"id":"a",\n"title":"Caf\xe9"}]\n', /^1: is not UTF-8 text; save it as UTF-8 first/],
] as const)
  test(`${what} is reported in one line`, async () => {
    const { rows, complaints } = await readMapped(Buffer.from(start, 'latin1'), undefined)
    assert.deepEqual(rows, [])
    assert.equal(complaints.length, 1)
    assert.match(complaints[0] ?? '', problem)
  })

test('a character at the end of the inspected part may be cut', async () => {
  const rows = Array.from({ length: 20_000 }, (_, i) => `${i},é`).join('\n')
  const { complaints } = await readMapped(`id,title\n${rows}\n`, undefined)
  assert.deepEqual(complaints, [])
})

test('a record may begin with a field that is named like the resource', async () => {
  const formatOf = async (file: string) => {
    const chunks = [Buffer.from(file)].values()
    return (await openFile({ next: async () => chunks.next() }, 'stock')).format
  }
  for (const field of ['5', 'null', '"a"', '["a"]'])
    assert.equal(await formatOf(`{"stock": ${field}, "id": "a"}\n`), 'lines')
  for (const list of ['[{"id": "a"}]', '[ ]', '[']) assert.equal(await formatOf(`{"stock": ${list}`), 'document')
})
