import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { isWithin } from '../../lib/cidr.ts'
import { RecentlyUsed } from '../../lib/recently-used.ts'
import { BasePublicStore } from '../base-public-store.ts'
import { NO_KEY_HASH, type QueryableList, type StoredResource } from '../lists/reader.ts'
import {
  type Admission,
  type AdmissionResult,
  CLOSE_WAIT_MS,
  type KeyRefusalReason,
  type LostRecords,
  type PublicStore,
  type PublicStoreOptions,
  permissionSet,
  type Quota,
  type QuotaColumns,
  quotaOf,
  type RefusedKey,
} from '../store.ts'
import { type Table, tablesOf } from '../table.ts'
import { Windows } from '../windows.ts'
import { CHECKPOINT_WAIT_MS, closeAfterWriting, connectForReading, connectForWriting } from './connect.ts'
import { FileWatch } from './files/file-watch.ts'
import { SqliteListReader } from './lists/reader.ts'
import { SlicedReads } from './lists/sliced-reads.ts'
import { recordWriters } from './record-writers.ts'
import { readDifferences } from './schema.ts'

interface Known extends Omit<Admission, 'quota' | 'window' | 'now'> {
  quota: Quota | null
  /** Comma-separated; null means everywhere. */
  networks: string | null
  isRevoked: boolean
  isPaused: boolean
  /** The earlier of its expiry and the end of its rotation. */
  endsAt: number
  /** The expiry of the access token. */
  tokenEndsAt: number
}

/** A cached key takes about 300 bytes; any other costs a query. */
const KNOWN_KEYS = 125_000

const MARKED_AT_ONCE = 50

/**
 * Public requests read on a connection that cannot write. Keys stay cached while data_version does: every commit of
 * another connection changes it, so the very next request sees it. It is read on the connection that writes use
 * records, whose own commits do not change it, nor anything that is cached here.
 */
export class SqlitePublicStore extends BasePublicStore implements PublicStore {
  readonly #watch: FileWatch
  readonly #db: DatabaseSync
  readonly #sliced: SlicedReads
  readonly #dataVersion: StatementSync
  readonly #findKey: StatementSync
  readonly #usesDb: DatabaseSync
  readonly #tables: readonly Table[]
  readonly #windows: Windows
  readonly #statements = new Map<string, StatementSync>()
  readonly #known = new RecentlyUsed<Known>(KNOWN_KEYS)
  #knownAtVersion = -1
  #checkedInTick = -1

  constructor(path: string, resources: readonly StoredResource[], options: PublicStoreOptions) {
    const tables = tablesOf(resources)
    const { onDifferences, onDatabaseLost = () => {} } = options
    const usesDb = connectForWriting(path, tables, {
      create: true,
      onMigrated: (db) => onDifferences?.(readDifferences(db, tables)),
    })
    const watch = new FileWatch(path, tables, usesDb, onDatabaseLost)
    // A power cut may lose the last seconds of use records, but the event loop must not wait for the lock.
    usesDb.exec('PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 0')
    super(resources, options, recordWriters(usesDb, watch), MARKED_AT_ONCE)
    this.#usesDb = usesDb
    this.#tables = tables
    this.#watch = watch
    this.#windows = options.windows ?? new Windows(this.clock)
    this.#db = connectForReading(path)
    this.#sliced = new SlicedReads(path)
    this.#dataVersion = this.#usesDb.prepare('PRAGMA data_version')
    this.#findKey = this.#db.prepare(FIND_KEY)
  }

