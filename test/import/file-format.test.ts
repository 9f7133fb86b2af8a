import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMapped } from '../support/read-mapped.ts'

const tasks = [
  { id: 'a', title: 'One', status: 'open' },
  { id: 'b', title: 'Two', status: 'open' },
]

for (const [format, file] of [
  ['NDJSON', '{"id":"a","title":"One","dueAt":"2026-11-16T16:00:00+09:00"}\n{"id":"b","title":"Zwö"}\n'],
  ['a JSON array', '[{"id":"a","title":"One","dueAt":"2026-11-16T16:00:00+09:00"},{"id":"b","title":"Zwö"}]'],
  ['CSV', 'id,title,dueAt\na,One,2026-11-16T16:00:00+09:00\nb,Zwö,\n'],
])
  test(`${format} is detected by how it begins, also after a byte order mark and blank lines, and byte by byte`, async () => {
    const rows = [
      { id: 'a', title: 'One', dueAt: '2026-11-16T07:00:00.000Z', status: 'open' },
      { id: 'b', title: 'Zwö', status: 'open' },
    ]
    for (const lead of ['', '\uFEFF', '\uFEFF\r\n \t\n'])
      for (const chunkBytes of [1, 65_536])
        assert.deepEqual(await readMapped(lead + file, undefined, { chunkBytes }), { rows, complaints: [] })
  })

test('the shape in which tasks are answered is read without a map, however it is laid out', async () => {
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

test('the shape in which tasks are answered is refused where it is cut short', async () => {
  const file = '{"tasks":[{"id":"a","title":"One"}],"hasMore":false}'
  for (let length = 1; length < file.length; length++)
    assert.equal((await readMapped(file.slice(0, length), undefined)).complaints.length, 1, file.slice(0, length))
})

test('a file of two bytes is read', async () =>
  assert.deepEqual(await readMapped('[]', undefined, { chunkBytes: 1 }), { rows: [], complaints: [] }))

for (const [encoding, mark] of [
  ['utf16le', '\uFEFF'],
  ['utf16le', ''],
] as const)
  for (const text of ['id,title\na,One\n', '[{"id":"a","title":"One"}]'])
    test(`UTF-16 ${mark === '' ? 'without' : 'with'} a byte order mark is refused by its name: ${text.slice(0, 4)}`, async () => {
      const file = Buffer.from(mark + text, encoding)
      for (const bytes of [file, Buffer.from(file).swap16()])
        assert.deepEqual((await readMapped(bytes, undefined, { chunkBytes: 1 })).complaints, [
          '1: is UTF-16 text; save it as UTF-8 first (in Excel: CSV UTF-8)',
        ])
    })
