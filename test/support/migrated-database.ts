import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { openOperatorStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { resources } from '../../src/resources/index.ts'
import { createDatabase, type Engine, engineUnderTest, freshDatabaseUrl, postgresUrl } from './database.ts'
import { withClient } from './postgres-server.ts'

/** A database as the program leaves a new one: a copy, because the migrations take longer than most tests. */
export async function migratedDatabaseUrl(t: TestContext, engine: Engine = engineUnderTest()): Promise<string> {
  if (engine === 'postgres') {
    template ??= createTemplate()
    return createDatabase(t, await template)
  }
  file ??= createFile()
  const url = await freshDatabaseUrl(t, engine)
  writeFileSync(url.replace('sqlite:', ''), await file, { mode: 0o600 })
  return url
}

let file: Promise<Buffer> | undefined
let template: Promise<string> | undefined

async function createFile(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-template-'))
  const path = join(folder, 'vitrine.db')
  await (await openOperatorStore(parseDatabaseUrl(`sqlite:${path}`), resources, { create: true })).close()
  const bytes = readFileSync(path)
  rmSync(folder, { recursive: true })
  return bytes
}

/** One for the whole run: if several processes need it at once, one creates it and the others wait. */
async function createTemplate(): Promise<string> {
  const name = `vitrine_test_${process.env.TEST_RUN ?? `lone${process.pid}`}_template`
  const server = postgresUrl() ?? ''
  await withClient(server, async (client) => {
    await client.query(`SELECT pg_advisory_lock(hashtext('${name}'))`)
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name])
    if (rowCount !== 0) return
    await client.query(`DROP DATABASE IF EXISTS ${name}_unfinished WITH (FORCE)`)
    await client.query(`CREATE DATABASE ${name}_unfinished`)
    const unfinished = new URL(server)
    unfinished.pathname = `${name}_unfinished`
    await (await openOperatorStore(parseDatabaseUrl(unfinished.href), resources, { create: true })).close()
    // It leaves a cache file of the catalogs, so that connections to the copies start with one.
    await withClient(unfinished.href, (last) => last.query('SELECT 1'))
    await client.query(`ALTER DATABASE ${name}_unfinished RENAME TO ${name}`)
  })
  return name
}
