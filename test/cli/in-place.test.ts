import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { inPlace, shopDatabase } from '../lists/in-place/shop.ts'
import { connectElsewhere, createDatabase, onEach, skipWithoutPostgres } from '../support/database.ts'
import { documentedCode } from '../support/documented.ts'
import { type Program, program } from '../support/program.ts'

const PAGE = 'docs/in-place.md'

function withDefinition(t: TestContext, definition: object): Program {
  const vitrine = program(t)
  mkdirSync(`${vitrine.folder}/resources`)
  vitrine.writeFile('resources/orders.json', JSON.stringify(definition))
  vitrine.env.RESOURCES = 'resources'
  return vitrine
}

async function keyFor(vitrine: Program): Promise<string> {
  await vitrine.ok('migrate')
  await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  return vitrine.ok('key', 'create', '--workspace', 'acme', '--label', 'test', '--permissions', 'orders:read')
}

const ordersAt = (url: string, key: string) => fetch(`${url}/orders`, { headers: { authorization: `Bearer ${key}` } })

test(
  'the guide serves a view of PostgreSQL, with its role, definition and setting',
  skipWithoutPostgres(),
  async (t) => {
    const role = `vitrine_orders_${randomBytes(4).toString('hex')}`
    const url = await createDatabase(t, 'template0')
    const { run } = await connectElsewhere(url, t)
    await run('SET search_path = public')
    await run(`CREATE TABLE shops (id int PRIMARY KEY, slug text);
    CREATE TABLE suppliers (id int PRIMARY KEY, name text);
    CREATE TABLE orders (id int PRIMARY KEY, shop_id int, supplier_id int, total numeric(12, 2), order_date date,
      delivery_at timestamptz, status text, cancelled_at timestamptz);
    INSERT INTO shops VALUES (1, 'acme'), (2, 'other');
    INSERT INTO suppliers VALUES (1, 'Alvés & Filhos');
    INSERT INTO orders VALUES (1017, 1, 1, 1240.5, '2026-11-16', NULL, 'sent', NULL), (9, 1, 1, NULL, '2026-11-16', NULL, 'draft', NULL),
      (2, 1, 1, 1, '2026-11-16', NULL, 'received', NULL), (3, 1, 1, 1, '2026-11-16', NULL, 'sent', now()),
      (4, 2, 1, 1, '2026-11-16', NULL, 'sent', NULL)`)
    await run(documentedCode(PAGE, 'sql').replaceAll('vitrine_orders', role))
    t.after(async () => {
      const { run, close } = await connectElsewhere(url)
      await run(`DROP OWNED BY ${role}; DROP ROLE ${role}`).finally(close)
    })

    const vitrine = withDefinition(t, JSON.parse(documentedCode(PAGE, 'json', '"fields"')))
    assert.deepEqual(Object.keys(JSON.parse(documentedCode(PAGE, 'json', '"tasks"'))), ['name', 'rows'])
    const address = new URL(url)
    address.username = role
    assert.match(
      documentedCode(PAGE, 'sh', 'SHOP_DATABASE_URL'),
      /^export SHOP_DATABASE_URL=postgres:\/\/vitrine_orders@/,
    )
    const words = documentedCode(PAGE, 'sh', 'resource new').replace('"$SHOP_DATABASE_URL"', address.href).split(/ |\n/)
    const drafted = JSON.parse(await vitrine.ok(...words.slice(1, words.indexOf('>'))))
    assert.deepEqual(Object.keys(drafted.fields), [
      'id',
      'supplier',
      'total',
      'orderDate',
      'deliveryAt',
      'status',
      'shopSlug',
    ])
    vitrine.writeFile('shop-url', address.href)
    vitrine.writeFile('settings.env', `SHOP_DATABASE_URL_FILE=shop-url\n`)
    const key = await keyFor(vitrine)
    const { url: server, stop, output } = await vitrine.start('serve', '--env-file', 'settings.env')
    const order = { supplier: 'Alvés & Filhos', orderedOn: '2026-11-16', deliveryAt: null }
    assert.deepEqual(await (await ordersAt(server, key)).json(), {
      orders: [
        { id: '9', ...order, total: null, status: 'draft' },
        { id: '1017', ...order, total: '1240.50', status: 'sent' },
      ],
    })
    assert.equal(await stop(), 0)
    assert.doesNotMatch(output(), /warning|"level":50/)
  },
)

test('import, sync and delete are refused, with where the rows live', async (t) => {
  const vitrine = withDefinition(t, inPlace())
  for (const words of [
    ['import', '--workspace', 'acme', 'orders.json'],
    ['sync', '--workspace', 'acme', '--source', 'shop', 'orders.json'],
    ['delete', '--workspace', 'acme', 'PO-1'],
  ])
    assert.equal(
      await vitrine.fails(2, 'order', ...words),
      'vitrine: orders are read in place, and their rows live in the table open_orders of the database in SHOP_DATABASE_URL: change them there; GET /orders shows them\n',
    )
})

