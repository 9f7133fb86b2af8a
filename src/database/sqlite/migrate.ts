import type { DatabaseSync } from 'node:sqlite'
import { StorageError } from '../errors.ts'
import {
  checkKnown,
  checkMigrated,
  migrateLocked,
  type OpenDatabase,
  pendingMigration,
  refuseViews,
} from '../migrate.ts'
import type { HasList, MigrationOptions } from '../tables/declared-lists.ts'
import { SqliteTransaction } from './transaction.ts'
import { inTransaction } from './write-lock.ts'

/** Marks the file as Vitrine's: see schema.sql. */
const APPLICATION_ID = 0x5654524e

export interface SqliteMigrationOptions extends MigrationOptions {
  /** Called before the whole schema is created anew; may refuse that by throwing. */
  beforeUpgrade?: () => void
}

export const openDatabase = (db: DatabaseSync, path: string, beforeUpgrade = () => {}): OpenDatabase => ({
  engine: 'sqlite',
  name: `${path}:`,
  tx: new SqliteTransaction(db, Date.now()),
  version: async () => schemaVersionOf(db, path),
  schemaDifferences: async () => (await import('./schema.ts')).schemaDifferences(db),
  runFile: async (sql) => db.exec(sql),
  async upgrade(version, createSchema) {
    beforeUpgrade()
    const { upgradeSqlite } = await import('./upgrade.ts')
    return upgradeSqlite(db, version, createSchema)
  },
})

export async function migrate(
  db: DatabaseSync,
  path: string,
  resources: readonly HasList[],
  { beforeUpgrade, ...options }: SqliteMigrationOptions = {},
): Promise<void> {
  const database = openDatabase(db, path, beforeUpgrade)
  if ((await pendingMigration(database, resources, options)) === undefined) return
  const migration = await inTransaction(db, path, () => migrateLocked(database, resources, options))
  if (migration !== undefined) options.onMigrated?.(migration)
}

export const checkVersion = (db: DatabaseSync, path: string, resources: readonly HasList[]): Promise<void> =>
  checkMigrated(openDatabase(db, path), resources, {
    empty: "is empty; create a workspace with 'vitrine workspace create', or check DATABASE_URL",
    old: "run 'vitrine migrate' first",
  })

/** Rejects another program's database, and one that is too new or too old for this version. */
export function schemaVersionOf(db: DatabaseSync, path: string): number {
  const version = pragma(db, 'user_version')
  const isEmpty = version === 0 && db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
  if (!isOurs(db) && !isEmpty) throw new StorageError(`${path}: belongs to another program; check DATABASE_URL`)
  checkKnown(version, `${path}:`)
  const views = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'view'").all()
  refuseViews(views as { name: string }[], `${path}:`)
  return version
}

export const isOurs = (db: DatabaseSync): boolean => pragma(db, 'application_id') === APPLICATION_ID

const pragma = (db: DatabaseSync, name: 'user_version' | 'application_id') =>
  Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0])
