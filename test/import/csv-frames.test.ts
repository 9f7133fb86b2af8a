import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FieldColumns } from '../../src/import/csv-columns.ts'
import { CsvFramer } from '../../src/import/csv-frames.ts'
import type { Frame } from '../../src/import/frame.ts'
import { recordReader } from '../../src/import/record.ts'
import { table } from '../../src/resources/tasks/contract.ts'

const MEBIBYTE = 1_048_576

/** Reads as the import does: nothing is asked for after the last frame. */
async function rows(file: string | Buffer, chunkBytes = Number.POSITIVE_INFINITY): Promise<Frame[]> {
  const framer = new CsvFramer(1, new FieldColumns(recordReader(table)))
  const bytes = Buffer.from(file)
  const frames: Frame[] = []
  const isOver = () => frames.some((frame) => 'isLast' in frame)
  for (let at = 0; at < bytes.length && !isOver(); at += chunkBytes)
    frames.push(...(await framer.push(bytes.subarray(at, at + chunkBytes))))
  if (!isOver()) for await (const last of framer.end()) frames.push(...last)
  return isOver() ? frames.slice(0, frames.findIndex((frame) => 'isLast' in frame) + 1) : frames
}

test('the header names the fields, and an empty cell says nothing of its field', async () => {
  assert.deepEqual(await rows('id,title, dueAt \na,One,\nb,"Two, ""too""",2026-11-15T09:00:00Z\nc,"",\n'), [
    { line: 2, value: { id: 'a', title: 'One' } },
    { line: 3, value: { id: 'b', title: 'Two, "too"', dueAt: '2026-11-15T09:00:00Z' } },
    { line: 4, value: { id: 'c' } },
  ])
})

test('a row is named by the line on which it begins, whatever line breaks it and others hold', async () => {
  for (const newline of ['\n', '\r\n'])
    assert.deepEqual(await rows(['id,title', 'a,"One', 'and more"', '', '  ', ',', 'b,Two', 'c,"x'].join(newline)), [
      { line: 2, value: { id: 'a', title: `One${newline}and more` } },
      { line: 7, value: { id: 'b', title: 'Two' } },
      { line: 8, problem: 'a quote that is opened here is never closed' },
    ])
})

test('line ends of both kinds may be mixed, and the last may be missing', async () => {
  assert.deepEqual(await rows('id,title\r\na,One\nb,Two\r\nc,Three'), [
    { line: 2, value: { id: 'a', title: 'One' } },
    { line: 3, value: { id: 'b', title: 'Two' } },
    { line: 4, value: { id: 'c', title: 'Three' } },
  ])
})

test('cells may be separated by commas, semicolons or tabs, whichever the header has most of outside quotes', async () => {
  const expected = [{ line: 2, value: { id: 'a', title: 'One, two; three' } }]
  assert.deepEqual(await rows('id;title\na;"One, two; three"'), expected)
  assert.deepEqual(await rows('"id"\t"title"\na\tOne, two; three\n'), expected)
  assert.deepEqual(await rows('id,title\na,"One, two; three"\n'), expected)
  const quoted = 'id;title;"details"\r\na;"One;\r\ntwo";x\r\n'
  for (const chunkBytes of [1, 2, 7, 1000])
    assert.deepEqual(await rows(quoted, chunkBytes), [
      { line: 2, value: { id: 'a', title: 'One;\r\ntwo', details: 'x' } },
    ])
})

test('what stands in quotes in the header does not decide what separates cells', async () => {
  assert.deepEqual(await rows('"id"\t"title"\t"a;b;c;d,,,,,"\nx\tOne\tz\n'), [
    { line: 1, problem: 'a;b;c;d,,,,, is not known here' },
    { line: 2, value: { id: 'x', title: 'One' } },
  ])
})

test('a row with too many or too few cells is named, and the next is read', async () => {
  assert.deepEqual(await rows('id,title\na\nb,Two,2\nc,Three\n'), [
    { line: 2, problem: 'has 1 cell where the header has 2' },
    { line: 3, problem: 'has 3 cells where the header has 2' },
    { line: 4, value: { id: 'c', title: 'Three' } },
  ])
})

test('a quote out of place is named once a line, and the next is read', async () => {
  const problem = 'has a quote out of place; a cell with quotes in it stands in quotes, with each of its own doubled'
  assert.deepEqual(await rows('id,title\na,5" by 7" card\nb,"say \\"hi\\" now"\nc,Three\n'), [
    { line: 2, problem },
    { line: 3, problem },
    { line: 4, value: { id: 'c', title: 'Three' } },
  ])
})

