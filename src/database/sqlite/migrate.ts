import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { StorageError } from '../errors.ts'

const folder = new URL('./migrations/', import.meta.url)
const files = readdirSync(folder).sort()

/** Marks the file as Vitrine's ("VTRN"), so that no other program's database is ever migrated by mistake. */
const APPLICATION_ID = 0x5654524e

/** Brings the database up to date; each migration and its version number in one transaction. */
export function migrate(db: DatabaseSync, path: string): void {
  if (versionOf(db, path) === files.length) return
  lendAuditHash(db)
  db.exec('BEGIN IMMEDIATE')
  try {
    // Asked again under the lock: another process may have migrated while this one waited.
    for (const file of files.slice(versionOf(db, path))) db.exec(readFileSync(new URL(file, folder), 'utf8'))
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${files.length}; COMMIT`)
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
}

/** SQLite has no SHA-256 of its own, and a migration chains the entries of before. */
function lendAuditHash(db: DatabaseSync): void {
  db.function('audit_hash', (workspaceId, number, previousHash, at, actor, action, subject, detail) =>
    hash(
      'sha256',
      JSON.stringify(['vitrine-audit-1', workspaceId, number, previousHash, at, actor, action, subject, detail]),
      'hex',
    ),
  )
}

/** Refuses to read a database of another version than this program's. */
export function checkVersion(db: DatabaseSync, path: string): void {
  const version = versionOf(db, path)
  if (version === files.length) return
  throw new StorageError(
    version === 0
      ? `${path}: is empty; create a workspace with 'vitrine workspace create', or check DATABASE_URL`
      : `${path}: is of an older version; run 'vitrine migrate' first`,
  )
}

/** Refuses what is not a database of this program, or of a newer one. */
export function versionOf(db: DatabaseSync, path: string): number {
  const version = pragma(db, 'user_version')
  const isEmpty = version === 0 && db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
  if (!isOurs(db) && !isEmpty) throw new StorageError(`${path}: is a database of another program; check DATABASE_URL`)
  if (version > files.length)
    throw new StorageError(
      `${path}: was written by a newer Vitrine (schema ${version}, this program knows ${files.length}); update the program`,
    )
  return version
}

export const isOurs = (db: DatabaseSync): boolean => pragma(db, 'application_id') === APPLICATION_ID

const pragma = (db: DatabaseSync, name: 'user_version' | 'application_id') =>
  Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0])
