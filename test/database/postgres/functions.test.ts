/** Every function of the schema: who may execute it, with whose rights it runs, and which names it can be made to read. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { testWithPostgres as test } from '../../support/database.ts'
import { documented, startWithRoles } from '../../support/documented-roles.ts'
import { withClient } from '../../support/postgres-server.ts'
import { getFrom, startReplicas } from '../../support/replicas.ts'

/** The server's role, and one that may only look up names in the schema. */
const ROLES = ['vitrine_server', 'stranger']

/** Who may execute a function besides its owner: what docs/sql grants. */
const GRANTS: Record<string, string[]> = {
  day_in_zone: ['vitrine_server'],
}

interface SchemaFunction {
  name: string
  arguments: string
  isTrigger: boolean
  /** Whether it runs with the rights of its owner. */
  isDefiner: boolean
  /** Fixed when it was created, so that the caller's settings have no effect. */
  isParsed: boolean
  searchPath: string | null
  grantees: string[]
}

const FUNCTIONS = `
  SELECT proname AS name, pg_get_function_identity_arguments(p.oid) AS arguments, prorettype = 'trigger'::regtype AS "isTrigger",
         prosecdef AS "isDefiner", prosqlbody IS NOT NULL AS "isParsed",
         (SELECT substring(setting FROM 13) FROM unnest(proconfig) AS setting WHERE setting LIKE 'search_path=%') AS "searchPath",
         ARRAY(SELECT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END
               FROM aclexplode(coalesce(proacl, acldefault('f', proowner))) WHERE grantee <> proowner ORDER BY 1) AS grantees
  FROM pg_proc AS p WHERE pronamespace = 'vitrine'::regnamespace ORDER BY 1, 2`

const functionsOf = (url: string) =>
  withClient(url, async (client) => (await client.query<SchemaFunction>(FUNCTIONS)).rows)

/** With all that docs/sql grants, and a place to leave traces. */
async function startWithFunctions(t: TestContext) {
  const operator = await startWithRoles(t)
  await operator.asSuperuser(`GRANT USAGE ON SCHEMA vitrine TO stranger;
    CREATE TABLE public.traces (role text); GRANT INSERT, SELECT ON public.traces TO PUBLIC`)
  const operatorUrl = operator.as('vitrine_operator')
  await operator.asOperator(documented('settings-writes.sql'))
  return { ...operator, functions: await functionsOf(operatorUrl) }
}

test('PUBLIC may execute no function of the schema, and none looks up names where its caller can create them', async (t) => {
  const { functions } = await startWithFunctions(t)
  assert.ok(functions.length > 3)
  for (const { name, isParsed, searchPath, grantees } of functions) {
    assert.deepEqual(grantees, GRANTS[name] ?? [], `who may execute ${name}`)
    // Where pg_temp is not named, it comes first.
    assert.ok(isParsed || /^pg_catalog, (vitrine, )?pg_temp$/.test(searchPath ?? ''), `${name} searches ${searchPath}`)
  }
})

/** A table, and views with the names of transition tables, whose every value is a call of the caller's own function. */
const columns = 'id workspace_id key_id seq source number title details'.split(' ')
const relations = 'new_rows old_rows workspaces revisions pg_attribute pg_class'
const spiedOn = `
  CREATE FUNCTION pg_temp.spy() RETURNS text LANGUAGE plpgsql AS
    $$ BEGIN INSERT INTO public.traces VALUES (current_user); RETURN 'true'; END $$;
  CREATE TEMP TABLE bait (${columns.map((column) => `${column} text`).join(', ')});
  ${relations
    .split(' ')
    .map(
      (name) =>
        `CREATE TEMP VIEW ${name} AS SELECT ${columns.map((column) => `pg_temp.spy() AS ${column}`).join(', ')}`,
    )
    .join(';\n')};
  DO $$ DECLARE relation text; BEGIN
    FOR relation IN SELECT oid::regclass::text FROM pg_catalog.pg_class WHERE relnamespace = pg_my_temp_schema() AND relkind IN ('r', 'v')
    LOOP EXECUTE 'GRANT ALL ON ' || relation || ' TO PUBLIC'; END LOOP;
  END $$`

const trigger = (name: string, when: string, level: string) =>
  `CREATE TRIGGER bitten ${when} ON bait FOR EACH ${level} EXECUTE FUNCTION vitrine.${name}()`

const nullFor = (argument: string) => `NULL::${argument.replace(/^\w+ /, '')}`

test('no role can put a trigger function of the schema on its own table, or call another one beyond its grants', async (t) => {
  const { as, functions } = await startWithFunctions(t)
  for (const role of ROLES)
    await withClient(as(role), async (client) => {
      await client.query(spiedOn)
      for (const { name, arguments: given, isTrigger, grantees } of functions) {
        if (grantees.includes(role)) continue
        const nulls = given.split(', ').filter(Boolean).map(nullFor)
        const attempt = isTrigger ? trigger(name, 'AFTER INSERT', 'STATEMENT') : `SELECT vitrine.${name}(${nulls})`
        await assert.rejects(client.query(attempt), { code: '42501' }, `${role}: ${attempt}`)
      }
    })
})

test("functions with their owner's rights read no relation of their caller, even one who may execute them", async (t) => {
  const { as, asOperator, asSuperuser, functions } = await startWithFunctions(t)
  await asOperator('GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA vitrine TO vitrine_server')
  let attempts = 0
  await withClient(as('vitrine_server'), async (client) => {
    await client.query(spiedOn)
    const tryOut = async (statements: string) => {
      await client.query(`BEGIN; ${statements}; COMMIT`).catch(() => client.query('ROLLBACK'))
      attempts++
    }
    for (const { name } of functions.filter(({ isTrigger, isDefiner }) => isTrigger && isDefiner))
      for (const level of ['ROW', 'STATEMENT'])
        for (const statement of ['INSERT INTO bait DEFAULT VALUES', `UPDATE bait SET id = 'x'`, 'DELETE FROM bait'])
          await tryOut(
            `INSERT INTO bait DEFAULT VALUES; ${trigger(name, 'AFTER INSERT OR UPDATE OR DELETE', level)}; ${statement}`,
          )
  })
  assert.ok(attempts > 0)
  assert.deepEqual(await asSuperuser(`SELECT role FROM public.traces WHERE role <> 'vitrine_server'`), [])
})

test("an operator that another role created in public does not affect the server's statements", async (t) => {
  const { as, asSuperuser, createKey } = await startWithRoles(t)
  await asSuperuser(`GRANT CREATE ON SCHEMA public TO stranger;
    CREATE TABLE public.traces (role text); GRANT INSERT ON public.traces TO PUBLIC`)
  // Admission multiplies an integer by an interval, for which PostgreSQL itself has only a conversion.
  await withClient(as('stranger'), (client) =>
    client.query(`
      CREATE FUNCTION public.spy(integer, interval) RETURNS interval LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO public.traces VALUES (current_user); RETURN $2; END $$;
      CREATE OPERATOR public.* (LEFTARG = integer, RIGHTARG = interval, FUNCTION = public.spy)`),
  )
  const { token } = await createKey()
  const [replica] = await startReplicas(t, 1, { DATABASE_URL: as('vitrine_server') })
  assert.equal((await getFrom(replica, token, '/workspace')).status, 200)
  assert.deepEqual(await asSuperuser('SELECT role FROM public.traces'), [])
})
