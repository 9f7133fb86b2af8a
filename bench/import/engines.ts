import { copyFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { withClient } from '../../test/support/postgres-server.ts'
import type { BenchDatabase } from '../harness/postgres.ts'

/** Databases that imports write to. */
export interface Engine {
  name: string
  /** Creates a database, empty or like another that nobody uses, and returns its URL. */
  create(like?: string): Promise<string>
  drop(url: string): Promise<void>
  bytes(url: string): Promise<number>
  /** What a server has spent so far. */
  serverCpuSeconds(): number
}

export function onSqlite(folder: string): Engine {
  let databases = 0
  const pathOf = (url: string) => url.replace('sqlite:', '')
  return {
    name: 'SQLite',
    async create(like) {
      const path = join(folder, `${++databases}.db`)
      if (like !== undefined) copyFileSync(pathOf(like), path)
      return `sqlite:${path}`
    },
    drop: async (url) => rmSync(pathOf(url)),
    bytes: async (url) => statSync(pathOf(url)).size,
    serverCpuSeconds: () => 0,
  }
}

export function onPostgres({ url, cpuSeconds }: BenchDatabase): Engine {
  let databases = 0
  const nameOf = (database: string) => new URL(database).pathname.slice(1)
  const run = (sql: string) => withClient(url, (client) => client.query(sql))
  return {
    name: 'PostgreSQL',
    async create(like) {
      const database = new URL(url)
      database.pathname = `import_${++databases}`
      await run(`CREATE DATABASE ${nameOf(database.href)} ${like === undefined ? '' : `TEMPLATE ${nameOf(like)}`}`)
      return database.href
    },
    drop: async (database) => void (await run(`DROP DATABASE ${nameOf(database)}`)),
    bytes: async (database) =>
      Number((await run(`SELECT pg_database_size('${nameOf(database)}') AS bytes`)).rows[0].bytes),
    serverCpuSeconds: cpuSeconds,
  }
}
