/** docs/sql/own-tables.sql from an application's view: with existing rows, and a role that knows nothing about Vitrine. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type pg from 'pg'
import { openReadingStore, parseDatabaseUrl } from '../../../src/database/open.ts'
import { resources } from '../../../src/resources/index.ts'
import { testWithPostgres as test } from '../../support/database.ts'
import { withClient } from '../../support/postgres-server.ts'
import { program } from '../../support/program.ts'
import { serveShop, startShop } from '../../support/shop.ts'

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const [DELI, BAKERY, LEMONS, BREAD] = [id(1), id(2), id(11), id(12)]

const teams = `INSERT INTO shop.team (id, handle, title, tz, currency, country)
  VALUES ('${DELI}', 'deli', 'Deli', 'Europe/Rome', 'EUR', 'IT'), ('${BAKERY}', 'bakery', 'Bakery', NULL, NULL, NULL)`
const todos = `INSERT INTO shop.todo (id, team, subject, due)
  VALUES ('${LEMONS}', '${DELI}', 'Order lemons', '2026-12-01 09:00:00.123456+01'), ('${BREAD}', '${BAKERY}', 'Bake bread', NULL)`

/** Two teams with a todo each, shown; and a key for each team. */
async function startShown(t: TestContext) {
  const shop = await startShop(t)
  await shop.asApp(`${teams}; ${todos}`)
  await shop.install()
  const service = await serveShop(t, shop)
  const [deli, bakery] = [await shop.createKey('deli'), await shop.createKey('bakery')]
  const reading = await openReadingStore(parseDatabaseUrl(shop.as('vitrine_server')), resources)
  t.after(() => reading.close())
  return {
    ...shop,
    ...service,
    deli,
    bakery,
    both: async () => [await service.titles(deli), await service.titles(bakery)],
    /** What doctor reports; checked here, since a process per fault would take most of the test's time. */
    applicationTables: async () => {
      const found = await reading.examine()
      return found.find(({ check }) => check === 'own tables')?.detail ?? ''
    },
    doctor: async () => (await program(t, { DATABASE_URL: shop.as('vitrine_server') }).run('doctor')).stdout,
  }
}

