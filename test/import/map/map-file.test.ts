import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { builtInMapNames, loadMap, parseMap } from '../../../src/import/map/load-map.ts'
import type { List } from '../../../src/lists/definition.ts'
import { currentTasks } from '../../../src/resources/tasks/list.ts'
import { books as resource } from '../../resources/books/contract.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { readMapped } from '../read-mapped.ts'

const root = join(import.meta.dirname, '../../..')
const books = resource.list as List
const least = { format: 'json', fields: { id: '/id', title: '/title' } }
const withFields = (fields: object, more: object = {}) => ({
  ...least,
  ...more,
  fields: { ...least.fields, ...fields },
})

const paged = (nextPage: object, records = '/issues') =>
  withFields({}, { nextPage, ...(records !== '' && { records }) })

const faultOf = (map: unknown): string => {
  try {
    parseMap('m.json', typeof map === 'string' ? map : JSON.stringify(map), currentTasks)
    return 'none'
  } catch (error) {
    assert.equal((error as Error).name, 'UserError')
    return (error as Error).message
  }
}

const validate = new Ajv2020({ strict: false }).compile<unknown>(
  JSON.parse(readFileSync(join(root, 'contract/map.schema.json'), 'utf8')),
)

test('every built-in map matches the published schema, and describes its purpose', async () => {
  for (const name of await builtInMapNames()) {
    const map = JSON.parse(readFileSync(join(root, `src/import/maps/${name}.json`), 'utf8'))
    assert.ok(validate(map), `${name}: ${JSON.stringify(validate.errors)}`)
    assert.ok((map as { description: string }).description.length > 20, name)
  }
})

const misshapen: [map: unknown, fault: RegExp][] = [
  ['{', /is not JSON/],
  [[], /it must be an object/],
  [{}, /format is required; fields is required/],
  [{ ...least, format: 'xml' }, /format must be one of csv, json/],
  [{ ...least, colour: 'red' }, /colour is not a known field/],
  [withFields({ dueAt: 7 }), /fields\.dueAt must be a string or an array or an object/],
  [withFields({ dueAt: { from: '/due', format: 'iso' } }), /fields\.dueAt\.format is not a known field/],
  [withFields({ dueAt: { from: ['/due', 7] } }), /fields\.dueAt\.from\.1 must be a string/],
  [
    withFields({ details: { parts: [{ from: '/a', hash: true }] } }),
    /fields\.details\.parts\.0\.hash is not a known field/,
  ],
  [
    withFields({ status: { from: '/s', values: { Done: 1 } } }),
    /fields\.status\.values\.Done must be a string or null/,
  ],
  [withFields({ details: { from: '/d', truncate: 'yes' } }), /fields\.details\.truncate must be a boolean/],
  [withFields({}, { lookups: { lists: { records: '/lists', key: '/id' } } }), /lookups\.lists\.value is required/],
  [withFields({}, { skipIf: [{ is: ['x'] }] }), /skipIf\.0\.from is required/],
  [withFields({ dueAt: { from: Array(51).fill('/x') } }), /fields\.dueAt\.from must have at most 50 items, and has 51/],
]

for (const [map, fault] of misshapen)
  test(`the schema and the program reject the same map: ${fault.source}`, () => {
    assert.match(faultOf(map), fault)
    if (typeof map !== 'string') assert.ok(!validate(map))
  })

const contradictory: [map: unknown, fault: RegExp][] = [
  [{ format: 'csv', fields: { title: 'Name' } }, /fields\.id is required/],
  [withFields({ dueDate: '/due' }), /fields\.dueDate is not a field of tasks; they are id, title, details, dueAt/],
  [withFields({ details: {} }), /fields\.details\.from is required, unless there are parts or a default/],
  [withFields({ details: { from: '/a', parts: [] } }), /fields\.details\.parts cannot be combined with from/],
  [withFields({ details: 'notes' }), /fields\.details\.from "notes" is not a JSON pointer/],
  [withFields({ details: { from: '/d', formats: ['iso'] } }), /fields\.details\.formats is only for dates and times/],
  [withFields({ details: { from: '/d', dateOnly: true } }), /fields\.details\.dateOnly is only for dates and times/],
  [
    withFields({ dueAt: { from: '/d', formats: ['DD.MM.YYYY'] } }),
    /fields\.dueAt\.formats\.0 contains the unknown token DD/,
  ],
  [withFields({ id: { from: '/id', truncate: true } }), /fields\.id\.truncate is only for texts, and not for ids/],
  [withFields({ title: { from: '/t', hash: true } }), /fields\.title\.hash is only for the id/],
  [withFields({ details: { number: true } }), /fields\.details\.number is only for the id/],
  [withFields({ id: { from: '/i', number: true } }), /fields\.id\.number cannot be combined with a value/],
  [
    withFields({ status: { from: '/s', values: { Done: 'done' } } }),
    /fields\.status\.values\.Done must be one of open, completed, cancelled/,
  ],
  [withFields({ status: { from: '/s', otherwise: 'x' } }), /fields\.status\.otherwise must be one of open/],
  [withFields({ status: { default: 'x' } }), /fields\.status\.default must be one of open/],
  [
    withFields({ status: { from: '/s', any: 'open', values: {} } }),
    /fields\.status\.values cannot be combined with any/,
  ],
  [withFields({ details: { from: '/d', lookup: 'lists' } }), /fields\.details\.lookup is not one of the lookups/],
  [withFields({}, { records: 'cards' }), /records "cards" is not a JSON pointer/],
  [withFields({}, { records: '/boards/*/cards' }), /records must point to one array/],
  [
    withFields({}, { lookups: { l: { records: '/l', key: '/id', value: '/n' } } }),
    /records is required if there are lookups/,
  ],
  [{ format: 'csv', records: '/x', fields: { id: 'a', title: 'b' } }, /records is only for JSON/],
  [paged({}, ''), /records is required if pages are followed/],
  [paged({}), /nextPage\.token or url or offsetParameter is required/],
  [paged({ url: '/next', token: '/token', parameter: 'token' }), /nextPage\.token cannot be combined with url/],
  [paged({ token: '/token' }), /nextPage\.parameter is required with token/],
  [paged({ offsetParameter: 'startAt' }), /nextPage\.offsetParameter requires total and offset/],
  [paged({ url: '/next', total: '/total' }), /nextPage\.total is required with offset/],
  [paged({ offsetParameter: 'startAt', total: '/total', offset: 'startAt' }), /"startAt" is not a JSON pointer/],
  [withFields({}, { locale: 'portuguese!' }), /locale must be a language, such as pt-BR/],
  [withFields({}, { only: [{ from: '/x' }] }), /only\.0\.is is required, unless isEmpty is set/],
]

