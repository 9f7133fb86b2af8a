import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Frame } from '../../src/import/frame.ts'
import { type ArrayPlace, DocumentFramer } from '../../src/import/json-document.ts'
import { ReferenceFramer } from '../../src/import/json-references.ts'

const place = (pointer: string): ArrayPlace => ({ pointer, segments: pointer.split('/').slice(1) })

async function framesOf(framer: DocumentFramer | ReferenceFramer, file: string, chunkBytes = 65_536): Promise<Frame[]> {
  const bytes = Buffer.from(file)
  const frames: Frame[] = []
  const isOver = () => frames.some((frame) => 'isLast' in frame)
  for (let at = 0; at < bytes.length && !isOver(); at += chunkBytes)
    frames.push(...(await framer.push(bytes.subarray(at, at + chunkBytes))))
  return isOver() ? frames : [...frames, ...(await framer.end())]
}

const at = (pointer: string, file: string, chunkBytes?: number) =>
  framesOf(new DocumentFramer(1, [place(pointer)]), file, chunkBytes)

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
  ['another place', '{"cards":[1],"name":"x"}', 'there is no array at /tasks; the document has cards, name'],
  ['an object in its place', '{"tasks":{"a":1}}', 'what lies at /tasks is not an array'],
  ['null in its place', '{"tasks":null}', 'what lies at /tasks is not an array'],
  ['two of them', '{"tasks":[],"tasks":[]}', '/tasks is there twice'],
  ['something after its end', '{"tasks":[]} {}', 'comes after the end of the document'],
  ['a scalar', '"tasks"', 'is neither a JSON object nor an array'],
  ['no JSON', '{tasks:[]}', 'is not JSON'],
  ['a quote after a value', '{"a":1"tasks":[]}', 'is not JSON'],
  ['the wrong bracket', '{"a":[],]"tasks":[]}', 'is not JSON'],
  [
    'a name out of the prototype',
    '{"__proto__":{"x":1},"constructor":[1]}',
    'there is no array at /tasks; the document has __proto__, constructor',
  ],
]

for (const [what, file, problem] of refused)
  test(`a document with ${what} is refused`, async () =>
    assert.deepEqual(await at('/tasks', file), [{ line: 1, problem, isLast: true }]))

test('a document that is cut short anywhere is refused', async () => {
  const file = '{"a":{"b":[1,{"c":"]"}]},"lists":[{"id":"l"}],"tasks":[{"id":"x"},{"id":"y"}],"z":[[],{}]}'
  for (let length = 1; length < file.length; length++)
    for (const framer of [
      new DocumentFramer(1, [place('/tasks')]),
      new ReferenceFramer(1, place('/tasks'), [place('/lists')]),
    ]) {
      const frames = await framesOf(framer, file.slice(0, length), 3)
      assert.ok(
        frames.some((frame) => 'isLast' in frame),
        file.slice(0, length),
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

test('items that records refer to come before them, wherever they lie', async () => {
  const [early, late] = ['{"lists":["l"],"tasks":[1,2]}', '{"tasks":[1,2],"x":[],"lists":["l"]}']
  for (const file of [early, late])
    for (const chunkBytes of [1, 4, 1000])
      assert.deepEqual(
        (await framesOf(new ReferenceFramer(1, place('/tasks'), [place('/lists')]), file, chunkBytes)).map(
          (frame) => 'text' in frame && frame.text,
        ),
        ['"l"', '1', '2'],
      )
})

test('records are not kept once what they refer to is read, nor where they refer to nothing', async () => {
  const framer = new ReferenceFramer(1, place('/tasks'), [place('/lists')])
  await framer.push(Buffer.from('{"lists":["l"],"tasks":['))
  assert.equal((await framer.push(Buffer.from('1,2,'))).length, 2)
  const plain = new ReferenceFramer(1, place('/tasks'), [])
  assert.equal((await plain.push(Buffer.from('{"tasks":[1,2,'))).length, 2)
})

test('records that come before what they refer to are kept up to a bound', async () => {
  const framer = new ReferenceFramer(1, place('/tasks'), [place('/lists')])
  const record = Buffer.from(`"${'x'.repeat(1_000_000)}",`)
  await framer.push(Buffer.from('{"tasks":['))
  let frames: Frame[] = []
  let count = 0
  for (; frames.length === 0 && count < 100; count++) frames = await framer.push(record)
  assert.equal(count, 68)
  const problem = 'more than 64 MiB of records come before the items that they refer to'
  assert.deepEqual(frames, [{ line: 1, problem, isLast: true }])
})
