import { resolve } from 'node:path'
import { StorageError } from './errors.ts'
import { checkedUrl, type PostgresDatabase } from './postgres/pool/url.ts'
import type {
  KeptBackup,
  MigrationPlan,
  OnFailedAttempt,
  OperatorOptions,
  OperatorStore,
  PublicStore,
  PublicStoreOptions,
  ReadingStore,
  RestoreResult,
  StoredResource,
} from './store.ts'
import type { HasList } from './tables/declared-lists.ts'

export type Database = { engine: 'sqlite'; path: string } | ({ engine: 'postgres' } & PostgresDatabase)

/** `file` is the file that the text was read from, if any. */
export function parseDatabaseUrl(text: string, file?: string): Database {
  if (/^postgres(ql)?:\/\//.test(text)) {
    // Reports a fault at once; each pool parses the URL again.
    checkedUrl(text)
    return { engine: 'postgres', url: text, ...(file !== undefined && { file }) }
  }
  const path = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(text)?.[1]
  if (path === undefined || path.includes(':memory:'))
    throw new StorageError('must be sqlite:<file>, such as sqlite:data/vitrine.db, or postgres://user@host/database')
  return { engine: 'sqlite', path }
}

/** For display, so without user and password. */
export function locationOf(database: Database): string {
  if (database.engine === 'sqlite') return resolve(database.path)
  const { hostname, port, pathname, searchParams } = checkedUrl(database.url)
  // Like psql, the driver takes missing parts of the URL from these variables.
  const host = searchParams.get('host') ?? (hostname || process.env.PGHOST || 'localhost')
  const at = `${decoded(host)}:${searchParams.get('port') ?? (port || process.env.PGPORT || '5432')}`
  const name = decoded(pathname.slice(1) || process.env.PGDATABASE || '')
  return `${name === '' ? "the user's database" : `the database ${name}`} of PostgreSQL at ${at}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Engines are imported on demand, so that using one does not load the other. */
const engineOf = async (database: Database) =>
  database.engine === 'sqlite'
    ? (await import('./sqlite/open.ts')).sqliteEngine(database.path)
    : (await import('./postgres/open.ts')).postgresEngine(database)

export const openPublicStore = async (
  database: Database,
  resources: readonly StoredResource[],
  options: PublicStoreOptions,
): Promise<PublicStore> => (await engineOf(database)).openPublicStore(resources, options)

export const openOperatorStore = async (
  database: Database,
  resources: readonly HasList[],
  options: OperatorOptions,
): Promise<OperatorStore> => (await engineOf(database)).openOperatorStore(resources, options)

/** Neither waits for writers nor migrates, and rejects a database with an older schema. */
export const openReadingStore = async (database: Database, resources: readonly HasList[]): Promise<ReadingStore> =>
  (await engineOf(database)).openReadingStore(resources)

/** Waiting in it never delays public requests. Undefined if the role may not create keys, as recommended on PostgreSQL. */
export const openSettingsStore = async (
  database: Database,
  resources: readonly HasList[],
  onFailedAttempt?: OnFailedAttempt,
): Promise<OperatorStore | undefined> => (await engineOf(database)).openSettingsStore(resources, onFailedAttempt)

/** A SQLite database can have only one server, because quotas are counted in the server's memory. */
export const lockForServing = async (database: Database): Promise<Disposable> =>
  database.engine === 'sqlite'
    ? (await import('./sqlite/files/restore.ts')).lockForServing(database.path)
    : { [Symbol.dispose]() {} }

/** The database may have any version that can be upgraded. */
export const backupDatabase = async (database: Database, file: string): Promise<void> =>
  (await engineOf(database)).backup(file)

/** Adds a verified backup to a folder, and removes all but the newest ones. */
export const addBackup = async (
  database: Database,
  folder: string,
  kept: { keep: number; resources: readonly HasList[] },
): Promise<KeptBackup> => (await engineOf(database)).addBackup(folder, kept)

export const restoreDatabase = async (
  database: Database,
  resources: readonly HasList[],
  backup: string,
): Promise<RestoreResult> => (await engineOf(database)).restore(resources, backup)

/** Changes nothing. Refuses what migrating would refuse. */
export const planMigration = async (database: Database, resources: readonly HasList[]): Promise<MigrationPlan> =>
  (await engineOf(database)).planMigration(resources)