test('the next request sees rows that existed before, and every later change of them', async (t) => {
  const { asApp, install, get, both, deli, bakery, titles } = await startShown(t)
  assert.deepEqual(await get(deli, '/workspace'), {
    status: 200,
    body: {
      workspace: {
        ...{ id: DELI, name: 'Deli', slug: 'deli' },
        ...{ timezone: 'Europe/Rome', currencyCode: 'EUR', countryCode: 'IT' },
      },
    },
  })
  const { body } = (await get(deli, '/tasks')) as { body: { tasks: { id: string; dueAt: string }[] } }
  assert.deepEqual([body.tasks[0]?.id, body.tasks[0]?.dueAt], [LEMONS, '2026-12-01T08:00:00.123Z'])
  assert.deepEqual(await both(), [['Order lemons'], ['Bake bread']])
  const shownAfter = async (sql: string) => {
    await asApp(sql)
    return both()
  }

  assert.deepEqual(await shownAfter(`UPDATE shop.todo SET subject = 'Order limes' WHERE id = '${LEMONS}'`), [
    ['Order limes'],
    ['Bake bread'],
  ])
  assert.deepEqual(await shownAfter(`UPDATE shop.todo SET team = '${BAKERY}', due = NULL WHERE id = '${LEMONS}'`), [
    [],
    ['Bake bread', 'Order limes'],
  ])
  const exchanged = `UPDATE shop.todo SET team = CASE id WHEN '${LEMONS}' THEN '${DELI}' ELSE '${BAKERY}' END::uuid`
  assert.deepEqual(await shownAfter(exchanged), [['Order limes'], ['Bake bread']])
  assert.deepEqual(await shownAfter(`UPDATE shop.todo SET id = '${id(13)}', subject = 'Rye' WHERE id = '${BREAD}'`), [
    ['Order limes'],
    ['Rye'],
  ])
  assert.deepEqual(await shownAfter(`BEGIN; DELETE FROM shop.todo; ROLLBACK`), [['Order limes'], ['Rye']])
  assert.deepEqual(await shownAfter(`DELETE FROM shop.todo WHERE team = '${BAKERY}'`), [['Order limes'], []])
  assert.deepEqual(await shownAfter(`UPDATE shop.todo SET hidden_until = now() + interval '1 hour'`), [[], []])
  assert.deepEqual(await shownAfter(`UPDATE shop.todo SET hidden_until = NULL, done = true`), [[], []])
  assert.deepEqual(await shownAfter(`UPDATE shop.todo SET done = false`), [['Order limes'], []])
  assert.deepEqual(await shownAfter('TRUNCATE shop.todo'), [[], []])
  assert.deepEqual(await shownAfter(todos), [['Order lemons'], ['Bake bread']])
  await install()
  assert.deepEqual(await both(), [['Order lemons'], ['Bake bread']], 'the script can be run again')

  const slugOf = async (key: string) => {
    const { status, body } = (await get(key, '/workspace')) as {
      status: number
      body: { workspace?: { slug: string } }
    }
    return body.workspace?.slug ?? status
  }
  await asApp(`UPDATE shop.team SET handle = CASE handle WHEN 'deli' THEN 'bakery' ELSE 'deli' END`)
  assert.deepEqual([await slugOf(deli), await slugOf(bakery)], ['bakery', 'deli'])
  await asApp(`UPDATE shop.team SET closed = true WHERE id = '${DELI}'`)
  assert.deepEqual([await slugOf(deli), await titles(deli)], [404, []])
  await asApp(`UPDATE shop.team SET closed = false`)
  assert.deepEqual([await slugOf(deli), await titles(deli)], ['bakery', ['Order lemons']])
  // The todos follow their team by the application's foreign key; the key of Vitrine stays with the former id.
  await asApp(`UPDATE shop.team SET id = '${id(3)}' WHERE id = '${BAKERY}'`)
  assert.deepEqual([await slugOf(bakery), await titles(bakery)], [404, []])
  await asApp(`UPDATE shop.team SET id = '${BAKERY}' WHERE id = '${id(3)}'`)
  assert.deepEqual([await slugOf(bakery), await titles(bakery)], ['deli', ['Bake bread']])
  await asApp(`DELETE FROM shop.todo WHERE team = '${BAKERY}'; DELETE FROM shop.team WHERE id = '${BAKERY}'`)
  assert.deepEqual([await slugOf(bakery), await titles(bakery)], [404, []])
  await asApp('TRUNCATE shop.team CASCADE')
  assert.deepEqual([await slugOf(deli), await titles(deli)], [404, []])
})

const faults: [what: string, set: string, fault: RegExp][] = [
  ['no title', 'subject = NULL', /title must not be null/],
  ['an empty title', `subject = ''`, /title must not be empty/],
  ['a title that is too long', `subject = repeat('x', 501)`, /title must be at most 500 characters/],
  ['details that are too long', `note = repeat('x', 10001)`, /details must be at most 10000 characters/],
  ['an address that is none', `assignee = 'somebody'`, /assigneeEmail must be an email address/],
  ['no end of its due time', `due = 'infinity'`, /dueAt must be a time in the years 1 to 9999/],
  ['a snooze before all time', `hidden_until = '-infinity'`, /snoozedUntil must be a time in the years 1 to 9999/],
  ['a year beyond 9999', `due = '12000-01-01'`, /dueAt must be a time in the years 1 to 9999/],
]

