import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseMap } from '../../../src/import/map/load-map.ts'
import { mapping } from '../../../src/import/map/mapping.ts'
import { MapReport } from '../../../src/import/map/report.ts'
import type { MapFile } from '../../../src/import/map/schema.ts'
import { recordSchema } from '../../../src/import/record-schema.ts'
import { UTC } from '../../../src/lib/local-dates.ts'
import type { Row } from '../../../src/lists/column.ts'
import { fieldsOf } from '../../../src/lists/definition.ts'
import { compileColumns } from '../../../src/resources/declared/compile.ts'
import { currentTasks } from '../../../src/resources/tasks/list.ts'
import { parcels } from '../kinds.ts'
import { readMapped } from '../read-mapped.ts'

const mapOf = (format: 'csv' | 'json', fields: object, more: object = {}) =>
  parseMap(
    'm',
    JSON.stringify({
      format,
      ...more,
      fields: { ...(format === 'csv' ? { id: 'id', title: 'title' } : { id: '/id', title: '/title' }), ...fields },
    }),
    currentTasks,
  )

/** The result of one record: the fields besides id, title and status, or its faults. */
async function one(record: object, fields: object, more: object = {}) {
  const { rows, complaints } = await readMapped(
    JSON.stringify([{ id: 'a', title: 'T', ...record }]),
    mapOf('json', fields, more),
  )
  if (complaints.length > 0) return complaints[0]
  const { id, title, status, ...others } = rows[0] ?? {}
  return rows.length === 0 ? 'left out' : others
}

test('the first column that is not empty is used, trimmed', async () => {
  const fields = { details: ['/a', '/b/0/c', '/d'] }
  assert.deepEqual(await one({ a: '  ', b: [{ c: ' x \n' }], d: 'y' }, fields), { details: 'x' })
  assert.deepEqual(await one({ a: null, b: [], d: false }, fields), { details: 'false' })
  assert.deepEqual(await one({}, fields), {})
})

test('several values are joined, and the first ones can be left out', async () => {
  const record = { people: [{ n: 'P' }, { n: null }, { n: 'Q' }, { n: 'R' }] }
  assert.deepEqual(await one(record, { details: { from: '/people/*/n', join: ', ' } }), { details: 'P, Q, R' })
  assert.deepEqual(await one(record, { details: { from: '/people/*/n', join: ', ', skip: 1, prefix: 'Also: ' } }), {
    details: 'Also: Q, R',
  })
  assert.deepEqual(await one(record, { details: { from: '/people/*/n', skip: 3 } }), {})
  assert.deepEqual(await one({ s: 'a; b ;;c' }, { details: { from: '/s', split: ';', join: '+' } }), {
    details: 'a+b+c',
  })
})

test('an empty list is a value, and a missing one is null, unless the field cannot be', () => {
  const texts = { type: 'texts', maxLength: 20, description: 'Texts.' } as const
  const id = { type: 'text', maxLength: 20, description: 'Id.' } as const
  const columns = compileColumns({ fields: { id, tags: texts, labels: { ...texts, nullable: true } } })
  const map: MapFile = { format: 'json', fields: { id: '/id', tags: '/tags', labels: ['/labels/*/name', '/tags'] } }
  const interpret = mapping(map, recordSchema({ fields: fieldsOf(columns) }), UTC).ofJson()
  const lists = (record: object) => {
    const { row } = interpret({ id: 'a', ...record }) as { row: Row }
    return [row.tags, row.labels]
  }
  assert.deepEqual(lists({ labels: [{ name: 'x' }] }), [[], ['x']])
  assert.deepEqual(lists({ labels: [] }), [[], []])
  assert.deepEqual(lists({ tags: [] }), [[], []])
  assert.deepEqual(lists({ labels: null }), [[], null])
})

