import { type Stats, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { DatabaseLost } from '../../errors.ts'
import { quoted } from '../../table.ts'
import { isDiskFault, isUnreadable } from '../faults.ts'
import { isOurs } from '../migrate.ts'
import { fileIdentity, realPath } from './file-lock.ts'

/** A change must be noticed within a second. */
const POLL_EVERY_MS = 500

/** Distinguishes a database from others and from its own earlier states. Recording usage does not change it. */
interface Fingerprint {
  schemaVersion: number
  /** The newest audit entry. It never changes until it is trimmed. */
  auditId: number | null
  auditHash: string | null
  auditWorkspaceId: string | null
  auditNumber: number | null
  /** The newest entry of the last check is missing or changed, although it was neither trimmed nor erased with its workspace. */
  isAuditLost: 0 | 1
  /** JSON of the highest seq in each resource's table. */
  highestSeqs: string
  bytes: number
}

interface Snapshot {
  /** Undefined if something was written while the fingerprint was read. */
  version: number | undefined
  stats: Stats
  /** Undefined if the file is not a Vitrine database. */
  fingerprint: Fingerprint | undefined
}

export type FileWatch = ReturnType<typeof watchFile>

/**
 * Checks, off the request path, whether the database is still the file that the server opened. SQLite keeps using a
 * deleted file, and the cached pages of an overwritten one. A file counts as overwritten if it changed without SQLite
 * noticing, or in a way that Vitrine never changes it. An overwrite goes unnoticed if its audit entries are the same and a
 * commit falls into the same half second. Reads go through SQLite: closing the file directly would drop its locks.
 *
 * `db` is a new connection that stays open; its own commits must not change the fingerprint.
 */
export function watchFile(path: string, db: DatabaseSync, onChange: (fault: DatabaseLost | undefined) => void) {
  // The path may be a link whose target changes, but SQLite's own files stay next to the first target.
  const real = realPath(path)
  /** SQLite keeps two more files next to the database while it is open. */
  const files = [path, `${real}-wal`, `${real}-shm`]
  const statsOfFiles = () => files.map((file) => statSync(file, { throwIfNoEntry: false }))
  const identities = statsOfFiles().map(fileIdentity)
  const dataVersion = db.prepare('PRAGMA data_version')
  let last = read(db, statSync(path))
  let fault: DatabaseLost | undefined
  let isFinal = false

  function poll(): DatabaseLost | undefined {
    const found = isFinal ? fault : detectFault()
    const isNews = (found === undefined) !== (fault === undefined)
    fault = found
    // A deleted file that is replaced later is the same loss.
    if (isNews) onChange(found)
    return found
  }

  function detectFault(): DatabaseLost | undefined {
    try {
      const found = statsOfFiles()
      const changed = found.findIndex((stats, i) => fileIdentity(stats) !== identities[i])
      // Not final: the original files may be put back.
      if (changed !== -1) return new DatabaseLost(missing(changed, found[changed] !== undefined))
      const [stats] = found
      if (stats === undefined || !mayHaveChanged(stats)) return undefined
      const now = readAnew(stats)
      isFinal = isOther(last, now)
      last = now
    } catch (error) {
      const { syscall, code } = error as NodeJS.ErrnoException
      if (syscall !== undefined) return new DatabaseLost(`the database file cannot be reached (${code})`)
      isFinal = isUnreadable(error)
      if (!isFinal && isDiskFault(error)) return new DatabaseLost('the database file cannot be read')
      // Otherwise the database is busy, or a table was dropped, which its queries will report.
    }
    return isFinal ? new DatabaseLost('the database file was truncated or overwritten') : undefined
  }

  function mayHaveChanged({ size, mtimeMs }: Stats): boolean {
    return size !== last.stats.size || mtimeMs !== last.stats.mtimeMs || last.version !== currentVersion()
  }

  /** Opens a new connection, because others have cached pages. It need not wait: checks are repeated. */
  function readAnew(stats: Stats): Snapshot {
    using fresh = new DatabaseSync(path, { readOnly: true, timeout: 0 })
    return read(fresh, stats, last.fingerprint)
  }

  function read(from: DatabaseSync, stats: Stats, before?: Fingerprint): Snapshot {
    const { auditId = null, auditHash = null, auditWorkspaceId = null, auditNumber = null } = before ?? {}
    const last = { auditId, auditHash, auditWorkspaceId, auditNumber, schemaVersion: before?.schemaVersion ?? null }
    const version = currentVersion()
    const fingerprint = isOurs(from)
      ? (from.prepare(fingerprintSql(from)).get(last) as unknown as Fingerprint)
      : undefined
    return { version: version === currentVersion() ? version : undefined, stats, fingerprint }
  }

  function currentVersion(): number {
    return (dataVersion.get() as { data_version: number }).data_version
  }

  const timer = setInterval(poll, POLL_EVERY_MS).unref()
  return {
    get fault() {
      return fault
    },
    poll,
    close: () => clearInterval(timer),
  }
}

const missing = (file: number, isReplaced: boolean) =>
  `the database${['', "'s -wal", "'s -shm"][file]} file was ${isReplaced ? 'replaced' : 'deleted'}`

/**
 * Erasing a workspace removes the head of its chain after a VACUUM, which raises the schema version. Resources' tables can be added and
 * dropped while the server runs.
 */
function fingerprintSql(db: DatabaseSync): string {
  const tables = db
    .prepare("SELECT name FROM resource_tables JOIN sqlite_schema USING (name) WHERE type = 'table' ORDER BY name")
    .all()
  const highestSeqs = tables.map(({ name }) => `(SELECT max(seq) FROM ${quoted(String(name))})`)
  return `
  SELECT (SELECT schema_version FROM pragma_schema_version) AS schemaVersion,
         a.id AS auditId, a.hash AS auditHash, a.workspace_id AS auditWorkspaceId, a.number AS auditNumber,
         :auditId IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM audit WHERE id = :auditId AND hash = :auditHash)
           AND coalesce((SELECT trimmed_number < :auditNumber FROM audit_heads WHERE workspace_id = :auditWorkspaceId),
                        (SELECT schema_version <= :schemaVersion FROM pragma_schema_version)) AS isAuditLost,
         json_array(${highestSeqs.join(', ')}) AS highestSeqs,
         (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size) AS bytes
  FROM (SELECT 1) LEFT JOIN (SELECT * FROM audit ORDER BY id DESC LIMIT 1) AS a`
}

function isOther(last: Snapshot, now: Snapshot): boolean {
  const [before, after] = [last.fingerprint, now.fingerprint]
  if (before === undefined || after === undefined) return after === undefined
  const isUnchanged = last.version !== undefined && last.version === now.version
  if (!isUnchanged) return after.isAuditLost === 1 || after.schemaVersion < before.schemaVersion
  // Merging the log shortens the file, but never below the pages counted before; pages added since are in the log.
  const isTruncated = now.stats.size < last.stats.size && now.stats.size < before.bytes
  const facts = ['schemaVersion', 'auditId', 'auditHash', 'highestSeqs'] as const
  return isTruncated || facts.some((name) => after[name] !== before[name])
}