test('a row that cannot be shown is left out and named, and never aborts the transaction', async (t) => {
  const { asApp, titles, deli, applicationTables, doctor } = await startShown(t)
  const everyRow = 'tasks_from_shop, workspaces_from_shop: every row is shown'
  assert.equal(await applicationTables(), everyRow)
  assert.ok((await doctor()).includes(`ok    own tables: ${everyRow}`))
  for (const [what, set, fault] of faults) {
    await asApp(`UPDATE shop.todo SET ${set} WHERE id = '${LEMONS}'`)
    assert.deepEqual(await titles(deli), [], `${what}: what was shown before is not shown any more`)
    await asApp(`INSERT INTO shop.todo (team, subject) VALUES ('${DELI}', 'Another')`)
    assert.deepEqual(await titles(deli), ['Another'], what)
    const named = await applicationTables()
    assert.match(named, fault, what)
    assert.ok(named.startsWith(`not shown: tasks "${LEMONS}": tasks_`), named)
    await asApp(`DELETE FROM shop.todo WHERE team = '${DELI}'; ${todos.split(', (')[0]}`)
    assert.deepEqual(await titles(deli), ['Order lemons'], what)
  }
})

test('a team that cannot be shown hides its todos, and restores them once it can', async (t) => {
  const { asApp, asOperator, get, titles, deli, applicationTables } = await startShown(t)
  const teamFaults: [set: string, fault: RegExp][] = [
    [`handle = 'Not A Slug'`, /slug must be 1 to 63/],
    [`handle = NULL`, /slug must not be null/],
    [`title = ''`, /name must not be empty/],
    [`tz = 'Mars/Olympus'`, /timezone must be a name of the IANA database/],
    [`currency = 'XXXX'`, /currency_code must be an ISO 4217 code/],
    [`handle = 'taken'`, /another workspace has this slug/],
  ]
  await asOperator(`INSERT INTO vitrine.workspaces (id, slug, name) VALUES ('other', 'taken', 'Other')`)
  for (const [set, fault] of teamFaults) {
    await asApp(`UPDATE shop.team SET ${set} WHERE id = '${DELI}'`)
    assert.equal((await get(deli, '/workspace')).status, 404, set)
    assert.deepEqual(await titles(deli), [], set)
    const named = await applicationTables()
    assert.match(named, fault)
    assert.match(named, new RegExp(`tasks "${LEMONS}": its workspace is not shown`))
    await asApp(`UPDATE shop.team SET handle = 'deli', title = 'Deli', tz = NULL, currency = NULL WHERE id = '${DELI}'`)
    assert.equal((await get(deli, '/workspace')).status, 200, set)
    assert.deepEqual(await titles(deli), ['Order lemons'], set)
  }
})

test('a row that a view cannot even read is left out, and the others of its statement are shown', async (t) => {
  const { asApp, asOperator, titles, deli, applicationTables } = await startShown(t)
  await asOperator(`DROP VIEW vitrine.tasks_from_shop; CREATE VIEW vitrine.tasks_from_shop AS
    SELECT id, team AS workspace_id, subject AS title, (100 / (length(subject) - 4))::text AS details, due AS due_at FROM shop.todo`)
  const insert = `INSERT INTO shop.todo (team, subject) SELECT '${DELI}', CASE n % 7 WHEN 3 THEN 'Boom' ELSE 'Todo ' || n END`
  await asApp(`${insert} FROM generate_series(1, 20) n`)
  const shown = await titles(deli)
  assert.equal(shown.length, 18, 'seventeen new ones, and the one from before')
  assert.ok(!shown.includes('Boom'))
  assert.match(await applicationTables(), /^not shown: (tasks "[-0-9a-f]{36}": division by zero(; |$)){3}/)
  await asApp(`UPDATE shop.todo SET subject = 'Boom' WHERE id = '${LEMONS}'`)
  assert.equal((await titles(deli)).length, 17, 'what was shown before is not shown any more')
})

test('an id that was imported or synced is left alone', async (t) => {
  const { asApp, asOperator, titles, deli, applicationTables } = await startShown(t)
  await asOperator(
    `INSERT INTO vitrine.tasks (workspace_id, id, title, due_at) VALUES ('${DELI}', '${id(20)}', 'Imported', now())`,
  )
  await asApp(`INSERT INTO shop.todo (id, team, subject) VALUES ('${id(20)}', '${DELI}', 'Of the shop')`)
  assert.deepEqual(await titles(deli), ['Imported', 'Order lemons'])
  assert.match(
    await applicationTables(),
    new RegExp(`tasks "${id(20)}": its id is in use: imported, or of another source`),
  )
  await asApp(`DELETE FROM shop.todo WHERE id = '${id(20)}'`)
  assert.deepEqual(await titles(deli), ['Imported', 'Order lemons'])
})

