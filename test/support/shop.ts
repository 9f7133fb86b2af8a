import { readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { openOperatorStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { permissionsOf } from '../../src/resources/define.ts'
import { resources } from '../../src/resources/index.ts'
import { ListedKeys } from './listed-keys.ts'
import { startPostgres, withClient } from './postgres-server.ts'
import { getFrom, startReplicas } from './replicas.ts'

export const documented = (file: string) => readFileSync(new URL(`../../docs/sql/${file}`, import.meta.url), 'utf8')

/** The application's tables and roles, without a word of Vitrine. */
export const shopTables = readFileSync(new URL('./shop.sql', import.meta.url), 'utf8')

/** A server with the documented roles, Vitrine's schema and an application's tables, owned by a role of their own. */
export async function startShop(t: TestContext, settings: Record<string, string> = {}) {
  const server = await startPostgres(settings)
  t.after(() => server.remove())
  const as = (role: string) => server.url.replace('postgres@', `${role}@`)
  const run = (role: string) => (sql: string) =>
    withClient(as(role), async (client) => {
      const results = await client.query(sql)
      return (Array.isArray(results) ? [] : results.rows) as Record<string, string>[]
    })
  const [asSuperuser, asOperator, asOwner, asApp] = ['postgres', 'vitrine_operator', 'shop_owner', 'shop_app'].map(run)
  if (!asSuperuser || !asOperator || !asOwner || !asApp) throw new Error()
  await asSuperuser(`${documented('roles.sql')}; ${shopTables}`)
  const store = await openOperatorStore(parseDatabaseUrl(as('vitrine_operator')), resources, { create: true })
  t.after(() => store.close())
  await asOperator(documented('server-writes.sql'))
  await asOwner(documented('own-tables-grants.sql'))
  const keys = new ListedKeys(store, 'test')
  return {
    ...{ server, as, asSuperuser, asOperator, asOwner, asApp, store, keys },
    install: () => asOperator(documented('own-tables.sql')),
    async createKey(slug: string) {
      const wanted = { label: 'x', permissions: permissionsOf(resources), quota: null, expiresAt: null }
      return (await keys.create(slug, wanted)).token
    },
  }
}

/** A server of Vitrine with its documented role, and what it answers. */
export async function serveShop(t: TestContext, { as }: Pick<Awaited<ReturnType<typeof startShop>>, 'as'>) {
  const [replica] = await startReplicas(t, 1, { DATABASE_URL: as('vitrine_server') })
  const get = async (key: string, path: string) => {
    const response = await getFrom(replica, key, path)
    return { status: response.status, body: await response.json() }
  }
  return {
    get,
    async titles(key: string): Promise<string[]> {
      const { body } = (await get(key, '/tasks')) as { body: { tasks: { title: string }[] } }
      return body.tasks.map(({ title }) => title)
    },
  }
}
