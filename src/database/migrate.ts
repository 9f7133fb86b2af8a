import { readFileSync } from 'node:fs'
import { defined } from '../lib/defined.ts'
import { NoDatabaseYet, StorageError } from './errors.ts'
import type { Transaction } from './store.ts'
import { isStoredTable } from './tables/copied-tables.ts'
import {
  bringListsUpToDate,
  type HasList,
  listChanges,
  type Migration,
  type MigrationOptions,
  newDefinitions,
  type Upgrade,
} from './tables/declared-lists.ts'
import { refuseForeign, type SchemaDifference } from './tables/schema-difference.ts'

/**
 * A new database gets all of these files, of its engine's folder. Each creates a version of the schema and records its number. Later ones
 * only add, so that servers of two releases can share a database.
 */
const FILES = ['schema.sql']

/** The version of the first file. */
const FIRST = 100
const NEWEST = FIRST + FILES.length - 1
/** The version of release 0.2.0. Versions from it to the first are too old for further files: see upgrade.ts. */
const OLDEST = 13

/** A schema to which later files only add. */
export const isCurrent = (version: number): boolean => version >= FIRST

type Engine = 'sqlite' | 'postgres'

/** What a database of the given version lacks. */
export const schemaFilesAfter = (version: number, engine: Engine): string[] =>
  FILES.slice(Math.max(version - FIRST + 1, 0)).map((file) =>
    readFileSync(new URL(`${engine}/${file}`, import.meta.url), 'utf8'),
  )

/** An open database, whose schema may be of another version. */
export interface OpenDatabase {
  engine: Engine
  /** Begins messages. */
  name: string
  tx: Transaction
  /** 0 for an empty one. Rejects those that this program cannot use. */
  version(): Promise<number>
  schemaDifferences(): Promise<SchemaDifference[]>
  runFile(sql: string): Promise<unknown>
  upgrade(version: number, createSchema: () => Promise<void>): Promise<Upgrade>
}

export function checkKnown(version: number, database: string): void {
  if (version > NEWEST)
    throw new StorageError(
      `${database} was written by a newer Vitrine (schema ${version}, this program knows ${NEWEST}); update the program`,
    )
  if (version > 0 && version < OLDEST)
    throw new StorageError(
      `${database} has schema ${version}, which this program cannot upgrade; run 'vitrine migrate' of release 0.2.0 first`,
    )
}

/** Reading a view would run what it consists of: it may never end. */
export function refuseViews(views: readonly { name: string }[], database: string): void {
  const [found] = views.filter(({ name }) => isStoredTable(name))
  if (found !== undefined)
    throw new StorageError(
      `${database} has something else in place of the table ${found.name}; restore a backup from before someone replaced it`,
    )
}

/** Undefined if there is nothing to do. What an upgrade changes for lists is not known before. */
export async function pendingMigration(
  { name, tx, version }: OpenDatabase,
  resources: readonly HasList[],
  options: MigrationOptions = {},
): Promise<Migration | undefined> {
  const from = await version()
  if (from !== NEWEST) return { from, definitions: from === 0 ? newDefinitions(resources) : [], reshaped: [] }
  return listChanges(tx, resources, name, options)
}

/**
 * Changes the schema, remembers the definitions of lists, and stores rows for them. Runs in a transaction that locks the database: another
 * program may have migrated while this one waited for the lock.
 */
export async function migrateLocked(
  database: OpenDatabase,
  resources: readonly HasList[],
  options: MigrationOptions,
): Promise<Migration | undefined> {
  const pending = await pendingMigration(database, resources, options)
  if (pending === undefined) return undefined
  const { from } = pending
  // An older schema is created anew, without what does not belong to it.
  if (from === undefined || isCurrent(from))
    refuseForeign(await database.schemaDifferences(), `${database.name} cannot be migrated:`)
  const upgrade = from === undefined ? undefined : await bringSchemaUpToDate(database, from)
  const changes = await bringListsUpToDate(database.tx, resources, database.name, options)
  return { ...defined({ from }), ...upgrade, ...changes }
}

async function bringSchemaUpToDate(database: OpenDatabase, from: number): Promise<Upgrade | undefined> {
  const create = async (version: number) => {
    for (const sql of schemaFilesAfter(version, database.engine)) await database.runFile(sql)
  }
  if (from > 0 && !isCurrent(from)) return database.upgrade(from, () => create(0))
  await create(from)
  return undefined
}

/** For programs that do not migrate. The fixes are for an empty database, and for any other. */
export async function checkMigrated(
  database: OpenDatabase,
  resources: readonly HasList[],
  fix: { empty: string; old: string },
): Promise<void> {
  const pending = await pendingMigration(database, resources)
  if (pending === undefined) return
  if (pending.from === 0) throw new NoDatabaseYet(`${database.name} ${fix.empty}`)
  const lacks = pending.from === undefined ? 'lacks the current definitions of lists' : 'is of an older version'
  throw new StorageError(`${database.name} ${lacks}; ${fix.old}`)
}
