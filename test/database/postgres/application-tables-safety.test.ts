/** What an application's tables and roles must not do to the shown rows, and what Vitrine must not do to the application. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { testWithPostgres as test } from '../../support/database.ts'
import { withClient } from '../../support/postgres-server.ts'
import { program } from '../../support/program.ts'
import { documented, startShop } from '../../support/shop.ts'

const DELI = '00000000-0000-4000-8000-000000000001'

/** One team with one todo, shown; `shown` is what the database serves. */
async function startShown(t: TestContext) {
  const shop = await startShop(t)
  await shop.asApp(`INSERT INTO shop.team (id, handle, title, country) VALUES ('${DELI}', 'deli', 'Deli', 'IT');
    INSERT INTO shop.todo (team, subject, assignee) VALUES ('${DELI}', 'Order lemons', 'ada@shop.example')`)
  await shop.install()
  const shown = async () => ({
    workspaces: (await shop.asOperator('SELECT slug FROM vitrine.workspaces ORDER BY slug')).map(({ slug }) => slug),
    tasks: (await shop.asOperator('SELECT title FROM vitrine.tasks ORDER BY title')).map(({ title }) => title),
  })
  const doctor = async () => (await program(t, { DATABASE_URL: shop.as('vitrine_server') }).run('doctor')).stdout
  return { ...shop, shown, doctor }
}

const following = (table: string, arguments_: string) => `CREATE TRIGGER vitrine_update AFTER UPDATE ON ${table}
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION vitrine.follow(${arguments_})`

/** The table, which a view joins, with the triggers that follow it. */
const furtherTable = (name: string, columns: string) => `CREATE TABLE shop.${name} (${columns});
  GRANT ALL ON shop.${name} TO shop_app; GRANT SELECT, TRIGGER ON shop.${name} TO vitrine_operator`

const replacedView = (name: string, from: string, more: string) =>
  `CREATE OR REPLACE VIEW vitrine.${name}_from_shop AS ${documented('own-tables.sql')
    .split(`CREATE VIEW vitrine.${name}_from_shop AS`)[1]
    ?.split(';')[0]
    ?.replace(from, more)}`

test('a row that a further table removes from a view is no longer shown', async (t) => {
  const { asApp, asOwner, asOperator, shown } = await startShown(t)
  await asOwner(`${furtherTable('person', 'email text PRIMARY KEY, badge integer, active boolean DEFAULT true')};
    ${furtherTable('land', 'code text PRIMARY KEY, open boolean DEFAULT true')}`)
  await asApp(`INSERT INTO shop.person VALUES ('ada@shop.example', 7); INSERT INTO shop.land VALUES ('IT')`)
  await asOperator(`${replacedView('tasks', 'FROM shop.todo', 'FROM shop.todo JOIN shop.person ON email = assignee AND active')};
    ${replacedView('workspaces', 'FROM shop.team', 'FROM shop.team JOIN shop.land ON code = country AND open')};
    ${following('shop.person', `'tasks', 'shop', 'email', 'assignee_email'`)};
    ${following('shop.land', `'workspaces', 'shop', 'code', 'country_code'`)}`)
  const [all, none] = [['Order lemons'], []]
  await asApp('UPDATE shop.person SET active = false')
  assert.deepEqual(await shown(), { workspaces: ['deli'], tasks: none })
  await asApp('UPDATE shop.person SET active = true')
  assert.deepEqual(await shown(), { workspaces: ['deli'], tasks: all })
  await asApp('UPDATE shop.land SET open = false')
  assert.deepEqual(await shown(), { workspaces: [], tasks: none })
  await asApp('UPDATE shop.land SET open = true')
  assert.deepEqual(await shown(), { workspaces: ['deli'], tasks: all })

  await asOwner('DROP TRIGGER vitrine_update ON shop.person')
  await asOperator(following('shop.person', `'tasks', 'shop', 'badge', 'badge'`))
  await asApp('UPDATE shop.person SET active = false')
  assert.deepEqual(await shown(), { workspaces: ['deli'], tasks: none }, 'by a key that nothing is shown with')
})

