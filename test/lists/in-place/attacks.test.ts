/** Whatever names, rows and arguments are like, a key reads the rows of its own workspace alone, and nothing is changed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { definitionFaults } from '../../../src/resources/declared/check.ts'
import { createWorkspace } from '../../support/changes.ts'
import { connectElsewhere, onEach, skipWithoutPostgres } from '../../support/database.ts'
import { inPlace, startShop } from './shop.ts'

const HOSTILE = [
  "' OR '1'='1",
  "acme' --",
  '" OR 1=1 --',
  "'); DROP TABLE open_orders; --",
  '\\',
  '$1',
  '?',
  '%',
  '_',
  '%acme%',
  'NULL',
  'acme\u0001',
  '\u202eacme',
  '1e2',
  '0x64',
]

onEach('arguments and ids of a call reach only rows of its workspace', async (t, engine) => {
  const shop = await startShop(t, engine)
  await shop.insert({ id: 'own' }, { id: 'foreign', shop: 'other', supplier: 'Secret & Co' })
  await shop.insert(...HOSTILE.map((id) => ({ id, shop: 'other', supplier: 'Secret & Co' })))
  for (const text of HOSTILE) {
    const answers = [
      await shop.ask({ ids: [text, 'foreign', 'own'] }),
      await shop.ask({ supplier: text }),
      await shop.ask({ query: `"${text.replaceAll('"', ' ')} x"` }),
      await shop.ask({ cursor: text }),
      await shop.ask({ cursor: Buffer.from(JSON.stringify([text, 0])).toString('base64url') }),
      await shop.ask({ countBy: text }),
    ]
    const listed = answers.flatMap(({ orders = [] }) => (orders as { id: string }[]).map(({ id }) => id))
    assert.deepEqual([...new Set(listed)], ['own'], text)
    assert.deepEqual(answers[0]?.notFound, ['foreign', text].sort(), text)
    assert.doesNotMatch(JSON.stringify(answers), /Secret/, text)
  }
  assert.deepEqual(await shop.ids({ limit: 10 }), ['own'])
  assert.doesNotMatch(shop.logLines.join(''), /requestFailed|request failed/)
})

onEach('a workspace with the slug of a number, or with an unusual one, reads its own rows alone', async (t, engine) => {
  const shop = await startShop(t, engine)
  const slugs = ['1', '01', '1e2', '100', '0x64', 'null', 'true', 'a--b']
  await shop.insert(...[...slugs, 'A--B', '1 ', ' 1', '1.0'].map((slug) => ({ id: `of ${slug}`, shop: slug })))
  for (const slug of slugs) {
    const { id } = await createWorkspace(shop.operator, { name: slug, slug }, 'test')
    const newKey = { label: slug, permissions: ['orders:read'], quota: null, expiresAt: null }
    const { token } = await shop.keys.create(slug, newKey)
    const listed = async () => {
      const { json } = await shop.orders({ authorization: `Bearer ${token}` })
      return json.orders.map((order) => order.id)
    }
    assert.deepEqual(await listed(), [`of ${slug}`])
    await shop.run(`UPDATE open_orders SET shop = '${id}', id = 'by id of ${slug}' WHERE shop = '${slug}'`)
    assert.deepEqual(await listed(), [`by id of ${slug}`])
  }
})

onEach('a key that is limited to some rows reads no others', async (t, engine) => {
  const shop = await startShop(t, engine)
  await shop.insert(
    { id: 'linen', supplier: 'Linen' },
    { id: 'wool', supplier: 'Wool' },
    { id: 'more', supplier: 'Linen' },
  )
  const only = { orders: { supplier: ['Linen'] } }
  const { token } = await shop.createKey({ permissions: ['orders:read'], only })
  const { json, headers } = await shop.orders({ authorization: `Bearer ${token}` })
  assert.deepEqual(
    json.orders.map(({ id }) => id),
    ['linen', 'more'],
  )
  assert.equal(headers.get('x-total-count'), null)
  const call = { name: 'list_orders', arguments: { ids: ['wool', 'more'], limit: 5 } }
  const response = await shop.rpc(
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
    { authorization: `Bearer ${token}` },
  )
  const text = await response.text()
  assert.match(text, /\\"total\\":1,/)
  assert.doesNotMatch(text, /Wool/)
})

/** SQLite turns a text that it compares with a column of numbers into a number. */
test('a column of numbers is not the slug of a workspace', async (t) => {
  const shop = await startShop(t, 'sqlite', { definition: inPlace({ 'rows.table': 'numbered' }) })
  await shop.run(
    `CREATE TABLE numbered (id TEXT, shop NUMERIC, supplier TEXT, total TEXT, ordered_on TEXT, deliver_by TEXT, urgent INTEGER, status TEXT)`,
  )
  await shop.run(`INSERT INTO numbered VALUES ('a', 100, 'x', NULL, '2026-11-16', NULL, 0, 'sent')`)
  for (const slug of ['100', '1e2']) {
    await createWorkspace(shop.operator, { name: slug, slug }, 'test')
    const newKey = { label: slug, permissions: ['orders:read'], quota: null, expiresAt: null }
    const { token } = await shop.keys.create(slug, newKey)
    assert.equal((await shop.orders({ authorization: `Bearer ${token}` })).text, '{"orders":[]}')
  }
})

