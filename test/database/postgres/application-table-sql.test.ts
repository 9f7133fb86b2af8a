/** `vitrine resource sql`: its output shows an application's table as a resource, and follows changes. */
import assert from 'node:assert/strict'
import { startOfDate, zoneNamed } from '../../../src/lib/local-dates.ts'
import { startOrders } from '../../support/application-orders.ts'
import { testWithPostgres as test } from '../../support/database.ts'
import { withClient } from '../../support/postgres-server.ts'

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

/** Key types, and how the keys 9, 10 and 11 are written. */
const KEYS: [type: string, key: (n: number) => string][] = [
  ['bigint', String],
  ['uuid', uuid],
  ['text', (n) => `n ${n}'"`],
  ['character varying(9)', (n) => `n${n}`],
]

for (const prefix of [undefined, 'order-', `o'";\\--:x `])
  test(`rows with any key are followed, with the prefix ${prefix ?? 'none'}`, async (t) => {
    const { asOwner, asApp, show, ids, applicationTables } = await startOrders(t)
    for (const [i, [type, key]] of KEYS.entries()) {
      const table = `shop.o${i}`
      const value = (n: number) => `'${key(n).replaceAll("'", "''")}'`
      const all = (...numbers: number[]) => numbers.map((n) => `${prefix ?? ''}${key(n)}`)
      await asOwner(
        `CREATE TABLE ${table} (number ${type} PRIMARY KEY, supplier text); GRANT ALL ON ${table} TO shop_app`,
      )
      await asApp(`INSERT INTO ${table} VALUES (${value(10)}, 'Ten'), (${value(9)}, 'Nine')`)
      const options = [
        '--source',
        `s${i}`,
        '--workspace',
        'lisbon',
        ...(prefix === undefined ? [] : ['--prefix', prefix]),
      ]
      await show('orders', '--table', table, ...options)
      const after = async (sql: string) => {
        await asApp(sql)
        return ids('lisbon')
      }
      const first = await ids('lisbon')
      assert.deepEqual(
        type === 'bigint' ? first : first.sort().reverse(),
        type === 'bigint' ? all(9, 10) : all(9, 10).sort().reverse(),
      )
      assert.deepEqual((await after(`INSERT INTO ${table} VALUES (${value(11)}, 'Eleven')`)).at(-1), all(11)[0], type)
      assert.deepEqual(await after(`DELETE FROM ${table} WHERE number <> ${value(11)}`), all(11), type)
      assert.deepEqual(await after(`UPDATE ${table} SET number = ${value(9)}`), all(9), type)
      assert.deepEqual(await after(`UPDATE ${table} SET supplier = ''`), [], 'it cannot be shown')
      assert.match(await applicationTables(), /supplier must not be empty/)
      assert.deepEqual(await after(`UPDATE ${table} SET supplier = 'Nine'`), all(9), type)
      assert.deepEqual(await after(`TRUNCATE ${table}`), [], type)
    }
    assert.match(await applicationTables(), /: every row is shown$/)
  })