test('a row that arrives while a further table changes reflects both', async (t) => {
  const { as, asApp, asOwner, asOperator, asSuperuser, shown } = await startShown(t)
  await asOwner(furtherTable('person', 'email text PRIMARY KEY, active boolean DEFAULT true'))
  await asApp(`INSERT INTO shop.person VALUES ('ada@shop.example'), ('bob@shop.example')`)
  await asOperator(`${replacedView('tasks', 'FROM shop.todo', 'FROM shop.todo JOIN shop.person ON email = assignee AND active')};
    ${following('shop.person', `'tasks', 'shop', 'email', 'assignee_email'`)}`)
  await withClient(as('shop_app'), (first) =>
    withClient(as('shop_app'), async (second) => {
      // Shown before they commit, so that each is shown while the other is not committed.
      await first.query(`BEGIN; INSERT INTO shop.todo (team, subject, assignee) VALUES ('${DELI}', 'Of Bob', 'bob@shop.example');
        SET CONSTRAINTS ALL IMMEDIATE`)
      await second.query('BEGIN')
      const changed = second.query(`UPDATE shop.person SET active = false WHERE email LIKE 'bob%'; COMMIT`)
      const isWaiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND usename = 'shop_app'`
      const isOver = changed.then(() => true)
      while (!(await Promise.race([isOver, asSuperuser(isWaiting).then((found) => found.length > 0)])));
      await first.query('COMMIT')
      await changed
    }),
  )
  assert.deepEqual((await shown()).tasks, ['Order lemons'])
})

test('an application cannot write into workspaces of others', async (t) => {
  const { asApp, asOperator, shown, doctor } = await startShown(t)
  const other = DELI.replace('1', '9')
  await asOperator(`INSERT INTO vitrine.workspaces (id, slug, name) VALUES ('${other}', 'other', 'Other')`)
  await asApp(`INSERT INTO shop.team (id, handle, title) VALUES ('${other}', 'mine', 'Mine');
    INSERT INTO shop.todo (team, subject) VALUES ('${other}', 'Smuggled')`)
  assert.deepEqual(await shown(), { workspaces: ['deli', 'other'], tasks: ['Order lemons'] })
  assert.match(await doctor(), /its workspace is not shown/)
  await asOperator(`SELECT vitrine.show_all('shop')`)
  assert.deepEqual((await shown()).tasks, ['Order lemons'])

  await asOperator(`DROP VIEW vitrine.workspaces_from_shop; SELECT vitrine.show_all('shop')`)
  assert.deepEqual((await shown()).tasks, ['Order lemons', 'Smuggled'], 'only todos follow their view')
})

test("a view's function that rejects a row does not abort the transaction", async (t) => {
  const { asApp, asOperator, shown, doctor } = await startShown(t)
  await asOperator(`CREATE FUNCTION vitrine.strict(text) RETURNS text LANGUAGE plpgsql AS
    $$ BEGIN IF $1 = 'bad' THEN RAISE EXCEPTION 'this is bad'; END IF; RETURN $1; END $$;
    ${replacedView('tasks', 'subject AS title', 'vitrine.strict(subject) AS title')}`)
  await asApp(`UPDATE shop.todo SET subject = 'bad'; INSERT INTO shop.todo (team, subject) VALUES ('${DELI}', 'good')`)
  assert.deepEqual((await shown()).tasks, ['good'])
  assert.match(await doctor(), /not shown: tasks null: a row cannot be read: this is bad/)
})

test('a team that is shown from an older snapshot has all its todos, or its transaction is retried', async (t) => {
  const { as, asApp, shown } = await startShown(t)
  await asApp(`UPDATE shop.team SET handle = 'Not A Slug'`)
  await withClient(as('shop_app'), async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    await client.query('SELECT FROM shop.todo')
    await asApp(`INSERT INTO shop.todo (team, subject) VALUES ('${DELI}', 'Bake bread')`)
    await assert.rejects(client.query(`UPDATE shop.team SET handle = 'deli'; COMMIT`), { code: '40001' })
  })
  await asApp(`UPDATE shop.team SET handle = 'deli'`)
  assert.deepEqual((await shown()).tasks, ['Bake bread', 'Order lemons'])
})

test('everything is shown from committed data, even with repeatable-read transactions', async (t) => {
  const { asOperator, install } = await startShown(t)
  await assert.rejects(
    asOperator(`BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT vitrine.show_all('shop')`),
    /run it in a READ COMMITTED transaction/,
  )
  const [{ name } = {}] = await asOperator('SELECT current_database() AS name')
  await asOperator(
    `ALTER ROLE vitrine_operator IN DATABASE ${name} SET default_transaction_isolation = 'repeatable read'`,
  )
  await install()
})

test('doctor names a view that cannot be read, and its other findings', async (t) => {
  const { asOwner, doctor } = await startShown(t)
  await asOwner('REVOKE SELECT ON shop.todo FROM vitrine_operator')
  const found = await doctor()
  assert.match(
    found,
    /^FAIL {2}own tables: .*tasks_from_shop cannot be read: permission denied for table todo; .*own-tables-grants\.sql/m,
  )
  assert.match(found, /^ok {4}clock: /m)
})

test("the documented owner's and operator's roles can turn on the triggers for replicated rows", async (t) => {
  const { asOwner, asOperator, install } = await startShown(t)
  await asOperator(documented('own-tables-replicated.sql'))
  await asOwner(documented('own-tables-replicated-enable.sql'))
  await install()
  const triggers = await asOperator(
    `SELECT DISTINCT tgname AS name, tgenabled AS enabled FROM pg_trigger WHERE tgname LIKE 'vitrine_repl%' OR tgname = 'vitrine_truncate' ORDER BY 1`,
  )
  assert.deepEqual(triggers, [
    { name: 'vitrine_replicated', enabled: 'R' },
    { name: 'vitrine_replicated_truncate', enabled: 'R' },
    { name: 'vitrine_truncate', enabled: 'O' },
  ])
})

test('a view that is dropped or replaced meanwhile aborts no transaction', async (t) => {
  const { as, asOperator, shown } = await startShown(t)
  let isDone = false
  const failures: unknown[] = []
  const writing = withClient(as('shop_app'), async (client) => {
    for (let n = 0; !isDone; n++)
      await client.query(`UPDATE shop.todo SET subject = 'Changed ${n}'`).catch((error) => failures.push(error))
  })
  for (let i = 0; i < 200; i++)
    await asOperator(`DROP VIEW vitrine.tasks_from_shop; ${replacedView('tasks', 'FROM shop.todo', 'FROM shop.todo')}`)
  await asOperator('DROP VIEW vitrine.tasks_from_shop')
  isDone = true
  await writing
  assert.deepEqual(failures, [])
  assert.deepEqual((await shown()).workspaces, ['deli'])
})

test("task delete warns that an application's row comes back with its next change", async (t) => {
  const { as, asApp, asOperator, shown } = await startShown(t)
  const [task] = await asOperator('SELECT id FROM vitrine.tasks')
  const vitrine = program(t, { DATABASE_URL: as('vitrine_operator') })
  const { code, stderr } = await vitrine.run('task', 'delete', '--workspace', 'deli', String(task?.id))
  assert.equal(code, 0)
  assert.match(stderr, /own tables \(own:shop\): delete it there, or its next change brings it back/)
  assert.deepEqual((await shown()).tasks, [])
  await asApp(`UPDATE shop.todo SET subject = 'Order limes'`)
  assert.deepEqual((await shown()).tasks, ['Order limes'])
})
