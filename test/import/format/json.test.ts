import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Frame } from '../../../src/import/format/frame.ts'
import { NOT_UTF8 } from '../../../src/import/format/frame.ts'
import { arrayFrames, ndjsonFrames } from '../../../src/import/format/json.ts'
import { chunksOf, framesUpToLast } from '../read-mapped.ts'

const MEBIBYTE = 1_048_576

const lines = (file: string | Buffer, chunkBytes?: number) =>
  framesUpToLast(ndjsonFrames(chunksOf(file, chunkBytes), 1))
const items = (file: string | Buffer, chunkBytes?: number) => framesUpToLast(arrayFrames(chunksOf(file, chunkBytes), 1))

test('lines keep their numbers across blank lines, CRLF and a last line without a line break', async () => {
  assert.deepEqual(await lines('{"a":1}\r\n\n  \r\n{"b":2}\n{"c":3}'), [
    { line: 1, text: '{"a":1}\r' },
    { line: 4, text: '{"b":2}' },
    { line: 5, text: '{"c":3}' },
  ])
})

test('a line that is not UTF-8 is reported, and the next is read', async () => {
  const file = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xe9]), Buffer.from('"}\n{"b":2}\n')])
  assert.deepEqual(await lines(file), [
    { line: 1, problem: NOT_UTF8 },
    { line: 2, text: '{"b":2}' },
  ])
})

test('a line may be 1 MiB long; a longer one ends the file, however it arrives', async () => {
  const file = `${'x'.repeat(MEBIBYTE)}\n${'y'.repeat(MEBIBYTE + 1)}\n{}\n`
  for (const chunkBytes of [10_000, 262_144, MEBIBYTE, 4 * MEBIBYTE])
    assert.deepEqual(await lines(file, chunkBytes), [
      { line: 1, text: 'x'.repeat(MEBIBYTE) },
      { line: 2, problem: 'is longer than 1 MiB', endsFile: true },
    ])
})

test('the records of an array are found, whatever their layout and their strings', async () => {
  assert.deepEqual(await items('[{"a":"]},[{\\"\\\\"},\n {\n  "b": [1, {"c": 2}]\n }\n, 7 ]\n'), [
    { line: 1, item: 1, text: '{"a":"]},[{\\"\\\\"}' },
    { line: 2, item: 2, text: '{\n  "b": [1, {"c": 2}]\n }\n' },
    { line: 5, item: 3, text: '7 ' },
  ])
})

test('a record of an array that is not UTF-8 is reported and the next is read, up to one that is too long', async () => {
  const file = Buffer.concat([
    Buffer.from('["'),
    Buffer.from([0xff]),
    Buffer.from(`",\n"${'x'.repeat(MEBIBYTE)}",\n{}]`),
  ])
  for (const chunkBytes of [10_000, 262_144, 4 * MEBIBYTE])
    assert.deepEqual(await items(file, chunkBytes), [
      { line: 1, item: 1, problem: NOT_UTF8 },
      { line: 2, item: 2, problem: 'is longer than 1 MiB', endsFile: true },
    ])
})

test('space between records does not count towards their length', async () => {
  const file = `[${' '.repeat(2 * MEBIBYTE)}{},${'\n'.repeat(2 * MEBIBYTE)}{}]`
  assert.deepEqual(await items(file, 65_536), [
    { line: 1, item: 1, text: '{}' },
    { line: 1 + 2 * MEBIBYTE, item: 2, text: '{}' },
  ])
})

const ONE = { line: 1, item: 1, text: '{}' }
const TWO = { line: 1, item: 2, text: '{}' }
const endsFile = true
const broken: [what: string, file: string, frames: Frame[]][] = [
  [
    'cut off within a record',
    '[{},\n{"a":',
    [ONE, { line: 2, item: 2, problem: 'the file ends within this record', endsFile }],
  ],
  ['cut off within a string', '["a', [{ line: 1, item: 1, problem: 'the file ends within this record', endsFile }]],
  [
    'cut off after a comma',
    '[{},\n',
    [ONE, { line: 2, problem: 'the file ends before its array is closed', endsFile }],
  ],
  ['cut off at once', '[', [{ line: 1, problem: 'the file ends before its array is closed', endsFile }]],
  ['a comma too many', '[{},]', [ONE, { line: 1, item: 2, problem: 'is missing next to a comma' }]],
  ['a comma too early', '[,{}]', [{ line: 1, item: 1, problem: 'is missing next to a comma' }, TWO]],
  ['something after it', '[{}]\n{}', [ONE, { line: 2, problem: 'comes after the end of the array', endsFile }]],
]

for (const [what, file, frames] of broken)
  test(`an array is refused: ${what}`, async () => assert.deepEqual(await items(file), frames))
