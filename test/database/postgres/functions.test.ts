/** Every function of the schema: who may execute it, and which names it can be made to read. */
import assert from 'node:assert/strict'
import { testWithPostgres as test } from '../../support/database.ts'
import { withClient } from '../../support/postgres-server.ts'
import { getFrom, startReplicas } from '../../support/replicas.ts'
import { documented, startWithRoles } from './documented-roles.ts'

/** Who may execute a function besides its owner: what docs/sql grants. */
const GRANTS: Record<string, string> = { day_in_zone: 'vitrine_server' }

const FUNCTIONS = `
  SELECT proname AS name, (SELECT substring(setting FROM 13) FROM unnest(proconfig) AS setting WHERE setting LIKE 'search_path=%') AS path,
         array_to_string(ARRAY(SELECT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END
               FROM aclexplode(coalesce(proacl, acldefault('f', proowner))) WHERE grantee <> proowner ORDER BY 1), ', ') AS grantees
  FROM pg_proc AS p WHERE pronamespace = 'vitrine'::regnamespace`

test('PUBLIC may execute no function of the schema, and none looks up names where its caller can create them', async (t) => {
  const { asOperator } = await startWithRoles(t)
  await asOperator(documented('settings-writes.sql'))
  const functions = await asOperator(FUNCTIONS)
  assert.ok(functions.length > 3)
  for (const { name = '', path = '', grantees } of functions) {
    assert.deepEqual(grantees, GRANTS[name] ?? '', `who may execute ${name}`)
    // Where pg_temp is not named, it comes first.
    assert.match(path, /^pg_catalog, (vitrine, )?pg_temp$/, name)
  }
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