test('parts are joined, or the first of them is used', async () => {
  const parts = [{ from: '/a' }, { from: '/b', prefix: '<' }]
  assert.deepEqual(await one({ a: 'x', b: 'y' }, { details: { parts, join: '\n', prefix: '- ' } }), {
    details: '- x\n<y',
  })
  assert.deepEqual(await one({ a: 'x', b: 'y' }, { details: { parts } }), { details: 'x' })
  assert.deepEqual(await one({ b: 'y' }, { details: { parts } }), { details: '<y' })
  assert.deepEqual(await one({}, { details: { parts, join: '\n', default: 'none' } }), { details: 'none' })
})

test('a value that the table does not contain is rejected by name, or replaced as the map defines', async () => {
  const status = { from: '/s', values: { 'In Progress': 'open', Done: 'completed' } }
  assert.deepEqual(await one({ s: ' in progress' }, { status }), {})
  assert.equal(
    await one({ s: 'Blocked' }, { status }),
    '1: status cannot be read: "Blocked" in /s is not in the values of the map',
  )
  const { rows } = await readMapped(
    '[{"id":"a","title":"T","s":"Blocked"}]',
    mapOf('json', { status: { ...status, otherwise: 'cancelled' } }),
  )
  assert.equal(rows[0]?.status, 'cancelled')
})

test('a name is used if it is not an address, an address if it is one, and only for the first person', async () => {
  const fields = {
    assigneeName: { from: '/who', split: ',', isEmail: false },
    assigneeEmail: { from: '/who', split: ',', isEmail: true },
  }
  assert.deepEqual(await one({ who: 'Sam' }, fields), { assigneeName: 'Sam' })
  assert.deepEqual(await one({ who: 'sam@x.example' }, fields), { assigneeEmail: 'sam@x.example' })
  assert.deepEqual(await one({ who: 'Sam, pat@x.example' }, fields), { assigneeName: 'Sam' })
})

test('numbers become text, exactly or not at all', async () => {
  assert.deepEqual(await readMapped('[{"id":42,"title":7.5}]', mapOf('json', { id: { from: '/id', prefix: 'gh-' } })), {
    rows: [{ id: 'gh-42', title: '7.5', status: 'open' }],
    complaints: [],
  })
  const { complaints } = await readMapped('[{"id":12345678901234567890,"title":"T"}]', mapOf('json', {}))
  assert.deepEqual(complaints, [
    '1: id cannot be read: /id is a number with too many digits to be read exactly; it must be in quotes',
  ])
})

test('an object or an array of arrays is not a value, which is reported', async () => {
  assert.equal(
    await one({ d: { e: 1 } }, { details: '/d' }),
    '1: details cannot be read: /d is an object; point to one of its members',
  )
  assert.equal(await one({ d: [[1]] }, { details: '/d' }), '1: details cannot be read: /d is an array of arrays')
  assert.deepEqual(await one({ d: [1, 2] }, { details: { from: '/d', join: ',' } }), { details: '1,2' })
})

test('a text over its limit is rejected, unless the map truncates it', async () => {
  const [long, limit] = ['🎈'.repeat(501), 500]
  assert.equal(
    await one({ s: long }, { sourceTitle: '/s' }),
    '1: sourceTitle must be at most 500 characters, and has 501',
  )
  assert.deepEqual(await one({ s: long }, { sourceTitle: { from: '/s', truncate: true } }), {
    sourceTitle: `${'🎈'.repeat(limit - 1)}…`,
  })
  assert.deepEqual(await one({ s: '🎈'.repeat(limit) }, { sourceTitle: { from: '/s', truncate: true } }), {
    sourceTitle: '🎈'.repeat(limit),
  })
  assert.deepEqual(await one({ s: `${'x'.repeat(limit)}…` }, { sourceTitle: { from: '/s', truncate: true } }), {
    sourceTitle: `${'x'.repeat(limit - 1)}…`,
  })
})

