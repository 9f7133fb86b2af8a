import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_DOCUMENT_BYTES, parseDocument } from '../../../src/import/format/json.ts'
import { parseMap } from '../../../src/import/map/load-map.ts'
import { currentTasks } from '../../../src/resources/tasks/list.ts'
import { readMapped } from '../read-mapped.ts'

const mapOf = (records: string, lookups: object = {}, details: object = { from: '/d' }) =>
  parseMap(
    'm',
    JSON.stringify({ format: 'json', records, lookups, fields: { id: '/id', title: '/id', details } }),
    currentTasks,
  )

test('records are found at a path of names and numbers, however the document arrives', async () => {
  const file = `{"a": {"tasks": [0]}, "x": "é]}\\"", "b":
    [null, {"c": {"d": ["no"]}}, {"c": {"t\\u0061sks": [ {"id": "[\\"" } , 7, {"id": null}]}}], "z": {}}`
  for (const chunkBytes of [1, 3, 1000])
    assert.deepEqual(await readMapped(file, mapOf('/b/2/c/tasks'), { chunkBytes }), {
      rows: [],
      complaints: ['item 2: id is required; title is required', 'item 3: id is required; title is required'],
    })
})

test('look-ups are filled wherever their arrays are, and the records of a large array keep their order', async () => {
  const tasks = Array.from({ length: 2500 }, (_, i) => ({ id: `t${i}`, d: i % 2 }))
  const lists = [{ k: 0, v: 'even' }, { k: 1, v: 'odd' }, { k: 2 }, null]
  const map = mapOf('/tasks', { l: { records: '/lists', key: '/k', value: '/v' } }, { from: '/d', lookup: 'l' })
  for (const document of [
    { tasks, lists },
    { lists, tasks },
  ])
    assert.deepEqual(
      (await readMapped(JSON.stringify(document), map)).rows.map(({ id, details }) => `${id} ${details}`),
      tasks.map(({ id, d }) => `${id} ${d === 0 ? 'even' : 'odd'}`),
    )
  assert.deepEqual((await readMapped('{"tasks":[]}', map)).complaints, ['1: there is no array at /lists'])
})

const refused: [what: string, file: string | Buffer, complaint: RegExp][] = [
  ['another place', '{"cards":[1],"name":"x"}', /^1: there is no array at \/tasks$/],
  ['an object in its place', '{"tasks":{"a":1}}', /^1: there is no array at \/tasks$/],
  ['a name out of the prototype', '{"__proto__":{"tasks":[]}}', /^1: there is no array at \/tasks$/],
  ['something after its end', '{"tasks":[]} {}', /^1: the document is not valid JSON, or is truncated: /],
  [
    'malformed JSON beside its records',
    '{"tasks":[],"x":[1,,2]}',
    /^1: the document is not valid JSON, or is truncated: /,
  ],
  ['bytes that are not UTF-8', Buffer.from('{"x":"\xe9","tasks":[]}', 'latin1'), /^1: is not UTF-8 text;/],
  ['too many levels', `{"x":${'['.repeat(64)}${']'.repeat(64)}}`, /^1: the document nests deeper than 64 levels$/],
  ['too many values', `{"x":[${'1,'.repeat(5_000_000)}1]}`, /^1: the document holds more than 5000000 values$/],
]

for (const [what, file, complaint] of refused)
  test(`a document with ${what} is refused`, async () => {
    const { rows, complaints } = await readMapped(file, mapOf('/tasks'))
    assert.deepEqual([rows.length, complaints.length], [0, 1])
    assert.match(complaints[0] ?? '', complaint)
  })

test('a document that is truncated anywhere is refused', async () => {
  const file = '{"a":{"b":[1,{"c":"]"}]},"lists":[{"id":"l"}],"tasks":[{"id":"x"},{"id":"y"}],"z":[[],{}]}'
  for (let length = 1; length < file.length; length++)
    assert.match(
      (await readMapped(file.slice(0, length), mapOf('/tasks'))).complaints.join(),
      /^1: the document is not valid JSON, or is truncated/,
    )
})

test('a document is read up to a limit', async () => {
  const space = Buffer.alloc(MAX_DOCUMENT_BYTES / 16, ' ')
  const chunks = async function* () {
    yield Buffer.from('{"tasks":[1]}')
    for (let count = 1; count <= 16; count++) yield space
    assert.fail('it was read beyond the bound')
  }
  assert.deepEqual(await parseDocument(chunks()), {
    problem: 'is a JSON document of more than 64 MiB; a plain array of records, or NDJSON, may be larger',
  })
})