for (const [map, fault] of contradictory)
  test(`a map that contradicts itself or the fields is refused: ${fault.source}`, () =>
    assert.match(faultOf(map), fault))

test("a map is checked against its list's fields", async () => {
  const map = { format: 'csv', fields: { id: 'ISBN', title: 'Title', pages: 'Pages' } }
  assert.equal(parseMap('m', JSON.stringify(map), books).name, 'm')
  assert.match(faultOf(map), /fields\.pages is not a field of tasks/)
  await assert.rejects(loadMap('jira-csv', books), /the map jira-csv cannot be used: .*is not a field of books/)
})

test('a hostile map is refused: huge, deep, endless or missing', async (t) => {
  const folder = temporaryFolder(t)
  const file = (name: string, text: string | Buffer) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  await assert.rejects(loadMap(file('huge.json', ' '.repeat(300_000)), currentTasks), /is longer than 256 KiB/)
  await assert.rejects(loadMap('/dev/zero', currentTasks), /is longer than 256 KiB/)
  await assert.rejects(
    loadMap(file('deep.json', '['.repeat(1000) + ']'.repeat(1000)), currentTasks),
    /nests deeper than 64 levels/,
  )
  await assert.rejects(loadMap(file('latin1.json', Buffer.from([0x7b, 0xe9])), currentTasks), /must be text in UTF-8/)
  await assert.rejects(loadMap(join(folder, 'none.json'), currentTasks), /does not exist; name a built-in map without/)
  mkdirSync(join(folder, 'folder.json'))
  await assert.rejects(loadMap(join(folder, 'folder.json'), currentTasks), /must be a file/)
  const many = withFields(Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`f${i}`, '/x'])))
  await assert.rejects(loadMap(file('many.json', JSON.stringify(many)), currentTasks), /; and 4980 more$/)
})

test('an unknown name lists the built-in maps', async () =>
  await assert.rejects(
    loadMap('jria-csv', currentTasks),
    /^UserError: there is no built-in map jria-csv; the built-in maps are airtable-csv, asana-csv, .*trello-json; for a file, use its path, such as \.\/jria-csv$/,
  ))

test('inherited member names are ordinary names', async () => {
  const map = parseMap(
    'm',
    `{"format":"csv","fields":{"id":"__proto__","title":"constructor","bookKey":"toString",
      "details":{"from":"hasOwnProperty","values":{"__proto__":"p","constructor":"c"},"otherwise":null}}}`,
    currentTasks,
  )
  const file = '__proto__,constructor,hasOwnProperty\na,One,__proto__\nb,Two,constructor\nc,Three,toString\n'
  assert.deepEqual((await readMapped(file, map)).rows, [
    { id: 'a', title: 'One', details: 'p', status: 'open' },
    { id: 'b', title: 'Two', details: 'c', status: 'open' },
    { id: 'c', title: 'Three', status: 'open' },
  ])
  const json = parseMap(
    'm',
    '{"format":"json","fields":{"id":"/__proto__/id","title":"/constructor/name","details":"/toString"}}',
    currentTasks,
  )
  assert.deepEqual((await readMapped('[{"__proto__":{"id":"a"},"constructor":{"name":"One"}}]', json)).rows, [
    { id: 'a', title: 'One', status: 'open' },
  ])
  assert.deepEqual((await readMapped('[{}]', json)).complaints, ['1: id is required; title is required'])
  assert.match(
    faultOf('{"format":"json","fields":{"id":"/id","title":"/t","__proto__":"/x"}}'),
    /fields\.__proto__ is not a field of tasks/,
  )
  assert.match(
    faultOf(withFields({ details: { from: '/d', lookup: 'constructor' } })),
    /lookup is not one of the lookups/,
  )
})
