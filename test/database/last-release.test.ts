/** The upgrade from the last release, as docs/upgrading.md describes it; once more on PostgreSQL. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openOperatorStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { resources } from '../../src/resources/index.ts'
import { connectElsewhere, type Elsewhere, engineUnderTest, freshDatabaseUrl, testOnly } from '../support/database.ts'
import { createLastRelease, RELEASE_KEY, releaseStatements } from '../support/last-release.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { startOperator } from '../support/operator.ts'
import { program } from '../support/program.ts'
import { getFrom, startReplica } from '../support/replicas.ts'
import { waitUntil } from '../support/wait.ts'

const onPostgres = testOnly('postgres')

async function lastRelease(t: TestContext) {
  const url = await freshDatabaseUrl(t)
  await createLastRelease(url)
  const elsewhere = await connectElsewhere(url, t)
  const migrate = async () => (await openOperatorStore(parseDatabaseUrl(url), resources, { create: false })).close()
  return { url, elsewhere, migrate }
}

test('starting a server upgrades a database of the last release and keeps serving its keys', async (t) => {
  const { url } = await lastRelease(t)
  const vitrine = program(t, { DATABASE_URL: url })
  const server = await vitrine.serve()
  const response = await getFrom(server, RELEASE_KEY)
  assert.equal(response.status, 200)
  const { tasks } = (await response.json()) as { tasks: { id: string }[] }
  assert.deepEqual(
    tasks.map(({ id }) => id),
    ['t-2', 't-1', 't-3'],
  )
  await server.stop()
  const { checks } = JSON.parse((await vitrine.run('doctor', '--json')).stdout) as {
    checks: { name: string; state: string }[]
  }
  assert.deepEqual(
    checks.filter(({ state }) => state === 'failed'),
    [],
  )
  assert.ok(checks.some(({ name }) => name === 'audit chain'))
})

interface ColumnFacts {
  place: string
  type: string
  needsValue: boolean
}

async function columnsOf(elsewhere: Elsewhere): Promise<Map<string, ColumnFacts>> {
  const rows = await elsewhere.all<ColumnFacts>(
    engineUnderTest() === 'sqlite'
      ? `SELECT m.name || '.' || c.name AS place, c.type, c."notnull" = 1 AND c.dflt_value IS NULL AND c.pk = 0 AS "needsValue"
         FROM sqlite_schema AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table'`
      : `SELECT table_name || '.' || column_name AS place, data_type AS type,
                is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO' AS "needsValue"
         FROM information_schema.columns WHERE table_schema = 'vitrine'`,
  )
  return new Map(rows.map((row) => [row.place, { ...row, needsValue: Boolean(row.needsValue) }]))
}

/** Rows of lists moved to another table. Only the database's own functions, and records of use, used the others. */
const GONE =
  /^((tasks|resource_tables|currency_codes|country_codes|own_changes|workspace_use|key_use|key_callers|key_incidents)\.|workspaces\.source$|notice_settings\.incidents_seen$)/

test("the last release's tables and columns stay, and its inserts still work", async (t) => {
  const { elsewhere, migrate } = await lastRelease(t)
  const before = await columnsOf(elsewhere)
  await migrate()
  const after = await columnsOf(elsewhere)
  assert.ok(before.size > 80 && after.size > before.size)
  for (const [place, { type, needsValue }] of before) {
    if (GONE.test(place)) continue
    assert.equal(after.get(place)?.type, type, place)
    assert.ok(needsValue || !after.get(place)?.needsValue, `${place} needs a value now`)
  }
  const tables = new Set([...before.keys()].map((place) => place.split('.')[0]))
  for (const [place, { needsValue }] of after)
    if (!before.has(place) && !GONE.test(place) && tables.has(place.split('.')[0] ?? ''))
      assert.ok(!needsValue, `${place} needs a value`)
})

onPostgres("an application's rows become a source's, and it continues to write its tables", async (t) => {
  const { elsewhere, migrate } = await lastRelease(t)
  await elsewhere.run(`
    CREATE TABLE public.orders (id text);
    CREATE TRIGGER followed AFTER INSERT ON public.orders REFERENCING NEW TABLE AS new_rows
      FOR EACH STATEMENT EXECUTE FUNCTION vitrine.follow('tasks', 'shop');
    UPDATE tasks SET source = 'own:shop'`)
  await migrate()
  await elsewhere.run(`INSERT INTO public.orders VALUES ('a')`)
  assert.deepEqual(await elsewhere.all('SELECT DISTINCT source FROM list_items'), [{ source: 'shop' }])
})

onPostgres(
  'the last release’s statements still work after the upgrade, except those for records of use and lists',
  async (t) => {
    const { elsewhere, migrate } = await lastRelease(t)
    await migrate()
    const statements = releaseStatements().filter(
      (statement) => !/key_use|key_incidents|tasks|resource_tables/.test(statement),
    )
    assert.ok(statements.length > 20)
    for (const [i, statement] of statements.entries()) await elsewhere.run(`PREPARE old_${i} AS ${statement}`)
  },
)

onPostgres(
  'a running server continues after a newer one has migrated, even after losing its connections; only a new start is refused',
  async (t) => {
    const url = await migratedDatabaseUrl(t)
    const operator = await startOperator(t, url)
    const { token } = await operator.createKey()
    const replica = await startReplica(t, { DATABASE_URL: url })
    assert.equal((await getFrom(replica, token)).status, 200)
    const newer = await connectElsewhere(url, t)
    await newer.run(`INSERT INTO migrations (number) VALUES (999); ALTER TABLE api_keys ADD COLUMN new_thing text`)
    assert.equal((await getFrom(replica, token)).status, 200)
    await newer.run(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    )
    await waitUntil(async () => (await getFrom(replica, token)).status === 200)
    await assert.rejects(startReplica(t, { DATABASE_URL: url }), /was written by a newer Vitrine/)
  },
)