const NAMES = [`a"b'`, 'select', 'f0', '? $1 %', '") FROM open_orders; DROP TABLE open_orders; --', 'Ünïcode 🎉']

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

onEach('tables and columns may have any names, which are quoted', async (t, engine) => {
  for (const name of NAMES) {
    const changes = {
      'rows.table': `${engine === 'sqlite' ? 'main' : 'public'}.${name}`,
      'rows.columns': { supplier: name, deliveryAt: 'deliver_by', total: 'sum' },
    }
    const shop = await startShop(t, engine, {
      definition: inPlace({ ...changes, order: ['supplier'], current: undefined }),
    })
    const columns = `id, shop, supplier AS ${quoted(name)}, total AS sum, ordered_on, deliver_by, urgent, status`
    await shop.run(`CREATE TABLE ${quoted(name)} AS SELECT ${columns} FROM open_orders`)
    const shopOf = (id: string, slug: string) =>
      `INSERT INTO ${quoted(name)} (id, shop, ${quoted(name)}, ordered_on, urgent, status) VALUES ('${id}', '${slug}', '9.5', '2026-11-16', '0', 'sent')`
    await shop.run(shopOf('b', 'acme'))
    await shop.run(shopOf('a', 'acme'))
    await shop.run(shopOf('c', 'other'))
    const { json, text } = await shop.orders()
    assert.deepEqual(
      json.orders?.map(({ id, supplier }) => [id, supplier]),
      [
        ['a', '9.5'],
        ['b', '9.5'],
      ],
      `${name} ${text} ${shop.logLines.at(-2)}`,
    )
  }
})

onEach('names that differ in case from those of the database are not found', async (t, engine) => {
  for (const changes of [
    { 'rows.table': 'Open_Orders' },
    { 'rows.workspaceColumn': 'SHOP' },
    { 'rows.columns': { deliveryAt: 'DELIVER_BY' } },
  ]) {
    const shop = await startShop(t, engine, { definition: inPlace(changes) })
    assert.equal((await shop.orders()).status, 503)
    assert.match(shop.logLines.join(''), /there is no table or view|the table has no column/)
  }
})

test('a definition cannot have the address of its database, or names with control characters', () => {
  for (const [member, value] of [
    ['rows.database', 'postgres://user:secret@host/shop'],
    ['rows.database', 'sqlite:/etc/shop.db'],
    ['rows.table', 'open\u0000orders'],
    ['rows.table', 'open\norders'],
    ['rows.workspaceColumn', ''],
    ['rows.columns', { deliveryAt: 'a\u0000b' }],
  ] as const)
    assert.throws(() => inPlace({ [member]: value }), { message: new RegExp(`^${member}`) })
  const [fault] = definitionFaults({
    ...inPlace(),
    rows: { ...inPlace().rows, database: 'postgres://user:secret@host/shop' },
  })
  assert.equal(fault?.field, 'rows.database')
  assert.doesNotMatch(fault?.problem ?? '', /secret/)
})

test('not even a view with a function that writes can change anything', skipWithoutPostgres(), async (t) => {
  const shop = await startShop(t, 'postgres', { definition: inPlace({ 'rows.table': 'writing' }) })
  await shop.run(`
    CREATE FUNCTION touched() RETURNS text LANGUAGE plpgsql AS $$ BEGIN DELETE FROM open_orders; RETURN 'x'; END $$;
    CREATE VIEW writing AS SELECT id, shop, touched() AS supplier, total, ordered_on, deliver_by, urgent, status FROM open_orders`)
  await shop.insert({ id: 'a' })
  assert.equal((await shop.orders()).status, 503)
  assert.ok('error' in (await shop.ask({ limit: 1 })))
  const { all } = await connectElsewhere(shop.shopUrl, t)
  assert.equal((await all('SELECT 1 FROM public.open_orders')).length, 1)
})
