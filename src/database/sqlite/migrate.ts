import type { DatabaseSync } from 'node:sqlite'
import { defined } from '../../lib/defined.ts'
import { NoDatabaseYet, StorageError } from '../errors.ts'
import { checkKnown, isNewest, needsUpgrade, schemaFilesAfter } from '../schema-files.ts'
import {
  bringListsUpToDate,
  definitionChanges,
  type HasList,
  listChanges,
  type Migration,
  type MigrationOptions,
  type Upgrade,
} from '../tables/declared-lists.ts'
import { SqliteTransaction } from './transaction.ts'
import { inTransaction } from './write-lock.ts'

const FOLDER = new URL('./', import.meta.url)

/** Marks the file as Vitrine's: see schema.sql. */
const APPLICATION_ID = 0x5654524e

export interface SqliteMigrationOptions extends MigrationOptions {
  /** Called before the whole schema is created anew; may refuse that by throwing. */
  beforeUpgrade?: () => void
}

/** Changes the schema, remembers the definitions of lists, and stores rows for them, in one transaction. */
export async function migrate(
  db: DatabaseSync,
  path: string,
  resources: readonly HasList[],
  { beforeUpgrade, ...options }: SqliteMigrationOptions = {},
): Promise<void> {
  if ((await pendingMigration(db, path, resources, options)) === undefined) return
  const migration = await inTransaction(db, path, async () => {
    // Another process may have migrated while this one waited for the lock.
    const pending = await pendingMigration(db, path, resources, options)
    if (pending === undefined) return undefined
    const { from } = pending
    if (from !== undefined && needsUpgrade(from)) beforeUpgrade?.()
    const upgrade = from === undefined ? undefined : await bringSchemaUpToDate(db, from)
    const changes = await bringListsUpToDate(new SqliteTransaction(db, Date.now()), resources, `${path}:`, options)
    return { ...defined({ from }), ...upgrade, ...changes }
  })
  if (migration !== undefined) options.onMigrated?.(migration)
}

async function bringSchemaUpToDate(db: DatabaseSync, version: number): Promise<Upgrade | undefined> {
  if (needsUpgrade(version)) {
    const { upgradeSqlite } = await import('./upgrade.ts')
    return upgradeSqlite(db, version, () => createSchema(db))
  }
  createSchema(db, version)
  return undefined
}

/** What a database of the given version lacks. */
export function createSchema(db: DatabaseSync, version = 0): void {
  for (const sql of schemaFilesAfter(version, FOLDER)) db.exec(sql)
}

/** Undefined if there is nothing to do. What an upgrade changes for lists is not known before. */
export async function pendingMigration(
  db: DatabaseSync,
  path: string,
  resources: readonly HasList[],
  options: MigrationOptions = {},
): Promise<Migration | undefined> {
  const from = schemaVersionOf(db, path)
  if (!isNewest(from)) return { from, definitions: from === 0 ? definitionChanges(resources) : [], reshaped: [] }
  return listChanges(new SqliteTransaction(db, Date.now()), resources, `${path}:`, options)
}

export async function checkVersion(db: DatabaseSync, path: string, resources: readonly HasList[]): Promise<void> {
  if ((await pendingMigration(db, path, resources)) === undefined) return
  const version = schemaVersionOf(db, path)
  if (version === 0)
    throw new NoDatabaseYet(
      `${path}: is empty; create a workspace with 'vitrine workspace create', or check DATABASE_URL`,
    )
  const lacks = isNewest(version) ? 'lacks the current definitions of lists' : 'is of an older version'
  throw new StorageError(`${path}: ${lacks}; run 'vitrine migrate' first`)
}

/** Rejects another program's database, and one that is too new or too old for this version. */
export function schemaVersionOf(db: DatabaseSync, path: string): number {
  const version = pragma(db, 'user_version')
  const isEmpty = version === 0 && db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
  if (!isOurs(db) && !isEmpty) throw new StorageError(`${path}: belongs to another program; check DATABASE_URL`)
  checkKnown(version, `${path}:`)
  return version
}

export const isOurs = (db: DatabaseSync): boolean => pragma(db, 'application_id') === APPLICATION_ID

const pragma = (db: DatabaseSync, name: 'user_version' | 'application_id') =>
  Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0])