test('doctor finds rows that were written while the triggers were off, and show_all shows them', async (t) => {
  const { asApp, asOwner, asOperator, both, applicationTables, doctor } = await startShown(t)
  await asOwner('ALTER TABLE shop.todo DISABLE TRIGGER USER')
  await asApp(`UPDATE shop.todo SET subject = 'Changed' WHERE id = '${LEMONS}'; DELETE FROM shop.todo WHERE id = '${BREAD}';
    INSERT INTO shop.todo (id, team, subject) VALUES ('${id(21)}', '${DELI}', 'New')`)
  assert.deepEqual(await both(), [['Order lemons'], ['Bake bread']])
  const named = await applicationTables()
  for (const [todo, fault] of [
    [id(21), 'not shown yet'],
    [LEMONS, 'shown as it no longer is'],
    [BREAD, 'shown as it no longer is'],
  ])
    assert.ok(named.includes(`tasks "${todo}": ${fault}; run SELECT vitrine.show_all('shop')`), named)
  assert.ok((await doctor()).includes(`FAIL  own tables: ${named}`))
  await asOperator(`SELECT vitrine.show_all('shop')`)
  assert.deepEqual(await both(), [['Changed', 'New'], []])
})

test('a further table that the view joins is followed by its own key', async (t) => {
  const { asOwner, asApp, asOperator, get, titles, deli } = await startShown(t)
  await asOwner(`CREATE TABLE shop.person (email text PRIMARY KEY, name text);
    GRANT ALL ON shop.person TO shop_app; GRANT SELECT, TRIGGER ON shop.person TO vitrine_operator`)
  await asOperator(`CREATE OR REPLACE VIEW vitrine.tasks_from_shop AS
    SELECT id, team AS workspace_id, subject AS title, note AS details, due AS due_at, assignee AS assignee_email,
           CASE WHEN done THEN 'completed' ELSE 'open' END AS status, hidden_until AS snoozed_until, created AS created_at, name AS assignee_name
    FROM shop.todo LEFT JOIN shop.person ON email = assignee;
    CREATE TRIGGER vitrine_update AFTER UPDATE ON shop.person REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
      FOR EACH STATEMENT EXECUTE FUNCTION vitrine.follow('tasks', 'shop', 'email', 'assignee_email')`)
  await asApp(
    `INSERT INTO shop.person VALUES ('ada@shop.example', 'Ada'); UPDATE shop.todo SET assignee = 'ada@shop.example'`,
  )
  await asApp(`UPDATE shop.person SET name = 'Ada Lovelace'`)
  const { body } = (await get(deli, '/tasks')) as { body: { tasks: { assigneeName: string }[] } }
  assert.deepEqual(
    body.tasks.map(({ assigneeName }) => assigneeName),
    ['Ada Lovelace'],
  )
  await asApp(`UPDATE shop.person SET name = repeat('x', 201)`)
  assert.deepEqual(await titles(deli), [])
})

test("the application's role needs no privileges of Vitrine, and the server's cannot act for the operator's", async (t) => {
  const { asApp, as, asOperator } = await startShown(t)
  await assert.rejects(asApp('SELECT FROM vitrine.tasks'), { code: '42501' })
  const [grants] = await asApp(`SELECT has_schema_privilege('vitrine', 'USAGE') AS usage`)
  assert.equal(String(grants?.usage), 'false')
  await withClient(as('vitrine_server'), async (client) => {
    for (const attempt of [
      `SELECT vitrine.show_all('shop')`,
      `SELECT vitrine.refresh('tasks', 'shop')`,
      'CREATE TEMP TABLE mine (id text)',
      `CREATE TRIGGER mine AFTER TRUNCATE ON mine EXECUTE FUNCTION vitrine.follow('tasks', 'shop')`,
      `SELECT vitrine.refresh_rows('tasks', 'shop', NULL, NULL)`,
      `SELECT vitrine.remove_workspaces('shop', '{${DELI}}')`,
    ])
      if (!attempt.startsWith('CREATE TEMP')) await assert.rejects(client.query(attempt), { code: '42501' }, attempt)
      else await client.query(attempt)
  })
  const owners = await asOperator(`SELECT DISTINCT proowner::regrole::text AS owner
    FROM pg_proc WHERE pronamespace = 'vitrine'::regnamespace AND prosecdef`)
  assert.deepEqual(owners, [{ owner: 'vitrine_operator' }])
})

