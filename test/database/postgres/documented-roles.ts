import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, type TestContext } from 'node:test'
import { openOperatorStore, parseDatabaseUrl } from '../../../src/database/open.ts'
import { resources } from '../../../src/resources/index.ts'
import { startOperator } from '../../support/operator.ts'
import { MANY_DATABASES, type PostgresServer, startPostgres, withClient } from '../../support/postgres-server.ts'

export const documented = (file: string) => readFileSync(new URL(`../../../docs/sql/${file}`, import.meta.url), 'utf8')

let server: Promise<PostgresServer> | undefined
after(async () => (await server)?.remove())

const TEMPLATE = 'vitrine'

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
  await run(as('postgres'))(`${documented('roles.sql')}; CREATE ROLE stranger LOGIN`)
  await (await openOperatorStore(parseDatabaseUrl(as('vitrine_operator')), resources, { create: true })).close()
  await run(as('vitrine_operator'))(documented('server-writes.sql'))
  return started
}

/** The operator's workspace, acme, in a database with the documented roles; `stranger` is a role that may only connect. */
export async function startWithRoles(t: TestContext) {
  server ??= startServer()
  const { url } = await server
  const database = `vitrine_${randomBytes(6).toString('hex')}`
  await run(url)(`CREATE DATABASE ${database} TEMPLATE ${TEMPLATE} STRATEGY FILE_COPY`)
  const as = (role: string) => asRole(url, role, database)
  const operator = await startOperator(t, as('vitrine_operator'))
  return { ...operator, as, asSuperuser: run(as('postgres')), asOperator: run(as('vitrine_operator')) }
}
