import { resolve } from 'node:path'
import type { MigrationOptions } from './declared-tables.ts'
import { StorageError } from './errors.ts'
import type { StoredResource } from './list-reader.ts'
import { type PostgresDatabase, parseAddress } from './postgres/hosts.ts'
import { withCheckedParameters } from './postgres/url-parameters.ts'
import type { HealthFinding, OperatorStore, PublicStore, PublicStoreOptions, ReadingStore, Restored } from './store.ts'
import { type HasTable, tablesOf } from './table.ts'

export type Database = { engine: 'sqlite'; path: string } | ({ engine: 'postgres' } & PostgresDatabase)

/** `file` is the file that the text was read from, if any. */
export function parseDatabaseUrl(text: string, file?: string): Database {
  if (/^postgres(ql)?:\/\//.test(text)) {
    const url = withCheckedParameters(text)
    // Checks the URL here because it may name several hosts, which `URL` does not accept.
    parseAddress(url)
    return { engine: 'postgres', url, ...(file !== undefined && { file }) }
  }
  const path = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(text)?.[1]
  if (path === undefined || path.includes(':memory:'))
    throw new StorageError('must be sqlite:<file>, such as sqlite:data/vitrine.db, or postgres://user@host/database')
  return { engine: 'sqlite', path }
}

/** For display, so without user and password. */
export function locationOf(database: Database): string {
  if (database.engine === 'sqlite') return resolve(database.path)
  const urls = parseAddress(database.url).urls.map((url) => new URL(url))
  const hosts = urls.map(({ hostname, port, searchParams }) => {
    // Like psql, the driver takes missing parts of the URL from these variables.
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

/** Engines are imported on demand, so that using one does not load the other. */
export async function openPublicStore(
  database: Database,
  resources: readonly StoredResource[],
  options: PublicStoreOptions,
): Promise<PublicStore> {
  if (database.engine === 'postgres')
    return (await import('./postgres/open.ts')).openPublicStore(database, resources, options)
  const { SqlitePublicStore } = await import('./sqlite/public-store.ts')
  return new SqlitePublicStore(database.path, resources, options)
}

interface OperatorOptions extends MigrationOptions {
  create: boolean
  /** Called on close if a SQLite database's write-ahead log could not be merged, and no server will merge it later. */
  onLeftInLog?: (message: string) => void
}

export async function openOperatorStore(
  database: Database,
  resources: readonly HasTable[],
  options: OperatorOptions,
): Promise<OperatorStore> {
  const tables = tablesOf(resources)
  if (database.engine === 'postgres')
    return (await import('./postgres/open.ts')).openOperatorStore(database, tables, options)
  const { SqliteOperatorStore } = await import('./sqlite/operator-store.ts')
  return new SqliteOperatorStore(database.path, tables, options)
}

/** Neither waits for writers nor migrates, and rejects a database with an older schema. */
export async function openReadingStore(database: Database, resources: readonly HasTable[]): Promise<ReadingStore> {
  const tables = tablesOf(resources)
  if (database.engine === 'postgres') return (await import('./postgres/open.ts')).openReadingStore(database, tables)
  const { SqliteOperatorStore } = await import('./sqlite/operator-store.ts')
  return new SqliteOperatorStore(database.path, tables, { create: false, forReading: true })
}

/** A SQLite database can have only one server, because quotas are counted in the server's memory. */
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

/** Waiting in it never delays public requests. Undefined if the role may not create keys, as recommended on PostgreSQL. */
export async function openSettingsStore(
  database: Database,
  resources: readonly HasTable[],
): Promise<OperatorStore | undefined> {
  const tables = tablesOf(resources)
  if (database.engine === 'postgres') return (await import('./postgres/open.ts')).openSettingsStore(database, tables)
  const { SqliteOperatorStore } = await import('./sqlite/operator-store.ts')
  return new SqliteOperatorStore(database.path, tables, { create: true, forSettings: true })
}

/** Runs the checks that do not need to open the database. */
export async function examineFiles(database: Database): Promise<HealthFinding[]> {
  if (database.engine === 'postgres') return []
  return (await import('./sqlite/examine.ts')).examineFiles(database.path)
}
