import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, type TestContext } from 'node:test'
import { openOperatorStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { permissionsOf } from '../../src/resources/define.ts'
import { resources } from '../../src/resources/index.ts'
import { keysIn } from './listed-keys.ts'
import { MANY_DATABASES, type PostgresServer, startPostgres, withClient } from './postgres-server.ts'
import { getFrom, startReplicas } from './replicas.ts'
import { openStore } from './stores.ts'

export const documented = (file: string) => readFileSync(new URL(`../../docs/sql/${file}`, import.meta.url), 'utf8')

/** The application's tables and roles, without anything of Vitrine. */
export const shopTables = readFileSync(new URL('./shop.sql', import.meta.url), 'utf8')

let server: Promise<PostgresServer> | undefined
after(async () => (await server)?.remove())

const TEMPLATE = 'shop'

const asRole = (url: string, role: string, database: string) =>
  url.replace('postgres@', `${role}@`).replace(/[^/]*$/, database)

const run = (url: string) => (sql: string) =>
  withClient(url, async (client) => {
    const results = await client.query(sql)
    return (Array.isArray(results) ? [] : results.rows) as Record<string, string>[]
  })

/** A server for all tests of a file, since roles belong to a whole server; and a database for each to start from. */
async function startServer(): Promise<PostgresServer> {
  const started = await startPostgres(MANY_DATABASES)
  const as = (role: string) => asRole(started.url, role, TEMPLATE)
  await run(started.url)(`CREATE DATABASE ${TEMPLATE}`)
  await run(as('postgres'))(`${documented('roles.sql')}; ${shopTables}`)
  await (await openOperatorStore(parseDatabaseUrl(as('vitrine_operator')), resources, { create: true })).close()
  await run(as('vitrine_operator'))(documented('server-writes.sql'))
  await run(as('shop_owner'))(documented('own-tables-grants.sql'))
  return started
}

/** A database with the documented roles, Vitrine's schema and an application's tables, owned by a role of their own. */
export async function startShop(t: TestContext) {
  server ??= startServer()
  const { url } = await server
  const database = `shop_${randomBytes(6).toString('hex')}`
  await run(url)(`CREATE DATABASE ${database} TEMPLATE ${TEMPLATE} STRATEGY FILE_COPY`)
  const as = (role: string) => asRole(url, role, database)
  const asSuperuser = run(as('postgres'))
  const asOperator = run(as('vitrine_operator'))
  const asOwner = run(as('shop_owner'))
  const asApp = run(as('shop_app'))
  const store = await openStore(t, as('vitrine_operator'))
  const keys = keysIn(store)
  return {
    ...{ as, asSuperuser, asOperator, asOwner, asApp, store, keys },
    install: () => asOperator(documented('own-tables.sql')),
    async createKey(slug: string) {
      const newKey = { label: 'x', permissions: permissionsOf(resources), quota: null, expiresAt: null }
      return (await keys.create(slug, newKey)).token
    },
  }
}

/** A Vitrine server with its documented role, and its responses. */
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
