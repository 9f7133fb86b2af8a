import assert from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { type Engine, onEach, skipWithoutPostgres } from '../../support/database.ts'
import { KEYS, OVERVIEW, signedIn } from '../../support/person.ts'
import { startPostgres } from '../../support/postgres-server.ts'
import { inPlace, type Shop, startShop } from './shop.ts'

/** The problem of REST, the error of the tool, and the line of the log. */
async function failureOf(shop: Shop) {
  const { status, json, headers } = await shop.orders()
  assert.equal(status, 503, JSON.stringify(json))
  assert.equal(json.code, 'source_unavailable')
  assert.match(headers.get('retry-after') ?? '', /^[123]$/)
  const { error } = await shop.ask({ limit: 1 })
  assert.equal((error as { code: number }).code, -32603)
  const lines = shop.logLines.filter((line) => line.includes('cannot be read in place'))
  const { msg, resource, row, field } = JSON.parse(lines.at(-1) ?? '{}')
  assert.equal(resource, 'orders')
  assert.equal((await shop.get('/tasks')).status, 200)
  return { msg: msg.replace('the list orders cannot be read in place: ', ''), row, field }
}

const NOT_FITTING: [what: string, engines: Engine[], columns: Record<string, string | null>, field: string][] = [
  ['a text that is too long', ['sqlite', 'postgres'], { supplier: 'secret'.repeat(40) }, 'supplier'],
  ['an empty text', ['sqlite', 'postgres'], { supplier: '' }, 'supplier'],
  ['a decimal that is not exact', ['sqlite'], { total: '1e3' }, 'total'],
  ['a decimal that is not a number', ['postgres'], { total: 'NaN' }, 'total'],
  ['too many digits', ['sqlite', 'postgres'], { total: '9'.repeat(39) }, 'total'],
  ['an endless date', ['postgres'], { ordered_on: 'infinity' }, 'orderedOn'],
  ['a day that does not exist', ['sqlite'], { ordered_on: '2026-02-30' }, 'orderedOn'],
  ['an endless instant', ['postgres'], { deliver_by: 'infinity' }, 'deliveryAt'],
  ['an instant before our era', ['postgres'], { deliver_by: '0044-03-15 12:00:00+00 BC' }, 'deliveryAt'],
  ['an instant without a zone', ['sqlite'], { deliver_by: '2026-11-15 09:00:00' }, 'deliveryAt'],
  ['a boolean that is neither', ['sqlite'], { urgent: '2' }, 'urgent'],
  ['a choice that the definition does not know', ['sqlite', 'postgres'], { status: 'lost' }, 'status'],
]

onEach('a row that does not fit fails the list, and is named without its value', async (t, engine) => {
  const shop = await startShop(t, engine)
  await shop.insert({ id: 'good' })
  for (const [what, engines, columns, field] of NOT_FITTING) {
    if (!engines.includes(engine)) continue
    await shop.insert({ id: 'bad', ...columns })
    const failure = await failureOf(shop)
    assert.deepEqual([failure.row, failure.field], ['bad', field], what)
    assert.doesNotMatch(failure.msg, /secret|1e3|NaN|999999|infinity|02-30|0044|09:00:00|lost/)
    await shop.run("DELETE FROM open_orders WHERE id = 'bad'")
    assert.equal((await shop.orders()).status, 200)
  }
})

onEach('two rows with one id fail the list', async (t, engine) => {
  const shop = await startShop(t, engine, { definition: inPlace({ 'rows.table': 'twice' }) })
  await shop.insert({ id: 'a' }, { id: 'b' })
  await shop.run("CREATE VIEW twice AS SELECT * FROM open_orders UNION ALL SELECT * FROM open_orders WHERE id = 'b'")
  assert.deepEqual(await failureOf(shop), { msg: 'two rows have the same id', row: 'b', field: 'id' })
})

test('an order that the database does not keep fails the list', async (t) => {
  const shop = await startShop(t, 'sqlite', { definition: inPlace({ order: ['total'] }) })
  await shop.insert({ id: 'a', total: '9.5' }, { id: 'b', total: '10' })
  const { field, msg } = await failureOf(shop)
  assert.deepEqual([msg, field], ['the database does not sort the rows in the order of the list', 'total'])
})

onEach('a table, a column or a type that is gone while the server runs is noticed', async (t, engine) => {
  const shop = await startShop(t, engine)
  await shop.insert({ id: 'a' })
  const retype = { sqlite: 'RENAME COLUMN total TO sum', postgres: 'ALTER COLUMN total TYPE float8' }
  for (const [statement, message] of [
    [`ALTER TABLE open_orders ${retype[engine]}`, /^total: the (?:table|column) /],
    [
      `ALTER TABLE open_orders DROP COLUMN ${engine === 'sqlite' ? 'sum' : 'total'}`,
      /^total: the table has no column /,
    ],
    ['DROP TABLE open_orders', /^table: there is no table or view "open_orders"/],
  ] as const) {
    await shop.orders()
    await shop.run(statement)
    assert.match((await failureOf(shop)).msg, message)
    assert.match((await failureOf(shop)).msg, message)
  }
})

