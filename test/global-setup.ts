import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dropTestDatabases } from './support/database.ts'
import { createInstallation } from './support/postgres-installation.ts'
import { MANY_DATABASES, type PostgresServer, startPostgres } from './support/postgres-server.ts'

let server: PostgresServer | undefined
let installation: string | undefined

/** One PostgreSQL for the whole run; the test processes find it under TEST_DATABASE_URL. */
export async function globalSetup(): Promise<void> {
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/vitrine')
  process.env.TEST_RUN = randomBytes(4).toString('hex')
  if (process.env.TEST_DATABASE_URL !== undefined) return
  try {
    installation = mkdtempSync(join(tmpdir(), 'vitrine-installation-'))
    chmodSync(installation, 0o755)
    process.env.TEST_POSTGRES = JSON.stringify(await createInstallation(installation))
    server = await startPostgres(MANY_DATABASES)
    process.env.TEST_DATABASE_URL = server.url
  } catch (error) {
    if (process.env.CI !== undefined) throw error
    process.stderr.write(
      `The PostgreSQL tests are skipped: no server could be started (${(error as Error).message}). ` +
        'Set TEST_DATABASE_URL to the URL of a superuser of one to run them.\n',
    )
  }
}

export async function globalTeardown(): Promise<void> {
  const crash = server?.crashLog()
  if (crash !== undefined) process.stderr.write(`PostgreSQL crashed during the tests:\n${crash}\n`)
  if (server !== undefined) await server.remove()
  else if (process.env.TEST_DATABASE_URL !== undefined) await dropTestDatabases(process.env.TEST_DATABASE_URL)
  if (installation !== undefined) rmSync(installation, { recursive: true, force: true })
}
