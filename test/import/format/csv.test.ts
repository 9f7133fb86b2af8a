import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvFrames } from '../../../src/import/format/csv.ts'
import { NOT_UTF8 } from '../../../src/import/format/frame.ts'
import { chunksOf, framesUpToLast, readMapped } from '../read-mapped.ts'

const MEBIBYTE = 1_048_576
const MISPLACED = 'has a misplaced quote; a cell that contains quotes must be quoted, with each inner quote doubled'

const rows = (file: string | Buffer, chunkBytes?: number) =>
  framesUpToLast(csvFrames(chunksOf(file, chunkBytes), 1, Buffer.from(file).subarray(0, 65_536)))

test('a row is reported with the line on which it begins, whatever line breaks it contains', async () => {
  for (const newline of ['\n', '\r\n'])
    assert.deepEqual(await rows(['id,title', 'a,"One', 'and more"', '', '  ', ',', 'b,Two', 'c,"x'].join(newline)), [
      { line: 1, cells: ['id', 'title'] },
      { line: 2, cells: ['a', `One${newline}and more`] },
      { line: 7, cells: ['b', 'Two'] },
      { line: 8, problem: 'a quote that opens here is never closed' },
    ])
})

test('chunk boundaries and line endings make no difference', async () => {
  const file = 'id,title\n"é",𝄞\r\n\r\nb,"x\r\n""y"""\r\nc,a"b"\r\nd,Four'
  const whole = await rows(file)
  assert.deepEqual(
    whole.map(({ line }) => line),
    [1, 2, 4, 6, 7],
  )
  for (let chunkBytes = 1; chunkBytes < 60; chunkBytes++) assert.deepEqual(await rows(file, chunkBytes), whole)
})

test('cells may be separated by commas, semicolons or tabs, whichever is most frequent in the header outside quotes', async () => {
  const expected = { line: 2, cells: ['a', 'One, two; three'] }
  for (const file of [
    'id;title\na;"One, two; three"',
    '"id"\t"title"\na\tOne, two; three\n',
    'id,title\na,"One, two; three"\n',
  ])
    assert.deepEqual((await rows(file))[1], expected)
  assert.deepEqual((await rows('"id"\t"title"\t"a;b;c;d,,,,,"\nx\tOne\tz\n'))[1], { line: 2, cells: ['x', 'One', 'z'] })
})

test('a misplaced quote is reported once per line, as is a row that is not UTF-8, and the next row is read', async () => {
  const misquoted = 'id,title\na,5" by 7" card\nb,"say \\"hi\\" now"\nc,Caf'
  const file = Buffer.concat([Buffer.from(misquoted), Buffer.from([0xe9]), Buffer.from('\nd,Café 𝄞\n')])
  assert.deepEqual((await rows(file)).slice(1), [
    { line: 2, problem: MISPLACED },
    { line: 3, problem: MISPLACED },
    { line: 4, problem: NOT_UTF8 },
    { line: 5, cells: ['d', 'Café 𝄞'] },
  ])
})

test('a row longer than 1 MiB ends the file, since a quote may have been left open', async () => {
  const tooLong = [{ line: 3, problem: 'is longer than 1 MiB; is a quote left open?', endsFile: true }]
  for (const row of [`b,${'x'.repeat(2 * MEBIBYTE)}`, `b,"${'x\n'.repeat(MEBIBYTE)}`, ','.repeat(2 * MEBIBYTE)])
    for (const chunkBytes of [65_536, 8 * MEBIBYTE])
      assert.deepEqual((await rows(`id,title\na,One\n${row}\nc,Three\n`, chunkBytes)).slice(2), tooLong)
})

test('the header names the fields, and an empty cell leaves its field out', async () => {
  assert.deepEqual(await readMapped('id,title, dueAt \na,One,\nb,"Two, ""too""",2026-11-15T09:00:00Z\n', undefined), {
    rows: [
      { id: 'a', title: 'One', status: 'open' },
      { id: 'b', title: 'Two, "too"', dueAt: '2026-11-15T09:00:00.000Z', status: 'open' },
    ],
    complaints: [],
  })
})

const header = (columns: number) => ['id', 'title', ...Array.from({ length: columns - 2 }, (_, i) => `c${i}`)].join()

/** The rest of a file is read if its header is valid. */
const refused: [what: string, file: string | Buffer, complaints: string[]][] = [
  [
    'rows with too many or too few cells, or very many',
    `id,title\na\nb,Two,2\n${'x,'.repeat(500_000)}\nc,Three\n`,
    [
      '2: has 1 cell where the header has 2',
      '3: has 3 cells where the header has 2',
      '4: has 500001 cells where the header has 2',
    ],
  ],
  [
    'columns that are not known, once',
    'id,colour,title,\na,red,One,x\nb,red\n',
    ['1: colour is not a known field; a column has no name', '3: has 2 cells where the header has 4'],
  ],
  ['a header without an id', 'title\nOne\n', ['1: id is required; a CSV file must start with a row of field names']],
  [
    'a header with fields twice',
    'id,title,id,id,title\na\n',
    ['1: id appears more than once; title appears more than once'],
  ],
  [
    'a header that is not UTF-8',
    Buffer.from('id,title,caf\xe9\n', 'latin1'),
    ['1: is not UTF-8 text; save it as UTF-8 first (in Excel: CSV UTF-8)'],
  ],
  ['a header with a quote out of place', 'id,ti"tle"\na,One\n', [`1: ${MISPLACED}`]],
  [
    'a header with bars between its cells',
    'id|title\na|One\n',
    [
      '1: use a map for other columns: see --map and docs/maps.md; id|title is not a known field; id is required; ' +
        'title is required; a CSV file must start with a row of field names',
    ],
  ],
  [
    'a header with more than 10,000 columns',
    `${header(10_001)}\na,One\n`,
    ['1: the header has 10001 columns; at most 10000 are read'],
  ],
  [
    'a header with very many columns',
    `${'id,'.repeat(299_999)}\na,One\n`,
    ['1: the header has 300000 columns; at most 10000 are read'],
  ],
]

for (const [what, file, complaints] of refused)
  test(`refused: ${what}`, async () => assert.deepEqual(await readMapped(file, undefined), { rows: [], complaints }))