test('a row that is not UTF-8 is named, and the next is read', async () => {
  const file = Buffer.concat([Buffer.from('id,title\na,Caf'), Buffer.from([0xe9]), Buffer.from('\nb,Café 𝄞\n')])
  assert.deepEqual(await rows(file), [
    { line: 2, problem: 'is not UTF-8 text' },
    { line: 3, value: { id: 'b', title: 'Café 𝄞' } },
  ])
})

test('a column that is not known is named once, and the rows are read without it', async () => {
  assert.deepEqual(await rows('id,colour,title,\na,red,One,x\n'), [
    { line: 1, problem: 'colour is not known here; a column has no name' },
    { line: 2, value: { id: 'a', title: 'One' } },
  ])
})

const useless: [what: string, file: string | Buffer, problem: string][] = [
  ['no id', 'title\nOne\n', 'id is required; a CSV file begins with the names of its fields'],
  [
    'bars between its cells',
    'id|title\na|One\n',
    'id|title is not known here; id is required; title is required; a CSV file begins with the names of its fields',
  ],
  ['a field twice', 'id,title,id\na,One,b\n', 'id is there twice'],
  ['not UTF-8', Buffer.from('id,title\n', 'utf16le').fill(0xff, 0, 1), 'is not UTF-8 text'],
  [
    'a quote out of place',
    'id,ti"tle"\na,One\n',
    'has a quote out of place; a cell with quotes in it stands in quotes, with each of its own doubled',
  ],
]

for (const [what, file, problem] of useless) {
  test(`nothing can be read below a header with ${what}`, async () =>
    assert.deepEqual(
      (await rows(file)).map(({ line, ...frame }) => ({
        line,
        problem: 'problem' in frame && frame.problem,
        isLast: 'isLast' in frame,
      })),
      [{ line: 1, problem, isLast: true }],
    ))
}

test('a row longer than 1 MiB ends the reading, for it may well be a quote that was left open', async () => {
  const tooLong = [{ line: 3, problem: 'is longer than 1 MiB; is a quote left open?', isLast: true }]
  for (const row of [`b,${'x'.repeat(2 * MEBIBYTE)}`, `b,"${'x\n'.repeat(MEBIBYTE)}`, ','.repeat(2 * MEBIBYTE)])
    for (const chunkBytes of [65_536, 8 * MEBIBYTE])
      assert.deepEqual((await rows(`id,title\na,One\n${row}\nc,Three\n`, chunkBytes)).slice(1), tooLong)
})

test('a header may have 1,000 columns; one with more is refused by their number, and nothing below it is read', async () => {
  const header = (columns: number) => ['id', 'title', ...Array.from({ length: columns - 2 }, (_, i) => `c${i}`)].join()
  const [unknown, row] = await rows(`${header(1000)}\na,One${','.repeat(998)}\n`)
  assert.match(unknown && 'problem' in unknown ? unknown.problem : '', /^c0 is not known here; c1 is not known here; /)
  assert.deepEqual(row, { line: 2, value: { id: 'a', title: 'One' } })
  for (const [columns, file] of [
    [1001, header(1001)],
    [200_000, header(200_000).slice(0, 900_000)],
    [300_000, 'id,'.repeat(299_999)],
  ] as const) {
    const [frame, ...others] = await rows(`${file}\na,One\n`)
    assert.deepEqual(others, [])
    const count = columns === 200_000 ? file.split(',').length : columns
    assert.deepEqual(frame, {
      line: 1,
      problem: `the header has ${count} columns; at most 1000 are read`,
      isLast: true,
    })
  }
})

test('a row of very many cells is counted, and the next is read', async () => {
  assert.deepEqual(await rows(`id,title\n${'x,'.repeat(500_000)}\nb,Two\n`), [
    { line: 2, problem: 'has 500001 cells where the header has 2' },
    { line: 3, value: { id: 'b', title: 'Two' } },
  ])
})

test('a field that is there many times is named once', async () => {
  assert.deepEqual(await rows('id,title,id,id,title\n'), [
    { line: 1, problem: 'id is there twice; title is there twice', isLast: true },
  ])
})

test('where the chunks are cut makes no difference', async () => {
  const file = 'id,title\r\n"é",𝄞\r\n\r\nb,"x\r\n""y"""\r\nc,a"b"\r\nd,Four'
  const whole = await rows(file)
  assert.deepEqual(
    whole.map(({ line }) => line),
    [2, 4, 6, 7],
  )
  for (let chunkBytes = 1; chunkBytes < 60; chunkBytes++) assert.deepEqual(await rows(file, chunkBytes), whole)
})
