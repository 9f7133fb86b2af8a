import { resolve } from 'node:path'
import { StorageError } from './errors.ts'
import { type PostgresDatabase, parseAddress } from './postgres/hosts.ts'
import { withCheckedParameters } from './postgres/url-parameters.ts'
import type { Stored } from './queries.ts'
import type { HealthFinding, OperatorStore, PublicStore, PublicStoreOptions, ReadingStore, Restored } from './store.ts'
import { type HasTable, tablesOf } from './table.ts'

export type Database = { engine: 'sqlite'; path: string } | ({ engine: 'postgres' } & PostgresDatabase)

/** `file` is where the text was read, if it was in a file. */
export function parseDatabaseUrl(text: string, file?: string): Database {
  if (/^postgres(ql)?:\/\//.test(text)) {
    const url = withCheckedParameters(text)
    // It may name several hosts, which only PostgreSQL's clients accept as a URL.
    parseAddress(url)
    return { engine: 'postgres', url, ...(file !== undefined && { file }) }
  }
  const path = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(text)?.[1]
  if (path === undefined || path.includes(':memory:'))
    throw new StorageError('must be sqlite:<file>, such as sqlite:data/vitrine.db, or postgres://user@host/database')
  return { engine: 'sqlite', path }
}

/** For people, so without user and password. */
export function locationOf(database: Database): string {
  if (database.engine === 'sqlite') return resolve(database.path)
  const urls = parseAddress(database.url).urls.map((url) => new URL(url))
  const hosts = urls.map(({ hostname, port, searchParams }) => {
    // Like psql, the driver takes the missing parts of a URL from these variables.
    const host = searchParams.get('host') ?? (hostname || process.env.PGHOST || 'localhost')
    return `${decoded(host)}:${searchParams.get('port') ?? (port || process.env.PGPORT || '5432')}`
  })
  const name = decoded(urls[0]?.pathname.slice(1) || process.env.PGDATABASE || '')
  return `${name === '' ? "the user's database" : `the database ${name}`} of PostgreSQL at ${hosts.join(', ')}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Engines are imported on demand, so that a program on one does not pay for the other. */
export async function openPublicStore(
  database: Database,
  resources: readonly Stored[],
  options: PublicStoreOptions,
): Promise<PublicStore> {
  if (database.engine === 'postgres')
    return (await import('./postgres/open.ts')).openPublicStore(database, resources, options)
  const { SqlitePublicStore } = await import('./sqlite/public-store.ts')
  const store = new SqlitePublicStore(database.path, resources, options)
  const { onSchemaDifferences } = options
  if (onSchemaDifferences === undefined) return store
  try {
    const { readSchemaDifferences } = await import('./sqlite/schema.ts')
    const differences = readSchemaDifferences(database.path, tablesOf(resources))
    if (differences.length > 0) onSchemaDifferences(differences)
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

interface OperatorOptions {
  create: boolean
  /** Called on close if a SQLite database could not be left in one file, and no server will do that later. */
  onLeftInLog?: (message: string) => void
}

export async function openOperatorStore(
  database: Database,
  resources: readonly HasTable[],
  options: OperatorOptions,
): Promise<OperatorStore> {
  const tables = tablesOf(resources)
  if (database.engine === 'postgres') return (await import('./postgres/open.ts')).openOperatorStore(database, tables)
  const { SqliteOperatorStore } = await import('./sqlite/operator-store.ts')
  return new SqliteOperatorStore(database.path, tables, options)
}

/** Neither waits for writers nor migrates, and refuses a database of an older version. */
export async function openReadingStore(database: Database, resources: readonly HasTable[]): Promise<ReadingStore> {
  const tables = tablesOf(resources)
  if (database.engine === 'postgres') return (await import('./postgres/open.ts')).openReadingStore(database, tables)
  const { SqliteOperatorStore } = await import('./sqlite/operator-store.ts')
  return new SqliteOperatorStore(database.path, tables, { create: false, forReading: true })
}

/** A SQLite database has at most one server, because quotas are counted in its memory. */
export async function lockForServing(database: Database): Promise<{ release(): void }> {
  if (database.engine === 'postgres') return { release() {} }
  const { ensureFile } = await import('./sqlite/connect.ts')
  const { lockFile, realPath } = await import('./sqlite/file-lock.ts')
  ensureFile(database.path, { create: true })
  const lock = lockFile(database.path, 'server')
  const { clearHalfRestored } = await import('./sqlite/restore.ts')
  clearHalfRestored(realPath(database.path))
  return lock
}

export async function restoreDatabase(
  database: Database,
  resources: readonly HasTable[],
  backup: string,
  onPhase: (phase: string) => void,
): Promise<Restored> {
  if (database.engine === 'postgres')
    throw new StorageError('a PostgreSQL database is restored with its own tools: pg_restore')
  return (await import('./sqlite/restore.ts')).restore(database.path, tablesOf(resources), backup, new Date(), onPhase)
}

/** Its waits never delay public requests. Undefined if the role may not create keys, as recommended on PostgreSQL. */
export async function openSettingsStore(
  database: Database,
  resources: readonly HasTable[],
): Promise<OperatorStore | undefined> {
  const tables = tablesOf(resources)
  if (database.engine === 'postgres') return (await import('./postgres/open.ts')).openSettingsStore(database, tables)
  const { SqliteOperatorStore } = await import('./sqlite/operator-store.ts')
  return new SqliteOperatorStore(database.path, tables, { create: true, beside: true })
}

/** Checks what it can without opening the database. */
export async function examineFiles(database: Database): Promise<HealthFinding[]> {
  if (database.engine === 'postgres') return []
  return (await import('./sqlite/examine.ts')).examineFiles(database.path)
}
