import { type Stats, statSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { DatabaseLost } from '../../errors.ts'
import { quoted, type Table } from '../../table.ts'
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
  /** The newest entry of the last check is missing or changed, although it was not trimmed. */
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

/**
 * Checks, off the request path, whether the database is still the file that the server opened. SQLite keeps using a
 * deleted file, and the cached pages of an overwritten one. A file counts as overwritten if it changed without SQLite
 * noticing, or in a way that Vitrine never changes it. An overwrite goes unnoticed if its audit entries are the same and a
 * commit falls into the same half second. Reads go through SQLite: closing the file directly would drop its locks.
 */
export class FileWatch {
  readonly #path: string
  readonly #dataVersion: StatementSync
  readonly #fingerprintSql: string
  readonly #onChange: (fault: DatabaseLost | undefined) => void
  /** SQLite keeps two more files next to the database while it is open. */
  readonly #files: readonly string[]
  readonly #identities: readonly string[]
  readonly #timer: NodeJS.Timeout
  #last: Snapshot
  #fault: DatabaseLost | undefined
  #isFinal = false

  /** `db` is a new connection that stays open; its own commits must not change the fingerprint. */
  constructor(
    path: string,
    tables: readonly Table[],
    db: DatabaseSync,
    onChange: (fault: DatabaseLost | undefined) => void,
  ) {
    this.#path = path
    this.#fingerprintSql = fingerprintSql(tables)
    this.#dataVersion = db.prepare('PRAGMA data_version')
    this.#onChange = onChange
    // The path may be a link whose target changes, but SQLite's own files stay next to the first target.
    const real = realPath(path)
    this.#files = [path, `${real}-wal`, `${real}-shm`]
    this.#identities = this.#stats().map(fileIdentity)
    this.#last = this.#read(db, statSync(path))
    this.#timer = setInterval(() => this.poll(), POLL_EVERY_MS).unref()
  }

  get fault(): DatabaseLost | undefined {
    return this.#fault
  }

  poll(): DatabaseLost | undefined {
    const fault = this.#isFinal ? this.#fault : this.#detectFault()
    const isNews = (fault === undefined) !== (this.#fault === undefined)
    this.#fault = fault
    // A deleted file that is replaced later is the same loss.
    if (isNews) this.#onChange(fault)
    return fault
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #stats(): (Stats | undefined)[] {
    return this.#files.map((file) => statSync(file, { throwIfNoEntry: false }))
  }

  #detectFault(): DatabaseLost | undefined {
    try {
      const files = this.#stats()
      const changed = files.findIndex((stats, i) => fileIdentity(stats) !== this.#identities[i])
      // Not final: the original files may be put back.
      if (changed !== -1) return new DatabaseLost(missing(changed, files[changed] !== undefined))
      const [stats] = files
      if (stats === undefined || !this.#mayHaveChanged(stats)) return undefined
      const now = this.#readAnew(stats)
      this.#isFinal = isOther(this.#last, now)
      this.#last = now
    } catch (error) {
      const { syscall, code } = error as NodeJS.ErrnoException
      if (syscall !== undefined) return new DatabaseLost(`the database file cannot be reached (${code})`)
      this.#isFinal = isUnreadable(error)
      if (!this.#isFinal && isDiskFault(error)) return new DatabaseLost('the database file cannot be read')
      // Otherwise the database is busy, or a table was dropped, which its queries will report.
    }
    return this.#isFinal ? new DatabaseLost('the database file was truncated or overwritten') : undefined
  }

  #mayHaveChanged({ size, mtimeMs }: Stats): boolean {
    const { version, stats } = this.#last
    return size !== stats.size || mtimeMs !== stats.mtimeMs || version !== this.#version()
  }

  /** Opens a new connection, because others have cached pages. It need not wait: checks are repeated. */
  #readAnew(stats: Stats): Snapshot {
    using db = new DatabaseSync(this.#path, { readOnly: true, timeout: 0 })
    return this.#read(db, stats, this.#last.fingerprint)
  }

  #read(db: DatabaseSync, stats: Stats, before?: Fingerprint): Snapshot {
    const { auditId = null, auditHash = null, auditWorkspaceId = null, auditNumber = null } = before ?? {}
    const audit = { auditId, auditHash, auditWorkspaceId, auditNumber }
    const version = this.#version()
    const fingerprint = isOurs(db) ? (db.prepare(this.#fingerprintSql).get(audit) as unknown as Fingerprint) : undefined
    return { version: version === this.#version() ? version : undefined, stats, fingerprint }
  }

  #version(): number {
    return (this.#dataVersion.get() as { data_version: number }).data_version
  }
}

const missing = (file: number, isReplaced: boolean) =>
  `the database${['', "'s -wal", "'s -shm"][file]} file was ${isReplaced ? 'replaced' : 'deleted'}`

const fingerprintSql = (tables: readonly Table[]) => `
  SELECT (SELECT schema_version FROM pragma_schema_version) AS schemaVersion,
         a.id AS auditId, a.hash AS auditHash, a.workspace_id AS auditWorkspaceId, a.number AS auditNumber,
         :auditId IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM audit WHERE id = :auditId AND hash = :auditHash)
           AND NOT EXISTS (SELECT 1 FROM audit_heads
                           WHERE workspace_id = :auditWorkspaceId AND trimmed_number >= :auditNumber) AS isAuditLost,
         json_array(${tables.map(({ name }) => `(SELECT max(seq) FROM ${quoted(name)})`).join(', ')}) AS highestSeqs,
         (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size) AS bytes
  FROM (SELECT 1) LEFT JOIN (SELECT * FROM audit ORDER BY id DESC LIMIT 1) AS a`

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
