import { existsSync, mkdtempDisposableSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { isGiven, readDatabaseSetting, readSetting, resourcesFolder } from '../config.ts'
import { NoDatabaseYet, StorageError } from '../database/errors.ts'
import { type Database, locationOf, openOperatorStore, openReadingStore } from '../database/open.ts'
import type { OperatorStore, ReadingStore, Transaction } from '../database/store.ts'
import type { Migration, MigrationOptions } from '../database/tables/declared-lists.ts'
import { UserError } from '../lib/user-error.ts'
import { checkResources } from '../resources/check.ts'
import type { Resource } from '../resources/define.ts'
import { ExitCode } from './errors.ts'
import { rowsInWords } from './rows-in-words.ts'
import { printError, printMessage } from './terminal/output.ts'

export type Context = Awaited<ReturnType<typeof createContext>>

export async function createContext(resourcesUrl: string) {
  let resources = await loadResources(resourcesUrl)
  checkResources(resources)
  let failure: Error | undefined
  try {
    resources = await loadResources(resourcesUrl, resourcesFolder(process.env))
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    failure = error
  }
  const requireResources = () => {
    if (failure !== undefined) throw failure
    return resources
  }
  /** For commands that only read: they do not wait for writers. */
  const withReadingStore = async <T>(work: (store: ReadingStore) => Promise<T>): Promise<T> => {
    requireResources()
    return use(await openReadingStore(givenDatabase(), resources).catch(namingDefault), work)
  }
  const withStore = async <T>(
    work: (store: OperatorStore) => Promise<T>,
    options: { create: boolean } & MigrationOptions = { create: false },
  ): Promise<T> => {
    requireResources()
    const database = givenDatabase()
    if (options.create) announceDefault(database)
    const opened = { onMigrated: reportUpgrade, ...options, onFailedAttempt: reportFailedAttempt }
    const store = await openOperatorStore(database, resources, opened).catch(namingDefault)
    return use(store, work)
  }
  /** For dry runs: neither migrates the database nor creates it. If there is none yet, a temporary one takes its place. */
  const withUnchangedStore = async <T>(work: (store: OperatorStore) => Promise<T>): Promise<T> => {
    const database = givenDatabase()
    if (!(await isMissing(database, requireResources()).catch(namingDefault))) return withStore(work)
    printMessage(`There is no database of Vitrine yet; it would be created: ${locationOf(database)}.`)
    using folder = mkdtempDisposableSync(join(tmpdir(), 'vitrine-'))
    const path = join(folder.path, 'vitrine.db')
    return await use(await openOperatorStore({ engine: 'sqlite', path }, resources, { create: true }), work)
  }
  return {
    /** Drafts included. Only those that are built in, if the others cannot be loaded. */
    resources,
    /** Why the resources in the folder RESOURCES cannot be loaded. */
    failure,
    /** For commands that need these resources too: throws `failure`. */
    requireResources,
    withStore,
    withUnchangedStore,
    withReadingStore,
    read: <T>(work: (tx: Transaction) => Promise<T>) => withReadingStore((store) => store.read(work)),
    write: <T>(work: (tx: Transaction) => Promise<T>, options?: { create: boolean }) =>
      withStore((store) => store.transaction(work), options),
  }
}

async function isMissing(database: Database, resources: readonly Resource[]): Promise<boolean> {
  try {
    await use(await openReadingStore(database, resources), async () => {})
    return false
  } catch (error) {
    if (error instanceof NoDatabaseYet) return true
    throw error
  }
}

const isDefault = () => !isGiven(process.env, 'DATABASE_URL')

/** The command continues, because the rest of it was done. */
function reportFailedAttempt(failure: StorageError): void {
  printError(failure.message, ExitCode.failure)
  process.exitCode = ExitCode.failure
}

/** Other commands than `migrate` report only what may take long. */
function reportUpgrade({ from, rows }: Migration): void {
  if (rows !== undefined) printMessage(`Upgraded the database from schema ${from}: ${rowsInWords(rows)}.`)
}

/** The default depends on the current folder, so messages show its absolute path. */
export function givenDatabase(): Database {
  const database = readSetting(process.env, 'DATABASE_URL')
  return isDefault() && database.engine === 'sqlite' ? { ...database, path: resolve(database.path) } : database
}

/** The next command may run in another folder, and would not find the database. */
function announceDefault(database: Database): void {
  if (isDefault() && database.engine === 'sqlite' && !existsSync(database.path))
    printMessage(`Creating the database ${database.path}, in the current folder, because DATABASE_URL is not set.`)
}

export function namingDefault(error: unknown): never {
  if (!(error instanceof StorageError) || !isDefault()) throw error
  const advice = 'set DATABASE_URL: without it, the database is expected in the current folder'
  throw new StorageError(error.message.replace('check DATABASE_URL', advice), { cause: error })
}

/** The built-in ones come first, then those that the operator declares in a folder. A later built-in one may give way to these. */
export async function loadResources(url: string, folder = ''): Promise<readonly Resource[]> {
  const { resources } = (await import(url)) as { resources: readonly Resource[] }
  if (folder === '') return resources
  const { withDeclared } = await import('../resources/declared/load.ts')
  return withDeclared(folder, resources, await tableOpener())
}

/** Opens the databases of applications, whose addresses are in settings. */
export async function tableOpener() {
  const { tableDatabases } = await import('../database/in-place/open.ts')
  return tableDatabases((setting) => readDatabaseSetting(process.env, setting))
}

export async function use<Store extends ReadingStore, T>(store: Store, work: (store: Store) => Promise<T>): Promise<T> {
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** The actor that the audit log shows for commands. */
export function actor(lookUp: () => { username: string } = userInfo): string {
  try {
    return `cli:${lookUp().username}`
  } catch {
    // In containers, the user id often has no name.
    return `cli:uid ${process.getuid?.() ?? 'unknown'}`
  }
}

export const isoNow = (): string => new Date().toISOString()
