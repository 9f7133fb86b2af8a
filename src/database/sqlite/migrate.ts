import type { DatabaseSync } from 'node:sqlite'
import { StorageError } from '../errors.ts'
import type { Table } from '../table.ts'
import {
  areCurrent,
  changesTo,
  migrationsIn,
  type RecordedTable,
  recordOf,
  type TableSchema,
} from '../table-changes.ts'
import { tableSchema } from './table-schema.ts'

const migrations = migrationsIn(new URL('./migrations/', import.meta.url))

/** Marks the file as Vitrine's ("VTRN"), so that no other program's database is ever migrated by mistake. */
const APPLICATION_ID = 0x5654524e

/** Changes the schema, its version number and the resources' tables in one transaction. */
export function migrate(db: DatabaseSync, path: string, tables: readonly Table[]): void {
  const schemas = tables.map(tableSchema)
  if (isCurrent(db, path, schemas)) return
  db.exec('BEGIN IMMEDIATE')
  try {
    // Another process may have migrated while this one waited for the lock.
    if (!isCurrent(db, path, schemas)) bringUpToDate(db, path, schemas)
    db.exec('COMMIT')
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
}

function bringUpToDate(db: DatabaseSync, path: string, schemas: TableSchema[]): void {
  for (const { sql } of migrations.after(versionOf(db, path))) db.exec(sql())
  const recorded = recordedTables(db)
  for (const schema of schemas) {
    const found = recorded.find(({ name }) => name === schema.name)
    for (const statement of changesTo(schema, found, `${path}:`)) db.exec(statement)
    record(db, recordOf(schema))
  }
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${migrations.newest}`)
}

const record = (db: DatabaseSync, { name, version, columns, objects }: RecordedTable) =>
  db.prepare('INSERT OR REPLACE INTO resource_tables VALUES (?, ?, ?, ?)').run(name, version, columns, objects)

const recordedTables = (db: DatabaseSync) =>
  db.prepare('SELECT name, version, columns, objects FROM resource_tables').all() as unknown as RecordedTable[]

const isCurrent = (db: DatabaseSync, path: string, schemas: TableSchema[]): boolean =>
  versionOf(db, path) === migrations.newest && areCurrent(schemas, recordedTables(db), `${path}:`)

export function checkVersion(db: DatabaseSync, path: string, tables: readonly Table[]): void {
  if (isCurrent(db, path, tables.map(tableSchema))) return
  throw new StorageError(
    versionOf(db, path) === 0
      ? `${path}: is empty; create a workspace with 'vitrine workspace create', or check DATABASE_URL`
      : `${path}: is of an older version; run 'vitrine migrate' first`,
  )
}

/** Rejects another program's database, and one that is too new or too old for this version. */
export function versionOf(db: DatabaseSync, path: string): number {
  const version = pragma(db, 'user_version')
  const isEmpty = version === 0 && db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
  if (!isOurs(db) && !isEmpty) throw new StorageError(`${path}: belongs to another program; check DATABASE_URL`)
  migrations.check(version, `${path}:`)
  return version
}

export const isOurs = (db: DatabaseSync): boolean => pragma(db, 'application_id') === APPLICATION_ID

const pragma = (db: DatabaseSync, name: 'user_version' | 'application_id') =>
  Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0])
