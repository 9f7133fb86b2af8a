import assert from 'node:assert/strict'
import { test } from 'node:test'
import { documentFrames, MAX_DOCUMENT_BYTES } from '../../src/import/json-records.ts'
import { chunksOf, framesUpToLast } from '../support/frames.ts'

const framesOf = (pointers: string[], file: string | Buffer, chunkBytes?: number) =>
  framesUpToLast(documentFrames(chunksOf(file, chunkBytes), 1, pointers))

test('records are found at the end of a path of names and numbers, however the document arrives', async () => {
  const file = `{"a": {"tasks": [0]}, "x": "é]}\\"", "b":
    [null, {"c": {"d": ["no"]}}, {"c": {"t\\u0061sks": [ {"id": "[\\"" } , 7]}}], "z": {}}`
  for (const chunkBytes of [1, 3, 1000])
    assert.deepEqual(await framesOf(['/b/2/c/tasks'], file, chunkBytes), [
      { item: 1, value: { id: '["' }, array: '/b/2/c/tasks' },
      { item: 2, value: 7, array: '/b/2/c/tasks' },
    ])
})

test('arrays are read in the order in which they are asked for, wherever they lie, and their items are numbered', async () => {
  const tasks = Array.from({ length: 2500 }, (_, i) => i + 1)
  const frames = await framesOf(['/lists', '/tasks'], JSON.stringify({ tasks, lists: ['l'] }))
  assert.deepEqual(frames, [
    { array: '/lists', item: 1, value: 'l' },
    ...tasks.map((value) => ({ array: '/tasks', item: value, value })),
  ])
})

const refused: [what: string, file: string | Buffer, problem: RegExp][] = [
  ['another place', '{"cards":[1],"name":"x"}', /^there is no array at \/tasks$/],
  ['an object in its place', '{"tasks":{"a":1}}', /^there is no array at \/tasks$/],
  ['a name out of the prototype', '{"__proto__":{"tasks":[]}}', /^there is no array at \/tasks$/],
  ['something after its end', '{"tasks":[]} {}', /^is not JSON, or was cut short: /],
  ['malformed JSON beside its records', '{"tasks":[],"x":[1,,2]}', /^is not JSON, or was cut short: /],
  ['bytes that are not UTF-8', Buffer.from('{"x":"\xe9","tasks":[]}', 'latin1'), /^is not UTF-8 text$/],
  ['too many levels', `{"x":${'['.repeat(64)}${']'.repeat(64)}}`, /document that nests deeper than 64 levels$/],
  ['too many values', `{"x":[${'1,'.repeat(5_000_000)}1]}`, /document that holds more than 5000000 values$/],
]

for (const [what, file, problem] of refused)
  test(`a document with ${what} is refused`, async () => {
    const [frame, ...others] = await framesOf(['/tasks'], file)
    assert.match(frame !== undefined && 'problem' in frame ? frame.problem : '', problem)
    assert.deepEqual([others, frame?.line], [[], 1])
  })

test('a document that is cut short anywhere is refused', async () => {
  const file = '{"a":{"b":[1,{"c":"]"}]},"lists":[{"id":"l"}],"tasks":[{"id":"x"},{"id":"y"}],"z":[[],{}]}'
  for (let length = 1; length < file.length; length++) {
    const [frame] = await framesOf(['/lists', '/tasks'], file.slice(0, length), 3)
    assert.ok(frame !== undefined && 'problem' in frame, file.slice(0, length))
  }
})

test('a document is read up to a bound', async () => {
  const space = Buffer.alloc(MAX_DOCUMENT_BYTES / 16, ' ')
  const chunks = async function* () {
    yield Buffer.from('{"tasks":[1]}')
    for (let count = 1; count <= 16; count++) yield space
    assert.fail('it was read beyond the bound')
  }
  assert.deepEqual(await framesUpToLast(documentFrames(chunks(), 1, ['/tasks'])), [
    {
      line: 1,
      problem: 'is a JSON document of more than 64 MiB; records in an array of their own, or one per line, may be more',
      isLast: true,
    },
  ])
})
