import { accessSync, constants, existsSync, lstatSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { HOUR_MS } from '../../lib/duration.ts'
import { counted } from '../../lib/format-count.ts'
import { finding, type HealthFinding, warning } from '../finding.ts'
import { schemaFinding } from '../tables/schema-difference.ts'
import { isServed, realPath } from './files/file-lock.ts'
import { type SqliteSpace, spaceOf } from './files/space.ts'
import { schemaDifferences } from './schema.ts'

const MEBIBYTE = 1024 * 1024
const WAL_LARGE = 256 * MEBIBYTE

export async function examine(db: DatabaseSync, path: string): Promise<HealthFinding[]> {
  const space = await spaceOf(path)
  return [
    integrity(db),
    schemaFinding(schemaDifferences(db)),
    finding('database size', true, mebibytes(space.sizeBytes)),
    freeDisk(space),
    writeAheadLog(path, space.walBytes),
    lastBackup(space),
  ]
}

function integrity(db: DatabaseSync): HealthFinding {
  const problems = db.prepare('PRAGMA quick_check').all().flatMap(Object.values)
  const ok = problems.length === 1 && problems[0] === 'ok'
  return finding('database integrity', ok, ok ? 'sound' : `damaged; ${NEVER_COPY}: ${problems[0]}`)
}

/** The alert rules in docs/metrics/alerts.yaml have the same limits. */
function freeDisk({ sizeBytes, freeBytes: free }: SqliteSpace): HealthFinding {
  if (free >= Math.max(64 * MEBIBYTE, sizeBytes)) return finding('free disk', true, mebibytes(free))
  return finding('free disk', false, `${mebibytes(free)} free, less than the database's size`, 'free some space')
}

function writeAheadLog(path: string, bytes: number): HealthFinding {
  const tooLarge = 'a process has had a read open for a long time; restart it'
  const log = finding('write-ahead log', bytes < WAL_LARGE, mebibytes(bytes), tooLarge)
  if (!log.ok || bytes === 0 || isServed(path)) return log
  const hint = `its writer was not stopped cleanly. It is part of the database, and the next start merges it: ${NEVER_COPY}`
  return { ...log, isWarning: true, hint }
}

/** The alert rules in docs/metrics/alerts.yaml have the same limit. */
const BACKUP_OLD_HOURS = 48

function lastBackup({ backupMs }: SqliteSpace): HealthFinding {
  if (backupMs === undefined) return finding('backup', true, "none by 'vitrine backup --keep' yet")
  const hours = Math.floor((Date.now() - backupMs) / HOUR_MS)
  const detail = `the last one that was verified is ${hours < 1 ? 'less than an hour' : counted(hours, 'hour')} old`
  if (hours < BACKUP_OLD_HOURS) return finding('backup', true, detail)
  return warning('backup', detail, "check the timer that runs 'vitrine backup --keep', and its log")
}

const NEVER_COPY = "put a backup in place with 'vitrine restore FILE', never by copying over the file"

const mebibytes = (bytes: number) => `${(bytes / MEBIBYTE).toFixed(1)} MiB`

/** Runs before the database is opened, because opening it would initialise an empty file. */
export function examineFiles(path: string): HealthFinding[] {
  if (!existsSync(path) || !statSync(path).isFile()) return []
  return [content(path), access(path)]
}

function content(path: string): HealthFinding {
  const ok = statSync(path).size > 0
  const hint = 'restore a backup, or delete the file if there was never any data'
  return finding('database file', ok, ok ? path : `${path} is empty`, hint)
}

/**
 * A user who can read the file can read every workspace; one who can write to the folder can replace the file, or a link to it. SQLite's
 * other files are next to the file, not to the link.
 */
function access(given: string): HealthFinding {
  const permissions = (ok: boolean, detail: string, hint?: string) => finding('file permissions', ok, detail, hint)
  if (process.platform === 'win32') return permissions(true, 'not checked on Windows')
  const path = lstatSync(given).isSymbolicLink() ? realPath(given) : given
  const open = [path, `${path}-wal`, `${path}-shm`].filter((file) => existsSync(file) && isOpen(file, 0o077))
  if (open.length > 0)
    return permissions(
      false,
      `others may read or write ${open.join(', ')}`,
      `run: chmod 600 ${open.map(quoted).join(' ')}`,
    )
  const folder = dirname(path)
  const closed = [path, folder].find((file) => !mayWrite(file))
  if (closed !== undefined)
    return permissions(
      false,
      `this user may not write ${closed}`,
      'run as its owner, or grant this user the permission',
    )
  const shared = [folder, dirname(given)].find((each) => isOpen(each, 0o022))
  if (shared !== undefined)
    return permissions(false, `others may put files into ${shared}`, `run: chmod go-w ${quoted(shared)}`)
  return permissions(true, 'only its owner may read and write it')
}

const isOpen = (file: string, bits: number) => (statSync(file).mode & bits) !== 0

function mayWrite(file: string): boolean {
  try {
    accessSync(file, constants.W_OK)
    return true
  } catch {
    return false
  }
}

const quoted = (path: string) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`)