test('a setting that is missing or wrong stops the start; a table that is missing does not, and is logged', async (t) => {
  const vitrine = withDefinition(t, inPlace())
  const key = await keyFor(vitrine)
  assert.match(await vitrine.fails(1, 'serve'), /SHOP_DATABASE_URL: is not set, and a definition in RESOURCES names it/)
  vitrine.env.SHOP_DATABASE_URL = 'mysql://user:pa55word@host/shop'
  const wrong = await vitrine.fails(1, 'serve')
  assert.match(wrong, /SHOP_DATABASE_URL: must be sqlite:<file>/)
  assert.doesNotMatch(wrong, /pa55word/)
  vitrine.env.SHOP_DATABASE_URL = 'sqlite:shop.db'
  const shop = new DatabaseSync(`${vitrine.folder}/shop.db`)
  const { url, printed } = await vitrine.start('serve')
  await printed('there is no table or view')
  assert.equal((await ordersAt(url, key)).status, 503)
  const examined = async () => {
    const check = await vitrine.run('resource', 'check', '--json')
    const doctor = await vitrine.run('doctor', '--json')
    const [file] = JSON.parse(check.stdout).files
    const { state } = JSON.parse(doctor.stdout).checks.find(({ name }: { name: string }) => name === 'table of orders')
    const members = [...file.faults, ...file.warnings].map(({ member }: { member: string }) => member)
    return [check.code, members, state]
  }
  assert.deepEqual(await examined(), [1, ['table'], 'failed'])
  shop.exec(`CREATE TABLE open_orders (id INTEGER PRIMARY KEY, shop TEXT, supplier TEXT, total REAL, ordered_on TEXT, deliver_by INTEGER,
    urgent INTEGER, status TEXT); INSERT INTO open_orders VALUES (10, 'acme', 'x', 1.5, '2026-11-16', 1794729600, 1, 'sent'),
    (9, 'acme', 'x', 2, '2026-11-16', 1794729600, 0, 'draft')`)
  shop.close()
  assert.deepEqual(await examined(), [0, ['table'], 'warning'])
  const { orders } = (await (await ordersAt(url, key)).json()) as { orders: Record<string, unknown>[] }
  assert.deepEqual(
    orders.map(({ id, total, deliveryAt, urgent }) => [id, total, deliveryAt, urgent]),
    [
      ['9', '2', '2026-11-15T08:00:00.000Z', false],
      ['10', '1.5', '2026-11-15T08:00:00.000Z', true],
    ],
  )
})

onEach('a definition is drafted from a table, and serves it once the workspace is named', async (t, engine) => {
  const { url, run } = await shopDatabase(t, engine)
  const [kind, instant] = engine === 'sqlite' ? ['VARCHAR(20)', 'TIMESTAMP'] : ['kind', 'timestamptz']
  if (engine === 'postgres') await run("CREATE TYPE kind AS ENUM ('meeting', 'mail')")
  await run(`CREATE TABLE "Entries" (
    entry_no INTEGER PRIMARY KEY, subject varchar(80) NOT NULL, "Amount" numeric(10, 2), kind ${kind} NOT NULL,
    logged_at ${instant} NOT NULL, expires_on DATE, is_private BOOLEAN NOT NULL,
    state varchar(9) NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'it''s, done')), seen varchar(9) CHECK (seen <> 'no'))`)
  await run('CREATE INDEX by_time ON "Entries" (logged_at, entry_no)')
  await run(
    `INSERT INTO "Entries" VALUES (7, '${'secret '.repeat(20).slice(0, 80)}', 12.5, 'mail', '2026-11-15T09:00:00Z', NULL, true, 'new', NULL)`,
  )
  if (engine === 'postgres') await run(`COMMENT ON COLUMN "Entries".subject IS 'What it is about.'`)
  const vitrine = program(t)
  const { stdout, stderr, code } = await vitrine.run('resource', 'new', 'entries', '--from', url, '--table', 'Entries')
  assert.equal(code, 0, stderr)
  assert.doesNotMatch(stdout + stderr, /secret|127\.0\.0\.1|sqlite:/)
  const drafted = JSON.parse(stdout)
  const types = Object.entries<Record<string, unknown>>(drafted.fields).map(([field, { type, nullable = false }]) => [
    field,
    type,
    nullable,
  ])
  assert.deepEqual(types, [
    ['id', 'text', false],
    ['subject', 'text', false],
    ['amount', 'decimal', true],
    ['kind', engine === 'sqlite' ? 'text' : 'choice', false],
    ['loggedAt', 'instant', false],
    ['expiresOn', 'date', true],
    ['isPrivate', 'boolean', false],
    ['state', 'choice', false],
    ['seen', 'text', true],
  ])
  assert.ok(drafted.fields.subject.maxLength > 5000, 'rows beyond the sample may have longer texts')
  assert.deepEqual(drafted.fields.state.values, ['new', "it's, done"])
  if (engine === 'postgres') {
    assert.deepEqual(drafted.fields.kind.values, ['meeting', 'mail'])
    assert.equal(drafted.fields.subject.description, 'What it is about.')
  }
  assert.deepEqual(drafted.rows, {
    ...{ database: 'ENTRIES_DATABASE_URL', table: 'Entries', workspace: 'SLUG' },
    columns: { id: 'entry_no', amount: 'Amount' },
  })
  assert.deepEqual(drafted.order, engine === 'postgres' ? ['loggedAt'] : undefined)

  mkdirSync(`${vitrine.folder}/resources`)
  drafted.rows.workspace = 'acme'
  vitrine.writeFile('resources/entries.json', JSON.stringify({ ...drafted, state: 'published' }))
  Object.assign(vitrine.env, { RESOURCES: 'resources', ENTRIES_DATABASE_URL: url })
  const { files } = await vitrine.json('resource', 'check')
  assert.deepEqual(files[0].faults, [])
  await vitrine.ok('migrate')
  await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  const key = await vitrine.ok(
    'key',
    'create',
    '--workspace',
    'acme',
    '--label',
    'test',
    '--permissions',
    'entries:read',
  )
  const { url: server } = await vitrine.start('serve')
  const response = await fetch(`${server}/entries`, { headers: { authorization: `Bearer ${key}` } })
  const { entries } = (await response.json()) as { entries: Record<string, unknown>[] }
  assert.deepEqual(
    entries.map(({ id, amount, isPrivate }) => [id, Number(amount), isPrivate]),
    [['7', 12.5, true]],
  )
})