test(
  'a timestamp without a zone and a number that is not exact are refused with a hint',
  skipWithoutPostgres(),
  async (t) => {
    const shop = await startShop(t, 'postgres')
    await shop.run('ALTER TABLE open_orders ALTER COLUMN deliver_by TYPE timestamp')
    assert.equal(
      (await failureOf(shop)).msg,
      `deliveryAt: the column "deliver_by" is of the type timestamp; it has no timezone; read a view that adds it, as in created AT TIME ZONE 'UTC'`,
    )
    await shop.run('ALTER TABLE open_orders ALTER COLUMN deliver_by TYPE timestamptz, ALTER COLUMN total TYPE float8')
    assert.match((await failureOf(shop)).msg, /^total: the column "total" is of the type float8; it is not exact/)
  },
)

test(
  "a workspace column whose collation finds other workspaces' slugs equal is refused",
  skipWithoutPostgres(),
  async (t) => {
    const shop = await startShop(t, 'postgres')
    await shop.run("CREATE COLLATION loose (provider = icu, locale = 'und-u-ka-shifted', deterministic = false)")
    await shop.run('ALTER TABLE open_orders ALTER COLUMN shop TYPE text COLLATE loose')
    assert.match(
      (await failureOf(shop)).msg,
      /^workspaceColumn: must be a column of texts with a deterministic collation$/,
    )
  },
)

test(
  'a PostgreSQL server that is down fails only its list, which recovers by itself',
  skipWithoutPostgres(),
  async (t) => {
    const server = await startPostgres()
    t.after(() => server.remove())
    const shop = await startShop(t, 'postgres', { url: server.url.replace('postgres@', 'postgres:pa55word@') })
    await shop.insert({ id: 'a' })
    assert.equal((await shop.orders()).status, 200)
    await server.stop()
    assert.equal(
      (await failureOf(shop)).msg,
      'PostgreSQL refuses connections at the address in SHOP_DATABASE_URL; check that it is running and listening there',
    )
    await shop.store.ping()
    await server.start()
    assert.equal((await shop.orders()).status, 200)
    assert.doesNotMatch(shop.logLines.join(''), /pa55word/)
  },
)

test(
  'a table that does not respond fails its list after two seconds, and keeps no others waiting',
  skipWithoutPostgres(),
  async (t) => {
    const shop = await startShop(t, 'postgres')
    await shop.run('BEGIN; LOCK TABLE open_orders')
    const waiting = Array.from({ length: 20 }, () => shop.orders())
    assert.equal((await shop.get('/tasks')).status, 200)
    for (const { status, json } of await Promise.all(waiting))
      assert.deepEqual([status, json.code], [503, 'source_unavailable'])
    await shop.run('COMMIT')
    assert.equal((await shop.orders()).status, 200)
  },
)

test('the settings pages open though a table is gone, and show what an agent sees then', async (t) => {
  const shop = await startShop(t, 'sqlite')
  await shop.run('DROP TABLE open_orders')
  const browser = await signedIn(shop)
  const { id } = await shop.createKey({ permissions: ['orders:read'] })
  for (const path of [OVERVIEW, KEYS, `${KEYS}/${id}`]) assert.equal((await browser.get(path)).status, 200, path)
  const page = await browser.get(`${KEYS}/${id}/agent`)
  assert.equal(page.status, 200)
  assert.match(page.text, /The rows of this list cannot be read at the moment/)
})

test('a SQLite file that is gone, replaced or locked', async (t) => {
  const shop = await startShop(t, 'sqlite')
  await shop.insert({ id: 'a' })
  const path = shop.shopUrl.replace('sqlite:', '')
  renameSync(path, `${path}.gone`)
  assert.match((await failureOf(shop)).msg, /cannot be opened/)
  renameSync(`${path}.gone`, path)
  assert.equal((await shop.orders()).status, 200)
  const application = new DatabaseSync(path)
  application.exec('BEGIN EXCLUSIVE')
  const waiting = shop.orders()
  assert.equal((await shop.get('/tasks')).status, 200, 'while another list waits for the lock')
  application.exec('COMMIT')
  assert.equal((await waiting).status, 200)
  application.exec('BEGIN EXCLUSIVE')
  assert.match((await failureOf(shop)).msg, /locked by another process/)
  application.close()
})
