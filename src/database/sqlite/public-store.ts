import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { Lru } from '../../lib/lru.ts'
import { type Quota, RateWindows } from '../../lib/rate-windows.ts'
import { type AdmissionResult, NO_KEY_HASH, type RefusedKey } from '../admission.ts'
import { BasePublicStore } from '../base-public-store.ts'
import type { SqlConnection } from '../connection.ts'
import { StorageError } from '../errors.ts'
import { CLOSE_WAIT_MS, type PublicStore, type PublicStoreOptions, type StoredResource } from '../store.ts'
import { type AdmissionRow, type CachedKey, FIND_KEY, refusalReasonOf, toCachedKey } from './admission-sql.ts'
import { CHECKPOINT_WAIT_MS, closeAfterWriting, connectForReading } from './connect.ts'
import { fileCheck } from './files/file-lock.ts'
import { recordWriter } from './record-writer.ts'
import { type Snapshots, snapshots } from './snapshots.ts'

/** A cached key takes about 300 bytes; a key that is not cached costs a query. */
const CACHED_KEYS = 125_000

/**
 * Public requests read on a connection that cannot write. Cached keys are valid until data_version changes. Every commit of
 * another connection changes it, so the next request sees the commit. It is read on the connection that writes use records: a
 * connection's own commits do not change its data_version, and nothing that it writes is cached here.
 */
export class SqlitePublicStore extends BasePublicStore implements PublicStore {
  readonly #isSameFile: () => boolean
  readonly #db: DatabaseSync
  readonly #snapshots: Snapshots
  readonly #dataVersion: StatementSync
  readonly #findKey: StatementSync
  readonly #writeDb: DatabaseSync
  readonly #rateWindows = new RateWindows()
  readonly #statements = new Map<string, StatementSync>()
  readonly #cachedKeys = new Lru<CachedKey>(CACHED_KEYS)
  #cachedAtVersion = -1
  #checkedInTick: number | undefined

  /** `writeDb` has migrated the file. */
  constructor(path: string, writeDb: DatabaseSync, resources: readonly StoredResource[], options: PublicStoreOptions) {
    // A power cut may lose the last seconds of use records, but the event loop must not wait for the lock.
    writeDb.exec('PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 0')
    super(resources, options, recordWriter(writeDb))
    this.#writeDb = writeDb
    this.#db = connectForReading(path)
    this.#isSameFile = fileCheck(path)
    this.#snapshots = snapshots(() => connectForReading(path))
    this.#dataVersion = this.#writeDb.prepare('PRAGMA data_version')
    this.#findKey = this.#db.prepare(FIND_KEY)
  }

  async admit(keyHash: string, address?: string, tick?: number): Promise<AdmissionResult> {
    const now = this.clock()
    if (tick === undefined || tick !== this.#checkedInTick) this.#checkForChanges()
    this.#checkedInTick = tick
    const key = this.#findValid(keyHash, now, address)
    if (key === undefined || 'reason' in key) return key
    const { keyId, isConnection, workspaceId, permissions, only, available, revision } = key
    const quota = key.quota ?? this.options.defaultQuota
    const window = this.#rateWindows.count(keyId, quota, now)
    return { keyId, isConnection, workspaceId, permissions, only, quota, window, available, revision, now }
  }

  async recheck(keyHash: string, address?: string) {
    const now = this.clock()
    this.#checkForChanges()
    const key = this.#findValid(keyHash, now, address)
    if (key === undefined || 'reason' in key) return key
    const { permissions, only, available, revision } = key
    return { permissions, only, available, revision, now }
  }

  async quotaInUse(keyId: string, quota: Quota) {
    return this.#rateWindows.peek(keyId, quota, this.clock())
  }

  async rows<Row>(name: string, sql: string, ...values: (string | number)[]) {
    const statement = this.#statements.get(name) ?? this.#db.prepare(sql)
    this.#statements.set(name, statement)
    return statement.all(...values) as Row[]
  }

  utf8Of(text: string) {
    return `CAST(${text} AS BLOB)`
  }

  snapshot<T>(workspaceId: string, read: (connection: Pick<SqlConnection, 'all'>) => Promise<T>): Promise<T> {
    return this.#snapshots.run(workspaceId, read)
  }

  #checkForChanges(): void {
    // A revocation in the new file would not be seen.
    if (!this.#isSameFile()) throw new StorageError('the database was deleted or replaced; restart the server')
    const { data_version } = this.#dataVersion.get() as { data_version: number }
    if (data_version !== this.#cachedAtVersion) this.#cachedKeys.clear()
    this.#cachedAtVersion = data_version
  }

  #findValid(keyHash: string, now: number, address: string | undefined): CachedKey | RefusedKey | undefined {
    const key = this.#cachedKeys.get(keyHash) ?? this.#find(keyHash)
    if (key === undefined) return undefined
    const reason = refusalReasonOf(key, now, address)
    return reason === undefined ? key : { keyId: key.keyId, workspaceId: key.workspaceId, reason }
  }

  #find(keyHash: string): CachedKey | undefined {
    const row = this.#findKey.get(keyHash) as AdmissionRow | undefined
    if (row === undefined) return undefined
    const key = toCachedKey(row)
    this.#cachedKeys.set(keyHash, key)
    return key
  }

  async ping() {
    this.#checkForChanges()
    this.#find(NO_KEY_HASH)
    await this.tryReads()
  }

  stats() {
    return { queues: this.requests.queues, pools: [] }
  }

  async close(waitMs = CLOSE_WAIT_MS) {
    const deadline = performance.now() + waitMs
    await this.closeRecords(waitMs)
    this.#snapshots.close()
    // The last to close merges the write-ahead log into the file, so it must be able to write.
    this.#db.close()
    const checkpointMs = Math.max(CHECKPOINT_WAIT_MS, deadline - performance.now())
    await closeAfterWriting(this.#writeDb, checkpointMs)
  }
}
