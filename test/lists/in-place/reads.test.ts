import assert from 'node:assert/strict'
import { createWorkspace } from '../../support/changes.ts'
import { onEach } from '../../support/database.ts'
import { rowsOf } from '../../support/written-lists.ts'
import { inPlace, startShop } from './shop.ts'

onEach('a table is a list: the rows of the workspace, in order, with exact values', async (t, engine) => {
  const shop = await startShop(t, engine)
  await shop.insert(
    { id: 'undated', total: '0.10' },
    { id: 'late', deliver_by: '2026-12-01T10:00:00+01:00' },
    { id: 'early', deliver_by: '2026-11-20T09:00:00.123456Z', urgent: '1', total: '12345678901234567890.123456789' },
    { id: 'done', status: 'closed' },
    { id: 'foreign', shop: 'other' },
    { id: 'next', deliver_by: '2026-12-01T09:00:00.001Z', total: null },
  )
  const { json } = await shop.orders()
  const order = { supplier: 'Alvés', orderedOn: '2026-11-16', urgent: false, status: 'sent' }
  const [early, late, next] = ['2026-11-20T09:00:00.123Z', '2026-12-01T09:00:00.000Z', '2026-12-01T09:00:00.001Z']
  assert.deepEqual(json, {
    orders: [
      { ...order, id: 'early', total: '12345678901234567890.123456789', deliveryAt: early, urgent: true },
      { ...order, id: 'late', total: '1.50', deliveryAt: late },
      { ...order, id: 'next', total: null, deliveryAt: next },
      { ...order, id: 'undated', total: '0.10', deliveryAt: null },
    ],
  })
})

onEach('the very next request sees a change, and an ETag is of the body alone', async (t, engine) => {
  const shop = await startShop(t, engine)
  await shop.insert({ id: 'a' })
  const before = await shop.orders()
  const etag = before.headers.get('etag') ?? ''
  assert.equal((await shop.orders({ 'if-none-match': etag })).status, 304)
  const { etag: question } = await shop.ask({ limit: 1 })
  assert.equal((await shop.ask({ limit: 1, ifNoneMatch: question })).unchanged, true)
  await shop.insert({ id: 'b' })
  assert.equal((await shop.orders({ 'if-none-match': etag })).json.orders.length, 2)
  assert.notEqual((await shop.ask({ limit: 1 })).etag, question, 'though its page is the same')
  await shop.run("DELETE FROM open_orders WHERE id = 'b'")
  assert.equal((await shop.orders()).text, before.text)
  assert.equal((await shop.orders()).headers.get('etag'), etag)
})

/** Rows with repeated, empty and unusual values, the same in both lists. */
const SUPPLIERS = [
  'Alvés & Filhos',
  'alves',
  'Zoë',
  'ΣΊΣΥΦΟΣ',
  'O\'Neil "quoted" back\\slash',
  '100% a_b',
  'ﬁnal 🎉',
  'z',
  'Z',
]
const DUE = [
  null,
  '2026-11-15T11:59:59.999Z',
  '2026-11-15T12:00:00.000Z',
  '2026-11-20T00:00:00.000Z',
  '2027-01-01T09:30:00.000Z',
]
const TOTALS = [null, '0', '-1.50', '1.5', '10', '9.99', '0.000000000000000001']
const at = <T>(values: readonly T[], i: number) => values[i % values.length] as T

