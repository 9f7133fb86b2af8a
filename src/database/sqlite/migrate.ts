import type { DatabaseSync } from 'node:sqlite'
import { StorageError } from '../errors.ts'
import { migrationsIn } from '../migrations.ts'
import { moveStatements, type OldList, ONE_TABLE_OF_ROWS } from '../old-lists.ts'
import { areListsCurrent, bringListsUpToDate, type HasList, type MigrationOptions } from '../tables/declared-lists.ts'
import { SqliteTransaction } from './transaction.ts'
import { inTransaction } from './write-lock.ts'

const migrations = migrationsIn(new URL('./migrations/', import.meta.url))

/** Marks the file as Vitrine's ("VTRN"), so that no other program's database is ever migrated by mistake. */
const APPLICATION_ID = 0x5654524e

/** Changes the schema and its version, remembers the definitions of lists, and stores rows for them, in one transaction. */
export async function migrate(
  db: DatabaseSync,
  path: string,
  resources: readonly HasList[],
  options: MigrationOptions = {},
): Promise<void> {
  if (await isCurrent(db, path, resources, options)) return
  await inTransaction(db, path, async () => {
    // Another process may have migrated while this one waited for the lock.
    if (await isCurrent(db, path, resources, options)) return
    for (const { version, sql } of migrations.after(schemaVersionOf(db, path))) {
      if (version === ONE_TABLE_OF_ROWS) moveOldLists(db)
      db.exec(sql())
    }
    await bringListsUpToDate(new SqliteTransaction(db, Date.now()), resources, `${path}:`, options)
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${migrations.newest}`)
  })
}

function moveOldLists(db: DatabaseSync): void {
  const lists = db.prepare('SELECT name, columns, objects FROM resource_tables').all() as unknown as OldList[]
  for (const list of lists) for (const statement of moveStatements('sqlite', list)) db.exec(statement)
}

async function isCurrent(
  db: DatabaseSync,
  path: string,
  resources: readonly HasList[],
  options: MigrationOptions = {},
): Promise<boolean> {
  if (schemaVersionOf(db, path) !== migrations.newest) return false
  return areListsCurrent(new SqliteTransaction(db, Date.now()), resources, `${path}:`, options)
}

export async function checkVersion(db: DatabaseSync, path: string, resources: readonly HasList[]): Promise<void> {
  if (await isCurrent(db, path, resources)) return
  const version = schemaVersionOf(db, path)
  if (version === 0)
    throw new StorageError(
      `${path}: is empty; create a workspace with 'vitrine workspace create', or check DATABASE_URL`,
    )
  const lacks = version === migrations.newest ? 'lacks the current definitions of lists' : 'is of an older version'
  throw new StorageError(`${path}: ${lacks}; run 'vitrine migrate' first`)
}

/** Rejects another program's database, and one that is too new or too old for this version. */
export function schemaVersionOf(db: DatabaseSync, path: string): number {
  const version = pragma(db, 'user_version')
  const isEmpty = version === 0 && db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
  if (!isOurs(db) && !isEmpty) throw new StorageError(`${path}: belongs to another program; check DATABASE_URL`)
  migrations.check(version, `${path}:`)
  return version
}

export const isOurs = (db: DatabaseSync): boolean => pragma(db, 'application_id') === APPLICATION_ID

const pragma = (db: DatabaseSync, name: 'user_version' | 'application_id') =>
  Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0])
