import { readdirSync, readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { StorageError } from '../store.ts'
import { lendAuditHash } from './audit-hash.ts'

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

function versionOf(db: DatabaseSync, path: string): number {
  const version = pragma(db, 'user_version')
  const isOurs = pragma(db, 'application_id') === APPLICATION_ID
  const isEmpty = version === 0 && db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
  if (!isOurs && !isEmpty) throw new StorageError(`${path}: is a database of another program; check DATABASE_URL`)
  if (version > files.length)
    throw new StorageError(
      `${path}: was written by a newer Vitrine (schema ${version}, this program knows ${files.length}); update the program`,
    )
  return version
}

const pragma = (db: DatabaseSync, name: 'user_version' | 'application_id') =>
  Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0])