onEach('every question gets the response that the same rows get as a stored list', async (t, engine) => {
  const stored = { ...inPlace({ rows: undefined }), name: 'copies', singular: 'twin', tool: { description: 'Copies.' } }
  const shop = await startShop(t, engine, { beside: [stored] })
  const rows = Array.from({ length: 230 }, (_, i) => ({
    id: `o${String(i * 7).padStart(4, '0')}`,
    supplier: at(SUPPLIERS, i * 5),
    total: at(TOTALS, i * 3),
    orderedOn: `2026-11-${String((i % 28) + 1).padStart(2, '0')}`,
    deliveryAt: at(DUE, i * i),
    urgent: i % 3 === 0,
    status: at(['draft', 'sent', 'received', 'closed'], i),
  }))
  await shop.insert(
    ...rows.map(({ orderedOn, deliveryAt, urgent, ...row }) => {
      return { ...row, ordered_on: orderedOn, deliver_by: deliveryAt, urgent: String(Number(urgent)) }
    }),
  )
  const list = shop.lists.find(({ name }) => name === 'copies')
  assert.ok(list)
  await rowsOf(shop.operator, list, shop.workspaceId).put(rows)

  const { text, headers } = await shop.orders()
  const copies = await shop.get('/copies', { authorization: `Bearer ${shop.key}` })
  assert.equal(text, (await copies.text()).replace('{"copies":', '{"orders":'))
  assert.equal(headers.get('x-total-count'), copies.headers.get('x-total-count'))

  const both = async (args: object) => {
    const { etag: _, nextCursor: inPlaceCursor, ...inPlace } = await shop.ask(args)
    const { etag: __, nextCursor, copies, ...stored } = await shop.ask(args, 'list_copies')
    assert.deepEqual(inPlace, { ...stored, ...(copies !== undefined && { orders: copies }) }, JSON.stringify(args))
    return { cursors: [inPlaceCursor, nextCursor] }
  }
  for (const args of [
    ...SUPPLIERS.map((supplier) => ({ supplier })),
    ...['alves', 'ZOE', 'σισυφοσ', 'quoted', '"back slash"', 'a_b', 'final'].map((query) => ({ query })),
    { supplier: 'Alves' },
    { status: 'draft', limit: 3 },
    { deliveryAtAfter: '2026-11-15T12:00:00Z', deliveryAtBefore: '2027-01-01T09:30:00Z' },
    { deliveryAtBefore: '2026-11-20' },
    { ids: ['o0007', 'o0014', 'o0021', 'none'] },
    { countBy: 'supplier' },
    { countBy: 'status', query: 'alves' },
    { countBy: 'urgent' },
    { fields: ['total'], limit: 2 },
  ])
    await both(args)
  let cursors: unknown[] = []
  for (let pages = 1; pages <= 5; pages++) {
    const [cursor, copy] = cursors
    const page = cursor === undefined ? {} : { cursor }
    const { etag: _, nextCursor: one, ...inPlace } = await shop.ask({ limit: 40, ...page })
    const {
      etag: __,
      nextCursor: other,
      copies,
      ...rest
    } = await shop.ask({ limit: 40, ...(copy === undefined ? {} : { cursor: copy }) }, 'list_copies')
    assert.deepEqual(inPlace, { ...rest, orders: copies })
    cursors = [one, other]
  }
  assert.deepEqual(cursors, [null, null])
})

onEach('all rows of a table may belong to one workspace', async (t, engine) => {
  const shop = await startShop(t, engine, {
    definition: inPlace({ 'rows.workspaceColumn': undefined, 'rows.workspace': 'acme' }),
  })
  await shop.insert({ id: 'a', shop: 'anything' })
  assert.deepEqual(await shop.ids({ limit: 1 }), ['a'])
  await createWorkspace(shop.operator, { name: 'Other', slug: 'other' }, 'test')
  const { token } = await shop.keys.create('other', {
    label: 'other',
    permissions: ['orders:read'],
    quota: null,
    expiresAt: null,
  })
  assert.deepEqual((await shop.orders({ authorization: `Bearer ${token}` })).text, '{"orders":[]}')
})

onEach('a question looks at the first 10,000 rows of the list, and its total is a minimum', async (t, engine) => {
  const shop = await startShop(t, engine)
  const numbers =
    engine === 'sqlite'
      ? '(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 10050) SELECT n FROM s) AS s'
      : 'generate_series(1, 10050) AS s(n)'
  await shop.run(`INSERT INTO open_orders (id, shop, supplier, ordered_on, status)
    SELECT 'o' || (10000 + n), 'acme', CASE WHEN n > 10000 THEN 'Beyond' WHEN n = 9999 THEN 'Nearly' ELSE 'x' END, '2026-11-16', 'sent'
    FROM ${numbers}`)
  const { headers } = await shop.orders()
  assert.equal(headers.get('x-total-count'), '10000')
  const all = await shop.ask({ limit: 1 })
  assert.deepEqual([all.total, all.totalIsMinimum], [10_000, true])
  const nearly = await shop.ask({ supplier: 'Nearly' })
  assert.deepEqual([nearly.total, nearly.totalIsMinimum], [1, true])
})

onEach('a row is found by the longest whole number, and no other is an error', async (t, engine) => {
  const shop = await startShop(t, engine)
  await shop.run(
    engine === 'sqlite'
      ? 'ALTER TABLE open_orders RENAME COLUMN id TO old; ALTER TABLE open_orders ADD COLUMN id INTEGER'
      : 'ALTER TABLE open_orders ALTER COLUMN id TYPE bigint USING id::bigint',
  )
  const ids = ['-9223372036854775808', '9223372036854775807']
  const values = (id: string) => `(${id}, 'acme', 'Alvés', '2026-11-16', 'sent')`
  await shop.run(`INSERT INTO open_orders (id, shop, supplier, ordered_on, status) VALUES ${ids.map(values)}`)
  const beyond = ['-9223372036854775809', '10000000000000000000', '9223372036854775808']
  const { notFound, orders } = await shop.ask({ ids: [...ids, ...beyond] })
  assert.deepEqual([(orders as { id: string }[]).map(({ id }) => id).toSorted(), notFound], [ids, beyond])
})