test('every fitting type is shown as its kind, and other columns are left as TODO', async (t) => {
  const { asOwner, asApp, asOperator, show, sql, shown } = await startOrders(t)
  await asOwner(`CREATE TYPE shop.state AS ENUM ('draft', 'sent', 'lost'); CREATE DOMAIN shop.address AS varchar(99);
    CREATE TABLE shop.purchase (id int PRIMARY KEY, workspace_id text, supplier varchar(99), "Page" shop.address, ordered_on date, "deliveryAt" timestamp,
      lines smallint, weight numeric, total money, urgent boolean, status shop.state, tags varchar(9)[], other text);
    GRANT ALL ON shop.purchase TO shop_app`)
  const printed = await show('orders', '--table', 'shop.purchase', '--timezone', 'america/new_york')
  assert.doesNotMatch(printed, /-- TODO/)
  assert.match(
    printed,
    /"deliveryAt" AT TIME ZONE 'America\/New_York' AS "delivery_at", -- it has no time zone, so it is read as America\/New_York/,
  )
  assert.match(printed, /AS "status", -- rows with "lost" are not shown/)
  await asApp(`INSERT INTO shop.purchase VALUES (1, 'lisbon', 'Alvés', 'https://a.example', '2026-11-16', '2026-11-16 09:00',
    3, 1.50, '1240.5', true, 'sent', '{a,"b c"}'), (2, 'lisbon', 'Lost', NULL, NULL, NULL, NULL, NULL, NULL, false, 'lost', NULL)`)
  const [row, ...others] =
    await shown(`id, supplier, page, ordered_on::text, to_json(delivery_at AT TIME ZONE 'UTC')::text AS at, lines,
    weight::text, total::text, urgent, status, tags`)
  assert.deepEqual(others, [])
  assert.deepEqual(row, {
    ...{ id: '1', supplier: 'Alvés', page: 'https://a.example', ordered_on: '2026-11-16', at: '"2026-11-16T14:00:00"' },
    ...{ lines: '3', weight: '1.50', total: '1240.50', urgent: true, status: 'sent', tags: ['a', 'b c'] },
  })
  await asApp(`UPDATE shop.purchase SET weight = 1.5 WHERE id = 1`)
  assert.deepEqual(await shown('weight::text'), [{ weight: '1.5' }], 'digit for digit')

  await asOwner(`CREATE TABLE shop.misfit (id int PRIMARY KEY, workspace_id text, page int, ordered_on text, delivery_at text,
    lines numeric, weight double precision, urgent int, status boolean, tags jsonb)`)
  const { stdout, stderr } = await sql('orders', '--table', 'shop.misfit', '--source', 'other')
  assert.match(
    stdout,
    /-- TODO "weight" \(decimal\): "weight" is double precision, not decimal: convert it; null until it is mapped\n/,
  )
  assert.match(stdout, /-- TODO "supplier" \(text\): no column has its name; required, so no row is shown without it\n/)
  assert.match(
    stdout,
    /-- TODO "status" \(choice\): "status" is boolean, not choice: convert it; "draft" until it is mapped\n/,
  )
  const unmapped = 'supplier, page, orderedOn, deliveryAt, lines, weight, total, urgent, status, tags'
  assert.match(
    stderr,
    new RegExp(
      `^Not mapped: ${unmapped}\\. Complete the lines with TODO\\.\n.*vitrine_operator lacks privileges: shop_owner must`,
    ),
  )
  await asOwner('ALTER TABLE shop.misfit ALTER lines TYPE numeric(9, 0)')
  assert.match((await sql('orders', '--table', 'shop.misfit', '--source', 'other')).stdout, /t\."lines" AS "lines"/)
  await asOwner('GRANT SELECT, TRIGGER ON shop.misfit TO vitrine_operator')
  await asOperator(stdout)
})

test('a row that breaks a rule of its kind is left out and named, and its write succeeds', async (t) => {
  const { asOwner, asApp, show, shown, applicationTables } = await startOrders(t)
  await asOwner(`CREATE TABLE shop.purchase (id int PRIMARY KEY, supplier text DEFAULT 'S', page text, ordered_on date, weight numeric, total numeric, tags text[]);
    GRANT ALL ON shop.purchase TO shop_app`)
  await show('orders', '--table', 'shop.purchase', '--workspace', 'lisbon')
  await asApp('INSERT INTO shop.purchase VALUES (1)')
  const broken: [set: string, fault: RegExp][] = [
    [`page = 'ftp://a.example'`, /page must be/],
    [`page = 'https://a b'`, /page must be/],
    [`ordered_on = '10000-01-01'`, /orderedOn must be/],
    [`ordered_on = 'infinity'`, /orderedOn must be/],
    [`ordered_on = '0044-03-15 BC'`, /orderedOn must be/],
    [`weight = 'NaN'`, /weight must be/],
    [`weight = 'Infinity'`, /weight must be/],
    [`weight = 1e-19`, /weight must be/],
    [`total = 1e38`, /total must be/],
    [`tags = '{a,NULL}'`, /tags must/],
    [`tags = '{{a},{b}}'`, /tags must/],
    [`tags = '{a,b,c,d,e,f}'`, /tags must/],
    [`tags = ARRAY[repeat('x', 21)]`, /tags must/],
  ]
  for (const [set, fault] of broken) {
    await asApp(`UPDATE shop.purchase SET ${set}`)
    assert.deepEqual(await shown('id'), [], set)
    assert.match(await applicationTables(), fault, set)
    await asApp(`UPDATE shop.purchase SET page = NULL, ordered_on = NULL, weight = NULL, total = NULL, tags = NULL`)
    assert.deepEqual(await shown('id'), [{ id: '1' }], set)
  }
})