test('no write is lost while the tables are installed and shown again', async (t) => {
  const { asApp, as, install, asOperator, applicationTables } = await startShown(t)
  await asApp(`INSERT INTO shop.todo (team, subject) SELECT '${DELI}', 'Todo ' || n FROM generate_series(1, 2000) n`)
  let isDone = false
  let writes = 0
  const failures: unknown[] = []
  const writer = (n: number) =>
    withClient(as('shop_app'), async (client) => {
      const one = '(SELECT id FROM shop.todo OFFSET floor(random() * 1500) LIMIT 1)'
      const statements = [
        `INSERT INTO shop.todo (team, subject) VALUES ('${DELI}', 'New')`,
        `UPDATE shop.todo SET subject = 'Changed ' || random() WHERE id = ${one}`,
        `UPDATE shop.todo SET team = '${BAKERY}' WHERE id = ${one}`,
        `DELETE FROM shop.todo WHERE id = ${one}`,
        `UPDATE shop.team SET title = 'Deli ' || random() WHERE id = '${DELI}'`,
      ]
      for (let i = n; !isDone; i++) {
        // Every other transaction changes a todo and then its team, as a form that saves both would.
        const statement = statements[i % statements.length] ?? ''
        try {
          await client.query(i % 2 === 0 ? `BEGIN; ${statement}; ${statements[4]}; COMMIT` : statement)
          writes++
        } catch (error) {
          failures.push(error)
          await client.query('ROLLBACK')
        }
      }
    })
  const writers = [0, 1, 2].map(writer)
  const untilInstalled = async (): Promise<void> => {
    try {
      await install()
    } catch (error) {
      // It yields to a writer, as the script states.
      assert.match(String((error as { code?: string }).code), /^(55P03|40P01)$/)
      await untilInstalled()
    }
  }
  await asOperator('DROP VIEW vitrine.tasks_from_shop')
  for (let i = 0; i < 3; i++) {
    await untilInstalled()
    await asOperator(`SELECT vitrine.show_all('shop')`)
  }
  isDone = true
  await Promise.all(writers)
  assert.ok(writes > 10, `${writes} writes`)
  assert.deepEqual(failures, [], 'no transaction of the application was aborted')
  assert.equal(await applicationTables(), 'tasks_from_shop, workspaces_from_shop: every row is shown')
})

test('transactions that write to the same teams in another order do not wait, and both commit', async (t) => {
  const { asApp, as, both } = await startShown(t)
  await asApp(
    `INSERT INTO shop.todo (id, team, subject) VALUES ('${id(31)}', '${DELI}', 'Ham'), ('${id(32)}', '${BAKERY}', 'Rolls')`,
  )
  const write = (client: pg.Client, todo: string) =>
    client.query(`UPDATE shop.todo SET subject = subject || '!' WHERE id = '${todo}'`)
  await withClient(as('shop_app'), (first) =>
    withClient(as('shop_app'), async (second) => {
      for (const client of [first, second]) await client.query('BEGIN')
      await write(first, LEMONS)
      await write(second, BREAD)
      await write(first, id(32))
      await write(second, id(31))
      await Promise.all([first.query('COMMIT'), second.query('COMMIT')])
    }),
  )
  assert.deepEqual(await both(), [
    ['Order lemons!', 'Ham!'],
    ['Bake bread!', 'Rolls!'],
  ])
})
