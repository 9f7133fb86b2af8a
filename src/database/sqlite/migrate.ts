import type { DatabaseSync } from 'node:sqlite'
import { StorageError } from '../errors.ts'
import { quoted, type Table } from '../table.ts'
import { draftHasRowsError, type MigrationOptions } from '../tables/declared-tables.ts'
import {
  isUpToDate,
  migrationsIn,
  RECORDED_COLUMNS,
  type RecordedTable,
  tableMigrations,
} from '../tables/table-changes.ts'
import { tableSchema } from './table-schema.ts'
import { finish } from './write-lock.ts'

const migrations = migrationsIn(new URL('./migrations/', import.meta.url))

/** Marks the file as Vitrine's ("VTRN"), so that no other program's database is ever migrated by mistake. */
const APPLICATION_ID = 0x5654524e

/** Changes the schema, its version number and the resources' tables in one transaction. */
export function migrate(db: DatabaseSync, path: string, tables: readonly Table[], options: MigrationOptions = {}) {
  if (isCurrent(db, path, tables, options)) return
  db.exec('BEGIN IMMEDIATE')
  finish(db, () => {
    // Another process may have migrated while this one waited for the lock.
    if (!isCurrent(db, path, tables, options)) bringUpToDate(db, path, tables, options)
  })
}

function bringUpToDate(db: DatabaseSync, path: string, tables: readonly Table[], options: MigrationOptions): void {
  for (const { sql } of migrations.after(schemaVersionOf(db, path))) db.exec(sql())
  const migration = { tables, recorded: recordedTables(db), database: `${path}:`, options, tableSchema }
  for (const { table, replaced, statements, records } of tableMigrations(migration)) {
    const hasRows = () => db.prepare(`SELECT 1 FROM ${quoted(table.name)}`).get() !== undefined
    if (replaced !== undefined && hasRows()) throw draftHasRowsError(table, replaced)
    for (const statement of statements) db.exec(statement)
    for (const [sql, ...values] of records) db.prepare(sql).run(...values)
  }
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${migrations.newest}`)
}

export const recordedTables = (db: DatabaseSync) =>
  db
    .prepare(`SELECT ${RECORDED_COLUMNS} FROM resource_tables LEFT JOIN declared_resources USING (name)`)
    .all() as unknown as RecordedTable[]

function isCurrent(db: DatabaseSync, path: string, tables: readonly Table[], options: MigrationOptions = {}): boolean {
  if (schemaVersionOf(db, path) !== migrations.newest) return false
  return isUpToDate({ tables, recorded: recordedTables(db), database: `${path}:`, options, tableSchema })
}

export function checkVersion(db: DatabaseSync, path: string, tables: readonly Table[]): void {
  if (isCurrent(db, path, tables)) return
  const version = schemaVersionOf(db, path)
  if (version === 0)
    throw new StorageError(
      `${path}: is empty; create a workspace with 'vitrine workspace create', or check DATABASE_URL`,
    )
  const lacks = version === migrations.newest ? 'lacks tables or columns of the resources' : 'is of an older version'
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
