// On both engines: values of every kind are stored, read and copied between the engines.
/** A column of every kind, from a file to the response and to the other engine. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { RowOf } from '../../src/lists/column.ts'
import { availableEngines, engineUnderTest, freshDatabaseUrl } from '../support/database.ts'
import { program } from '../support/program.ts'
import type { columns } from './kinds/contract.ts'

const KINDS = import.meta.resolve('./kinds/index.ts')
const DIGITS = '12345678901234567890.123456789012345678'

type Parcel = RowOf<typeof columns>

/** In the order of the response: checked, weight, paidOn, nulls last. */
const PARCELS: Parcel[] = [
  {
    id: 'negative',
    site: 'https://example.com/a?b=%C3%A9#c',
    image: null,
    day: '0001-01-01',
    paidOn: '9999-12-31',
    rate: `-${DIGITS}`,
    weight: '-2',
    price: '0.00',
    total: '1240.50',
    urgent: true,
    checked: false,
    state: 'closed',
    tags: [],
    notes: ['"quoted" \\ back', "it's", 'ção 🎄', '\u0001\b\f\n\r\t\u007f\u2028', '', '{a,b}', 'NULL'],
  },
  {
    id: 'plain',
    site: 'http://example.com',
    image: 'HTTP://EXAMPLE.COM:8080/x.png',
    day: '2024-02-29',
    paidOn: null,
    rate: '0.000000000000000001',
    weight: '1.50',
    price: '12.00',
    total: null,
    urgent: false,
    checked: true,
    state: null,
    tags: ['a', 'b'],
    notes: null,
  },
  {
    id: 'large',
    site: 'http://[::1]/',
    image: null,
    day: '2026-11-16',
    paidOn: null,
    rate: '12345678901234567890123456789012345678',
    weight: '10',
    price: '-0.10',
    total: '0',
    urgent: false,
    checked: true,
    state: 'open',
    tags: ['x'],
    notes: [],
  },
  {
    id: 'unknown',
    site: 'https://example.com/',
    image: null,
    day: '1999-12-31',
    paidOn: '2000-01-01',
    rate: '7',
    weight: null,
    price: '0.00',
    total: null,
    urgent: false,
    checked: null,
    state: null,
    tags: ['z'],
    notes: null,
  },
]
const FILE = PARCELS.toReversed()
  .map((row) => `${JSON.stringify(row)}\n`)
  .join('')

const counts = (created: number, changed: number, gone: number, unchanged: number) =>
  `${JSON.stringify({ created, changed, gone, unchanged })}\n`

async function opened(t: TestContext) {
  const url = await freshDatabaseUrl(t)
  const vitrine = program(t, { DATABASE_URL: url }, KINDS)
  await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme', '--timezone', 'America/New_York')
  const write = (name: string, text: string) => {
    writeFileSync(join(vitrine.folder, name), text)
    return name
  }
  const sync = async (name: string, text: string, ...more: string[]) =>
    vitrine.run('parcel', 'sync', '--workspace', 'acme', '--source', 's', '--json', ...more, write(name, text))
  const listed = async () =>
    (await vitrine.ok('parcel', 'list', '--workspace', 'acme', '--json'))
      .split('\n')
      .map((line) => JSON.parse(line))
      .map(({ source, whyNotAnswered, ...row }) => row)
  return { ...vitrine, url, write, sync, listed }
}

test('kinds: synced exactly, unchanged the second time, and copied both ways', async (t) => {
  const { sync, listed, ok, url, run, write } = await opened(t)
  const synced = await sync('a.ndjson', FILE)
  assert.deepEqual([synced.stdout, synced.stderr], [counts(4, 0, 0, 0), ''])
  assert.deepEqual(await listed(), PARCELS)
  assert.equal((await sync('a.ndjson', FILE)).stdout, counts(0, 0, 0, 4))
  const other = FILE.replace('"weight":"1.50"', '"weight":"1.5"').replace('["x"]', '["x",""]')
  assert.equal((await sync('b.ndjson', other)).stdout, counts(0, 2, 0, 2), 'another scale is a change')
  assert.equal((await sync('a.ndjson', FILE)).stdout, counts(0, 2, 0, 2))
  const shown = await ok('parcel', 'show', '--workspace', 'acme', 'plain')
  assert.match(shown, /^urgent +false$/m)
  assert.match(shown, /^tags +\["a","b"\]$/m)
  assert.match(await ok('doctor'), /^ok {4}rows: \d+ read, all valid$/m)

  for (const to of availableEngines()) {
    const target = await freshDatabaseUrl(t, to)
    await ok('copy', '--from', url, '--to', target)
    const copied = program(t, { DATABASE_URL: target }, KINDS)
    const list = ['parcel', 'list', '--workspace', 'acme', '--json']
    assert.equal(await copied.ok(...list), await ok(...list), to)
    assert.match(await copied.ok('doctor'), /^ok {4}rows: \d+ read, all valid$/m)
  }
  if (engineUnderTest() === 'sqlite') {
    await ok('backup', 'backup.db')
    assert.equal((await sync('c.ndjson', FILE.replace('"urgent":true', '"urgent":false'))).stdout, counts(0, 1, 0, 3))
    assert.equal((await run('restore', 'backup.db')).code, 0)
    assert.deepEqual(await listed(), PARCELS)
  }
  const bad = await run(
    ...['parcel', 'import', '--workspace', 'acme'],
    write('bad.ndjson', '{"id":"x","site":"ftp://a","day":"2026-02-29","rate":1.5,"urgent":"yes","tags":["a",null]}\n'),
  )
  assert.match(bad.stderr, /site must be an absolute URL with http or https/)
  assert.match(bad.stderr, /day must be a valid date, such as 2026-11-15/)
  assert.match(bad.stderr, /rate must be given as a string, such as "1240\.50", to be exact/)
  assert.match(bad.stderr, /urgent must be true or false; a map can translate other words/)
  assert.match(bad.stderr, /tags\.1 must be a string/)
})