test("a date is shown as an instant at the end of its day, and an instant as a date, in the workspace's timezone", async (t) => {
  const { asOwner, asApp, asOperator, show, sql, shown, applicationTables } = await startOrders(t)
  await asOwner(`CREATE TABLE shop.dated (id int PRIMARY KEY, workspace_id text, supplier text DEFAULT 'S', delivery_at date, ordered_on timestamptz,
      title text DEFAULT 'T', created_at date DEFAULT '2026-07-01', due_at date);
    GRANT ALL ON shop.dated TO shop_app`)
  const printed = await show('orders', '--table', 'shop.dated')
  assert.match(printed, /AS "ordered_on", -- a time: shown as its date in the workspace's timezone/)
  assert.match(printed, /AS "delivery_at" -- a date: shown as the last second of that day in the workspace's timezone/)
  await asOperator((await sql('tasks', '--table', 'shop.dated')).stdout)
  await asApp(`INSERT INTO shop.dated (id, workspace_id, delivery_at, ordered_on, due_at) VALUES
    (1, 'lisbon', '2026-07-01', '2026-07-01 23:30+00', '2026-11-16'), (2, 'havana', '2026-10-31', '2026-07-02 03:30+00', NULL), (3, 'lisbon', NULL, NULL, 'infinity')`)
  const dates = () => shown(`id, to_json(delivery_at AT TIME ZONE 'UTC') AS at, ordered_on::text AS on`)
  const [lisbon, havana] = [
    { id: '1', at: '2026-07-01T22:59:59', on: '2026-07-02' },
    { id: '2', at: '2026-11-01T03:59:59', on: '2026-07-01' },
  ]
  const without = { id: '3', at: null, on: null }
  assert.deepEqual(await dates(), [havana, lisbon, without])
  assert.deepEqual(
    await asOperator(
      `SELECT id, to_json(created_at AT TIME ZONE 'UTC') AS created, to_json(due_at AT TIME ZONE 'UTC') AS due FROM vitrine.tasks ORDER BY id`,
    ),
    [
      { id: '1', created: '2026-06-30T23:00:00', due: '2026-11-16T23:59:59' },
      { id: '2', created: '2026-07-01T04:00:00', due: null },
    ],
  )
  assert.match(await applicationTables(), /tasks "3": .*dueAt must be a time in the years 1 to 9999/)
  await asApp(`DELETE FROM shop.dated WHERE id = 3`)
  await asOperator(`UPDATE vitrine.workspaces SET timezone = NULL WHERE id = 'lisbon'`)
  assert.match(
    await applicationTables(),
    /orders "1": shown as it no longer is; run SELECT vitrine\.show_all\('shop'\)/,
  )
  await asOperator(`SELECT vitrine.show_all('shop')`)
  assert.deepEqual(await dates(), [havana, { ...lisbon, at: '2026-07-01T23:59:59', on: '2026-07-01' }])
})

test("dates of rows follow a team's new timezone", async (t) => {
  const { asOwner, asApp, install, show, shown } = await startOrders(t)
  const team = uuid(1)
  await asApp(`INSERT INTO shop.team (id, handle, title, tz) VALUES ('${team}', 'deli', 'Deli', 'Europe/Lisbon')`)
  await install()
  await asOwner(
    `CREATE TABLE shop.dated (id int PRIMARY KEY, team uuid REFERENCES shop.team, supplier text, delivery_at date); GRANT ALL ON shop.dated TO shop_app`,
  )
  await show('orders', '--table', 'shop.dated', '--workspace-column', 'team')
  await asApp(`INSERT INTO shop.dated VALUES (1, '${team}', 'S', '2026-07-01')`)
  const at = async () => (await shown(`to_json(delivery_at AT TIME ZONE 'UTC') AS at`))[0]?.at
  assert.equal(await at(), '2026-07-01T22:59:59')
  await asApp(`UPDATE shop.team SET tz = 'America/Havana'`)
  assert.equal(await at(), '2026-07-02T03:59:59')
})

test('a day begins in the database when it does in an import', async (t) => {
  const { asOperator } = await startOrders(t)
  const zones =
    'Europe/Lisbon America/Havana America/Sao_Paulo Atlantic/Azores Asia/Beirut Africa/Cairo America/St_Johns Asia/Kathmandu UTC'.split(
      ' ',
    )
  for (const zone of zones) {
    const rows =
      await asOperator(`SELECT day::date::text AS day, extract(epoch FROM vitrine.start_of_day(day::date, '${zone}')) * 1000 AS ms
      FROM generate_series('2008-01-01'::timestamp, '2026-12-31', '1 day') AS day`)
    assert.equal(rows.length, 6940)
    for (const { day = '', ms } of rows)
      assert.equal(Number(ms), startOfDate(zoneNamed(zone), day), `${day} in ${zone}`)
  }
  assert.deepEqual(await asOperator(`SELECT vitrine.zone_of('nowhere') AS zone`), [{ zone: 'UTC' }])
})

test('rows are shown in the workspace that they name, and nowhere else', async (t) => {
  const { asOwner, asApp, show, shown, applicationTables } = await startOrders(t)
  await asOwner(
    `CREATE TABLE shop.purchase (id bigint PRIMARY KEY, tenant text, supplier text, lines int); GRANT ALL ON shop.purchase TO shop_app`,
  )
  await show('orders', '--table', 'shop.purchase', '--workspace-column', 'tenant', '--prefix', 'p')
  const rows = async () => (await shown('workspace_id, id, supplier')).map((row) => Object.values(row).join(' '))
  await asApp(
    `INSERT INTO shop.purchase VALUES (1, 'lisbon', 'A'), (2, 'havana', 'B'), (3, 'nowhere', 'C'), (4, NULL, 'D')`,
  )
  assert.deepEqual(await rows(), ['havana p2 B', 'lisbon p1 A'])
  await asApp(`UPDATE shop.purchase SET tenant = 'havana' WHERE id = 1`)
  assert.deepEqual(await rows(), ['havana p2 B', 'havana p1 A'])
  await asApp(
    `UPDATE shop.purchase SET lines = 1001 WHERE id = 2; INSERT INTO shop.purchase VALUES (5, 'lisbon', 'E', -1), (6, 'lisbon', 'F', 0)`,
  )
  assert.deepEqual(
    await rows(),
    ['havana p1 A', 'lisbon p6 F'],
    'rows that break a rule are left out, and their writes succeed',
  )
  const named = await applicationTables()
  assert.match(named, /orders "p3": its workspace is not shown/)
  assert.match(named, /orders "p5": orders_lines_in_range: lines must be from 0 to 1000/)
})

test("ids that cannot be traced back to the table's key are refused", async (t) => {
  const { asOwner, asApp, asOperator, show, ids, applicationTables } = await startOrders(t)
  await asOwner(
    `CREATE TABLE shop.purchase (id bigint PRIMARY KEY, supplier text); GRANT ALL ON shop.purchase TO shop_app`,
  )
  await asApp(`INSERT INTO shop.purchase VALUES (1, 'A')`)
  const printed = await show('orders', '--table', 'shop.purchase', '--workspace', 'lisbon')
  const prefixed = printed.replace('t."id" AS "id"', `'p' || t."id" AS "id"`)
  assert.notEqual(prefixed, printed)
  await assert.rejects(asOperator(prefixed), {
    message:
      /^the id "p1" of vitrine\.orders_from_shop cannot be traced back to a key of shop\.purchase, so its changes would not be followed; .*'id:<prefix>'/,
  })
  assert.deepEqual(await ids('lisbon'), ['1'], 'nothing was changed')
  await asOperator(prefixed.replace(/SELECT vitrine\.show_all.*/, ''))
  assert.match(await applicationTables(), /orders null: the id "p1" of vitrine\.orders_from_shop cannot be traced back/)
  const halfway = printed.replace('t."id" AS "id"', `'p' || t."id" AS "id", t."id" AS "id:q"`)
  await assert.rejects(
    asOperator(halfway),
    /the id "p1" of vitrine\.orders_from_shop is not the prefix that a column "id:<prefix>" names/,
  )
  await assert.rejects(
    asOperator(printed.replace(/'lisbon'::text AS "workspace_id",/, '')),
    /orders_from_shop lacks the column workspace_id/,
  )
  await asOperator(printed)
  assert.match(await applicationTables(), /: every row is shown$/)
})

test('a trigger for each row, as replication needs it, follows a prefix too', async (t) => {
  const { asOwner, asApp, asOperator, show, ids } = await startOrders(t)
  await asOwner(
    'CREATE TABLE shop.purchase (id bigint PRIMARY KEY, supplier text); GRANT ALL ON shop.purchase TO shop_app',
  )
  await show('orders', '--table', 'shop.purchase', '--workspace', 'lisbon', '--prefix', 'p-')
  await asOwner(`DROP TRIGGER orders_from_shop_insert ON shop.purchase; DROP TRIGGER orders_from_shop_update ON shop.purchase;
    DROP TRIGGER orders_from_shop_delete ON shop.purchase`)
  await asOperator(`CREATE TRIGGER replicated AFTER INSERT OR UPDATE OR DELETE ON shop.purchase
    FOR EACH ROW EXECUTE FUNCTION vitrine.follow('orders', 'shop', 'id', 'id:p-')`)
  await asApp(
    `INSERT INTO shop.purchase VALUES (1, 'A'), (2, 'B'); DELETE FROM shop.purchase WHERE id = 1; UPDATE shop.purchase SET id = 3`,
  )
  assert.deepEqual(await ids('lisbon'), ['p-3'])
})

test('a changed row with a prefix is found by the index of its key', async (t) => {
  const { as, asOwner, show } = await startOrders(t)
  await asOwner(`CREATE TABLE shop.purchase (id bigint PRIMARY KEY, supplier text)`)
  await show('orders', '--table', 'shop.purchase', '--workspace', 'lisbon', '--prefix', 'p-')
  await withClient(as('vitrine_operator'), async (client) => {
    const { rows } = await client.query(`SELECT vitrine.own_filter('orders', 'shop', 'id') AS filter`)
    await client.query(
      `SET enable_seqscan = off; PREPARE found (text[]) AS SELECT FROM vitrine.orders_from_shop AS v WHERE ${rows[0].filter}`,
    )
    const plan = await client.query(`EXPLAIN EXECUTE found ('{p-1}')`)
    assert.match(JSON.stringify(plan.rows), /Index Cond: \(id = ANY/)
  })
})

test('names that look like SQL are only names, and the comment at the end undoes everything', async (t) => {
  const { asSuperuser, asOwner, asApp, asOperator, sql, ids } = await startOrders(t)
  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
  const [schema, table, key, tenant] = [
    's"; DROP TABLE shop.team; --',
    't\n; DROP TABLE shop.team; --',
    `k"'\\; --`,
    'w\r\nDROP TABLE shop.team;',
  ]
  const target = `${quoted(schema)}.${quoted(table)}`
  await asSuperuser(`CREATE SCHEMA ${quoted(schema)} AUTHORIZATION shop_owner`)
  await asOwner(`CREATE TABLE ${target} (${quoted(key)} text PRIMARY KEY, ${quoted(tenant)} text, supplier text, "or""der'ed_on
    ; DROP TABLE shop.team;" int, page int);
    GRANT USAGE ON SCHEMA ${quoted(schema)} TO shop_app; GRANT ALL ON ${target} TO shop_app`)
  const args = [
    'orders',
    '--table',
    target,
    '--source',
    'x',
    '--workspace-column',
    tenant,
    '--prefix',
    `'; DROP TABLE shop.team; --`,
  ]
  await asOwner((await sql(...args, '--grants')).stdout)
  const { stdout } = await sql(...args)
  for (const _ of [1, 2]) await asOperator(stdout)
  await asApp(
    `INSERT INTO ${target} VALUES ('k1', 'lisbon', 'A'), ('k2', 'lisbon', 'B'); DELETE FROM ${target} WHERE supplier = 'B'`,
  )
  assert.deepEqual(await ids('lisbon'), [`'; DROP TABLE shop.team; --k1`])

  const [, ofOperator = '', ofOwner = ''] = stdout.split(/^-- (?:To undo this, run|and then) as \w+:$/m)
  const uncommented = (text: string) => text.replaceAll(/^-- {3}/gm, '')
  await asOperator(uncommented(ofOperator))
  await asOwner(uncommented(ofOwner))
  await asApp(`INSERT INTO ${target} VALUES ('k3', 'lisbon', 'C')`)
  assert.deepEqual(await ids('lisbon'), [])
  assert.deepEqual(
    await asOperator(`SELECT to_regclass('shop.team')::text AS team, has_table_privilege('vitrine_operator', ${`'${target.replaceAll("'", "''")}'`}, 'SELECT') AS granted,
    (SELECT count(*) FROM pg_trigger WHERE tgfoid = 'vitrine.follow'::regproc) AS triggers`),
    [{ team: 'shop.team', granted: false, triggers: '0' }],
  )
})

test('a table or column that cannot be shown is refused with the nearest names', async (t) => {
  const { asOwner, show, sql } = await startOrders(t)
  await show('orders', '--table', 'shop.todo', '--source', 'used', '--workspace', 'lisbon')
  await asOwner(`CREATE TABLE shop.purchase (id int, line int, number text, paid timestamptz UNIQUE NOT NULL, PRIMARY KEY (id, line));
    CREATE UNIQUE INDEX ON shop.purchase (number); CREATE VIEW shop.purchases AS TABLE shop.purchase`)
  const refusals: [args: string[], message: RegExp][] = [
    [['order', '--table', 'shop.todo'], /^no resource with a table is named order; the nearest are orders, tasks$/],
    [['orders', '--table', 'shop.todos'], /^there is no table shop\.todos; the nearest are shop\.todo, /],
    [
      ['orders', '--table', 'shop.team', '--source', 'used'],
      /^the source used already shows shop\.todo as orders; choose another --source$/,
    ],
    [['orders', '--table', 'vitrine.tasks'], /^there is no table vitrine\.tasks/],
    [['orders', '--table', 'todo'], /^--table: must be SCHEMA\.TABLE/],
    [['orders', '--table', 'shop.purchases'], /is not a table; name the table that it reads/],
    [['orders', '--table', 'shop.purchase'], /no primary key of a single column; name a unique column with --key$/],
    [
      ['orders', '--table', 'shop.purchase', '--key', 'nr'],
      /^--key: the table has no column nr; the nearest are number, /,
    ],
    [
      ['orders', '--table', 'shop.purchase', '--key', 'number'],
      /number cannot be the key: it must be unique by an index, and NOT NULL/,
    ],
    [['orders', '--table', 'shop.purchase', '--key', 'paid'], /paid cannot be the key: it is timestamp with time zone/],
    [['orders', '--table', 'shop.todo'], /cannot tell which workspace a row belongs to: .*--workspace-column$/],
    [['orders', '--table', 'shop.todo', '--workspace', 'lisboa'], /^no workspace has the slug lisboa/],
    [
      ['orders', '--table', 'shop.todo', '--workspace-column', 'teem'],
      /^--workspace-column: the table has no column teem; the nearest are team, /,
    ],
    [['orders', '--table', 'shop.todo', '--timezone', 'Mars'], /^--timezone: Mars is not a known timezone$/],
    [['orders', '--table', 'shop.todo', '--source', 'A'], /^--source: 'A' is not a valid source name/],
    [['orders', '--table', 'shop.todo', '--source', 'a'.repeat(50)], /^--source: must be 8 bytes shorter$/],
    [
      ['orders', '--table', 'shop.todo', '--prefix', 'é'.repeat(31), '--workspace', 'lisbon'],
      /^--prefix: must be 2 bytes shorter$/,
    ],
  ]
  for (const [args, message] of refusals) await assert.rejects(sql(...args), { message }, args.join(' '))
})