  admit(keyHash: string, tick: number, address?: string): AdmissionResult {
    this.check()
    const now = this.clock()
    if (tick !== this.#checkedInTick) this.#checkForChanges(tick)
    const known = this.#findValid(keyHash, now, address)
    if (known === undefined || 'reason' in known) return known
    const { keyId, isConnection, workspaceId, permissions, available, revision } = known
    const quota = known.quota ?? this.options.defaultQuota
    const window = this.#windows.count(keyId, quota, now)
    return { keyId, isConnection, workspaceId, permissions, quota, window, available, revision, now }
  }

  async recheck(keyHash: string, address?: string) {
    this.check()
    const now = this.clock()
    this.#checkForChanges(this.#checkedInTick)
    const known = this.#findValid(keyHash, now, address)
    if (known === undefined || 'reason' in known) return known
    const { permissions, available, revision } = known
    return { permissions, available, revision, now }
  }

  async quotaInUse(keyId: string) {
    return this.#windows.peek(keyId, this.clock())
  }

  protected override createReader(list: QueryableList) {
    return new SqliteListReader(list, {
      db: this.#db,
      usesDb: this.#usesDb,
      sliced: this.#sliced,
      background: this.background,
      // The log names the definition to deploy.
      onIndexChanged: () => {
        this.options.onDifferences?.(readDifferences(this.#usesDb, this.#tables))
        this.readers.clear()
      },
    })
  }

  async rows<Row>(name: string, sql: string, ...values: string[]) {
    const statement = this.#statements.get(name) ?? this.#db.prepare(sql)
    this.#statements.set(name, statement)
    return statement.all(...values) as Row[]
  }

  #checkForChanges(tick: number): void {
    const { data_version } = this.#dataVersion.get() as { data_version: number }
    if (data_version !== this.#knownAtVersion) this.#known.clear()
    this.#knownAtVersion = data_version
    this.#checkedInTick = tick
  }

  #findValid(keyHash: string, now: number, address: string | undefined): Known | RefusedKey | undefined {
    const known = this.#known.get(keyHash) ?? this.#find(keyHash)
    if (known === undefined) return undefined
    const reason = refusalReasonOf(known, now, address)
    return reason === undefined ? known : { keyId: known.keyId, workspaceId: known.workspaceId, reason }
  }

  #find(keyHash: string): Known | undefined {
    const row = this.#findKey.get(keyHash) as KeyRow | undefined
    const found = row && toKnown(row)
    if (found !== undefined) this.#known.set(keyHash, found)
    return found
  }

  async ping() {
    this.#watch.poll()
    this.check()
    this.#checkForChanges(-1)
    this.#find(NO_KEY_HASH)
    await this.tryReads()
  }

  check() {
    if (this.#watch.fault !== undefined) throw this.#watch.fault
  }

  stats() {
    return { queues: this.uses.queues, pools: [] }
  }

  async close(waitMs = CLOSE_WAIT_MS) {
    const deadline = performance.now() + waitMs
    // A lost file will not take the last records, however long they wait.
    const fault = this.#watch.poll()
    this.#watch.close()
    const onLost = (lost: LostRecords) => this.options.onLost?.({ ...lost, cause: fault ?? lost.cause })
    await this.closeRecords(fault === undefined ? waitMs : 0, onLost)
    this.#sliced.close()
    if (fault !== undefined) {
      // The present file is not ours: closed in this order, its write-ahead log is left alone.
      this.#usesDb.close()
      this.#db.close()
      return
    }
    // The last to close merges the write-ahead log into the file, so it must be able to write.
    this.#db.close()
    const checkpointMs = Math.max(CHECKPOINT_WAIT_MS, deadline - performance.now())
    if (!(await closeAfterWriting(this.#usesDb, checkpointMs))) this.options.onLeftInLog?.()
  }
}

/** By the key's own token, or by the access token of a connection. */
const FIND_KEY = `
  SELECT k.id, k.client_id, k.workspace_id, k.permissions, k.rate_limit, k.rate_window_seconds, k.networks, k.expires_at, k.retires_at,
         k.token_expires_at, k.revoked_at, k.paused_at, w.id IS NOT NULL AND w.archived_at IS NULL AS available, coalesce(r.number, 0) AS revision
  FROM (
    SELECT *, NULL AS token_expires_at FROM api_keys WHERE hash = ?1
    UNION ALL SELECT of.*, t.expires_at FROM connection_tokens t CROSS JOIN api_keys of ON of.id = t.key_id
    WHERE t.hash = ?1 AND t.kind = 'access') AS k
  LEFT JOIN workspaces w ON w.id = k.workspace_id
  LEFT JOIN revisions r ON r.workspace_id = k.workspace_id`

type Instants = Record<'expires_at' | 'retires_at' | 'token_expires_at' | 'revoked_at' | 'paused_at', string | null>

interface KeyRow extends QuotaColumns, Instants {
  id: string
  client_id: string | null
  workspace_id: string
  permissions: string
  networks: string | null
  available: number
  revision: number
}

/** PostgreSQL has the same rule in SQL, and a test compares both with `lifeOf`. */
function refusalReasonOf(key: Known, now: number, address: string | undefined): KeyRefusalReason | undefined {
  if (key.isRevoked) return 'revoked'
  if (key.endsAt <= now) return 'expired'
  if (key.isPaused) return 'paused'
  if (key.tokenEndsAt <= now) return 'token_expired'
  return key.networks === null || isWithin(key.networks, address) ? undefined : 'network'
}

const instantOrNever = (at: string | null) => (at === null ? Number.POSITIVE_INFINITY : Date.parse(at))

const toKnown = (row: KeyRow): Known => ({
  keyId: row.id,
  isConnection: row.client_id !== null,
  workspaceId: row.workspace_id,
  permissions: permissionSet(row.permissions),
  quota: quotaOf(row),
  networks: row.networks,
  isRevoked: row.revoked_at !== null,
  isPaused: row.paused_at !== null,
  endsAt: Math.min(instantOrNever(row.expires_at), instantOrNever(row.retires_at)),
  tokenEndsAt: instantOrNever(row.token_expires_at),
  available: row.available === 1,
  revision: row.revision,
})