test('a date in another format is rejected, naming the accepted formats, or replaced as the map defines', async () => {
  const dueAt = { from: '/due', formats: ['dd/MM/yyyy', 'iso'] }
  assert.deepEqual(await one({ due: '20/11/2026' }, { dueAt }), { dueAt: '2026-11-20T23:59:59.000Z' })
  assert.equal(
    await one({ due: '11/20/2026' }, { dueAt }),
    `1: dueAt is "11/20/2026", which is not a date and time in any of the formats 'dd/MM/yyyy', 'iso'`,
  )
  assert.deepEqual(await one({ due: 'soon' }, { dueAt: { ...dueAt, otherwise: null } }), {})
  const withMonth = { dueAt: { from: '/due', formats: ['dd/MMM/yy'] } }
  assert.deepEqual(await one({ due: '02/Dez/26' }, withMonth, { locale: 'pt-BR' }), {
    dueAt: '2026-12-02T23:59:59.000Z',
  })
})

test('records are skipped by rules', async () => {
  const skipIf = [
    { from: '/pr', isEmpty: false },
    { from: '/s', is: ['archived'] },
  ]
  const only = [{ from: '/type', is: ['task', 'bug'] }]
  assert.deepEqual(await one({ type: 'Task' }, {}, { only, skipIf }), {})
  for (const record of [{ type: 'task', pr: { url: 'x' } }, { type: 'bug', s: 'ARCHIVED' }, { type: 'note' }, {}])
    assert.equal(await one(record, {}, { only, skipIf }), 'left out')
})

test('an id can be the number of the record, in all files, without those that are skipped', async () => {
  const map = mapOf('csv', { id: { number: true } }, { skipIf: [{ from: 'title', is: ['none'] }] })
  const { rows } = await readMapped('title\nCall\nnone\nCall\n', map)
  assert.deepEqual(
    rows.map(({ id }) => id),
    ['1', '2'],
  )
})

test('a missing required column is reported once for the header, and a missing member for each record', async () => {
  const csv = mapOf('csv', { status: { from: ['State', 'Status'], default: 'open', required: true } })
  assert.deepEqual(await readMapped('id,title\na,One\nb,Two\n', csv), {
    rows: [],
    complaints: ['1: there is no column State or Status, which fills the field status'],
  })
  assert.deepEqual((await readMapped('ID,Title,STATUS\na,One,\n', csv)).rows, [
    { id: 'a', title: 'One', status: 'open' },
  ])
  assert.deepEqual((await readMapped('id,name\na,One\n', csv)).complaints, [
    '1: there is no column title, which fills the field title; there is no column State or Status, which fills the field status',
  ])
  const status = { from: '/s', default: 'open', required: true }
  assert.equal(await one({}, { status }), '1: status cannot be read: the record has no /s')
  assert.deepEqual(await one({ s: null }, { status }), {})
})

test('a repeated column has several values, and 10,000 columns are read', async () => {
  const map = mapOf('csv', { details: { from: 'label', join: ', ' } })
  assert.deepEqual((await readMapped('id,Label,title,LABEL,label\na,x,One,,z\n', map)).rows, [
    { id: 'a', title: 'One', details: 'x, z', status: 'open' },
  ])
  const comments = ',c'.repeat(9998)
  assert.equal((await readMapped(`id,title${comments}\na,One${comments}\n`, map)).rows.length, 1)
  assert.match((await readMapped(`id,title,c${comments}\n`, map)).complaints[0] ?? '', /at most 10000 are read/)
})

test('a map for one format rejects the other', async () => {
  assert.deepEqual((await readMapped('[]', mapOf('csv', {}))).complaints, ['1: is not CSV, which the map m requires'])
  assert.deepEqual((await readMapped('id,title\n', mapOf('json', {}))).complaints, [
    '1: is not JSON, which the map m requires',
  ])
})

test('a JSON map without a pointer reads arrays, lines and the shape of the tasks response', async () => {
  for (const file of ['[{"id":1,"title":"T"}]', '{"id":1,"title":"T"}\n', '{"tasks":[{"id":1,"title":"T"}]}'])
    assert.deepEqual((await readMapped(file, mapOf('json', {}))).rows, [{ id: '1', title: 'T', status: 'open' }])
})

