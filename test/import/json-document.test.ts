import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { documentFrames, MAX_DOCUMENT_BYTES } from '../../src/import/json-records.ts'
import { chunksOf, framesUpToLast } from '../support/frames.ts'

const framesOf = (pointers: string[], file: string, chunkBytes?: number) =>
  framesUpToLast(documentFrames(chunksOf(file, chunkBytes), 1, pointers))

const at = (pointer: string, file: string, chunkBytes?: number) => framesOf([pointer], file, chunkBytes)

test('records are found at the end of a path of names and numbers, however the document arrives', async () => {
  const file = `{"a": {"tasks": [0], "tas\\u006bs2": 1}, "x": "]}\\"", "n": -1.5e3, "b":
    [null, {"c": {"d": ["no"]}}, {"c": {"tasks": [ {"id": "[\\"" } , 7]}}], "z": {}}`
  for (const chunkBytes of [1, 2, 3, 5, 1000])
    assert.deepEqual(await at('/b/2/c/tasks', file, chunkBytes), [
      { line: 2, item: 1, text: '{"id": "[\\"" } ', array: '/b/2/c/tasks' },
      { line: 2, item: 2, text: '7', array: '/b/2/c/tasks' },
    ])
})

test('a name may be written with escapes', async () =>
  assert.deepEqual(await at('/tasks', '{"t\\u0061sks":[1]}'), [{ line: 1, item: 1, text: '1', array: '/tasks' }]))

const refused: [what: string, file: string, problem: string][] = [
  ['another place', '{"cards":[1],"name":"x"}', 'there is no array at /tasks'],
  ['an object in its place', '{"tasks":{"a":1}}', 'there is no array at /tasks'],
  ['null in its place', '{"tasks":null}', 'there is no array at /tasks'],
  ['two of them', '{"tasks":[],"tasks":[]}', '/tasks is there twice'],
  ['something after its end', '{"tasks":[]} {}', 'comes after the end of the document'],
  ['an array that another bracket closes', '{"tasks":[{"id":"a"},{}}', 'is not JSON'],
  ['no JSON', '{tasks:[]}', 'there is no array at /tasks'],
  ['the wrong bracket', '{"a":[],]"tasks":[]}', 'is not JSON'],
  ['a name out of the prototype', '{"__proto__":{"x":1},"constructor":[1]}', 'there is no array at /tasks'],
]

for (const [what, file, problem] of refused)
  test(`a document with ${what} is refused`, async () =>
    assert.deepEqual((await at('/tasks', file)).at(-1), { line: 1, problem, isLast: true, array: '/tasks' }))

test('a document that is cut short anywhere is refused', async () => {
  const file = '{"a":{"b":[1,{"c":"]"}]},"lists":[{"id":"l"}],"tasks":[{"id":"x"},{"id":"y"}],"z":[[],{}]}'
  for (let length = 1; length < file.length; length++) {
    const last = (await framesOf(['/lists', '/tasks'], file.slice(0, length), 3)).at(-1)
    assert.match(
      last && 'problem' in last ? last.problem : '',
      /^the file ends before (its document|this record) does$/,
    )
  }
})

test('whatever JSON surrounds them, the records are found as JSON.parse finds them', async () => {
  const document = fc.dictionary(
    fc.string({ maxLength: 5 }).filter((name) => name !== 'tasks'),
    fc.jsonValue({ maxDepth: 4 }),
    { maxKeys: 5 },
  )
  const tasks = fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(
      document,
      tasks,
      document,
      fc.integer({ min: 1, max: 50 }),
      fc.boolean(),
      async (before, records, after, chunkBytes, isWide) => {
        const whole = { ...before, tasks: records, after }
        const frames = await at('/tasks', JSON.stringify(whole, null, isWide ? 2 : 0), chunkBytes)
        assert.deepEqual(
          frames.map((frame) => ('text' in frame ? JSON.parse(frame.text) : frame)),
          JSON.parse(JSON.stringify(records)),
        )
      },
    ),
    { numRuns: 300 },
  )
})

test('arrays are read in the order in which they are asked for, wherever they lie', async () => {
  for (const file of ['{"lists":["l"],"tasks":[1,2]}', '{"tasks":[1,2],"x":[],"lists":["l"]}'])
    assert.deepEqual(
      (await framesOf(['/lists', '/tasks'], file)).map((frame) => 'text' in frame && frame.text),
      ['"l"', '1', '2'],
    )
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
      problem:
        'is a JSON document of more than 256 MiB; records in an array of their own, or one per line, may be more',
      isLast: true,
    },
  ])
})