test('kinds: imported from CSV, with and without a map', async (t) => {
  const { sync, listed, write } = await opened(t)
  const csv = 'id,site,day,rate,urgent,tags,weight\np,http://a.b,2026-01-31,-1.50,TRUE,"[""a"",""b""]",\n'
  const synced = await sync('a.csv', csv)
  assert.deepEqual([synced.stdout, synced.stderr], [counts(1, 0, 0, 0), ''])
  const [row] = await listed()
  const { id, day, rate, urgent, tags, weight, price } = row
  assert.deepEqual(
    [id, day, rate, urgent, tags, weight, price],
    ['p', '2026-01-31', '-1.50', true, ['a', 'b'], null, '0.00'],
  )
  const unread = await sync('b.csv', 'id,site,day,rate,tags\np,http://a.b,2026-01-31,"1,5",a; b\n')
  assert.match(unread.stderr, /rate must be a decimal such as 1240\.50/)
  assert.match(unread.stderr, /tags must be a JSON array/)

  const map = {
    format: 'csv',
    fields: {
      id: 'Nr',
      site: 'Link',
      day: { from: 'Tag', formats: ['dd.MM.yyyy', 'iso'] },
      paidOn: { from: 'Bezahlt', formats: ['iso'] },
      rate: { from: 'Satz', decimal: ',' },
      price: { from: 'Preis', decimal: ',', otherwise: '0' },
      urgent: { from: 'Eilig', values: { ja: 'true', nein: 'false' } },
      checked: { from: 'Stand', values: { ok: 'true' }, otherwise: null },
      tags: { from: ['Worte', 'Mehr'], split: ';', values: { rot: 'red' }, otherwise: 'other', default: '[]' },
    },
  }
  write('map.json', JSON.stringify(map))
  const mapped = (text: string) =>
    sync('c.csv', `Nr,Link,Tag,Bezahlt,Satz,Preis,Eilig,Stand,Worte,Mehr\n${text}`, '--map', 'map.json')
  const result = await mapped(
    'p,http://a.b,31.01.2026,2026-03-01T02:00:00Z,"-1.234.567,50",gratis,Ja,?,rot; blau,rot\nq,http://a.b,2026-12-31,,"1 000",5,nein,OK,,\n',
  )
  assert.deepEqual([result.stdout, result.code], [counts(1, 1, 0, 0), 0], result.stderr)
  const picked = (await listed()).map((one: Record<string, unknown>) =>
    ['id', 'day', 'paidOn', 'rate', 'price', 'urgent', 'checked', 'tags'].map((name) => one[name]),
  )
  assert.deepEqual(picked, [
    ['q', '2026-12-31', null, '1000', '5', false, true, []],
    ['p', '2026-01-31', '2026-02-28', '-1234567.50', '0', true, null, ['red', 'other', 'red']],
  ])
  const wrong = await mapped('p,http://a.b,31.01.2026,,1240.50,0,ja,,,\n')
  assert.match(wrong.stderr, /rate is "1240\.50", which is not a number with the decimal mark ,/)
  write('map.json', JSON.stringify({ ...map, fields: { ...map.fields, urgent: { from: 'Eilig', any: 'ja' } } }))
  assert.match((await mapped('')).stderr, /fields\.urgent\.any must be one of true, false/)
  write('map.json', JSON.stringify({ ...map, fields: { ...map.fields, tags: { from: 'Worte', join: ', ' } } }))
  assert.match((await mapped('')).stderr, /fields\.tags\.join is not for lists/)
})

test('kinds: JSON numbers fill decimals through a map only while they are exact', async (t) => {
  const { sync, listed, write } = await opened(t)
  const fields = { id: '/id', site: '/url', day: '/at', rate: '/rate', tags: '/tags/*', urgent: '/urgent' }
  write('map.json', JSON.stringify({ format: 'json', fields }))
  const at = '2026-11-16T03:00:00Z'
  const record = { id: 1, url: 'http://a.b', at, rate: 12.5, tags: ['a', 'b'], urgent: true }
  assert.equal((await sync('a.json', JSON.stringify([record]), '--map', 'map.json')).stdout, counts(1, 0, 0, 0))
  const [{ rate, day, tags, urgent }] = await listed()
  assert.deepEqual([rate, day, tags, urgent], ['12.5', '2026-11-15', ['a', 'b'], true])
  const inexact = JSON.stringify([{ ...record, rate: 0.1 + 0.2 }])
  assert.match((await sync('b.json', inexact, '--map', 'map.json')).stderr, /too many digits to be read exactly/)
})