test('dates are not read in a timezone that the runtime does not know', async () => {
  const reading = readMapped('[{"id":"a","title":"T"}]', mapOf('json', {}), { timezone: 'Mars/Olympus' })
  await assert.rejects(reading, /does not know the workspace's timezone, Mars\/Olympus/)
})

test('the report shows the first record as it is read, and values that the map does not list', async () => {
  const status = { from: 'State', values: { Done: 'completed' }, otherwise: 'open' }
  const map = mapOf('csv', { status })
  const report = new MapReport()
  await readMapped('id,title,State\na,One,Done\nb,Two,Doing\nc,Three,Doing\nd,Four,Stuck\n', map, { report })
  const [first = '', ...misses] = report.lines('m')
  const [, words, record = ''] = /^(.*?reads it): (.*)$/.exec(first) ?? []
  assert.equal(words, 'The first record as the map m reads it')
  assert.partialDeepStrictEqual(JSON.parse(record), { id: 'a', title: 'One', status: 'completed' })
  assert.deepEqual(misses, [
    'Not in the map: status "Doing" is read as "open" (2 records), status "Stuck" is read as "open" (1 record)',
  ])
})

const LEAST = 'id,site,day,rate,urgent,tags,weight'

test('the cells of a CSV file become values of every kind, exactly or not at all', async () => {
  const cells = (row: string) => readMapped(`${LEAST}\n${row}\n`, undefined, { list: parcels })
  assert.deepEqual((await cells('p,http://a.b,2026-01-31,-1.50,TRUE,"[""a"",""b""]",')).rows, [
    { id: 'p', site: 'http://a.b', day: '2026-01-31', rate: '-1.50', price: '0.00', urgent: true, tags: ['a', 'b'] },
  ])
  const { complaints } = await cells('p,ftp://a,2026-02-29,"1,5",yes,a; b,')
  for (const fault of ['site must be an absolute URL', 'day must be a valid date', 'rate must be a decimal'])
    assert.match(complaints.join(), new RegExp(fault))
  assert.match(complaints.join(), /urgent must be true or false; a map can .*tags must be a JSON array/)
})

test('a map reads decimal marks, words for true and false, and lists', async () => {
  const fields = {
    ...{ id: 'id', site: 'site', day: { from: 'day', formats: ['dd.MM.yyyy'] }, rate: { from: 'rate', decimal: ',' } },
    urgent: { from: 'urgent', values: { ja: 'true', nein: 'false' } },
    tags: { from: 'tags', split: ';', values: { rot: 'red' }, otherwise: 'other', default: '[]' },
  }
  const map = parseMap('m', JSON.stringify({ format: 'csv', fields }), parcels)
  const read = (row: string) => readMapped(`${LEAST}\n${row}\n`, map, { list: parcels })
  assert.partialDeepStrictEqual((await read('p,http://a.b,31.01.2026,"-1.234.567,50",Ja,rot; blau,')).rows, [
    { day: '2026-01-31', rate: '-1234567.50', urgent: true, tags: ['red', 'other'] },
  ])
  assert.partialDeepStrictEqual((await read('p,http://a.b,31.01.2026,"1 000",nein,,')).rows, [
    { rate: '1000', urgent: false, tags: [] },
  ])
  assert.match(String((await read('p,http://a.b,31.01.2026,1240.50,ja,,')).complaints), /not a number with the decimal/)
})

test('JSON numbers fill decimals through a map only while they are exact', async () => {
  const fields = { id: '/id', site: '/site', day: '/day', rate: '/rate', tags: '/tags/*' }
  const map = parseMap('m', JSON.stringify({ format: 'json', fields }), parcels)
  const read = (rate: number) =>
    readMapped(JSON.stringify([{ id: 1, site: 'http://a.b', day: '2026-11-16T03:00:00Z', rate, tags: ['a'] }]), map, {
      ...{ list: parcels, timezone: 'America/New_York' },
    })
  assert.partialDeepStrictEqual((await read(12.5)).rows, [{ rate: '12.5', day: '2026-11-15', tags: ['a'] }])
  assert.match(String((await read(0.1 + 0.2)).complaints), /too many digits to be read exactly/)
})
