/**
 * The database port: everything the rest of the program knows about SQLite and PostgreSQL.
 *
 * OVERVIEW. There are two interfaces, each implemented once per engine. PublicStore is the only one that public requests can
 * reach: it admits keys, reads resources and records usage (`base-public-store.ts` has the shared code). OperatorStore serves the
 * command line and the settings pages: transactions, copies, backups and health checks. `open.ts` opens either from a
 * DATABASE_URL. Nothing here knows a resource or a field: src/lists/stored has the statements for rows.
 *
 * HOW IT WORKS.
 * - Admission (`admission.ts`) is one lookup by key hash. It returns the key, its workspace's state and revision, and counts
 *   the request against the quota. SQLite caches keys until the file's data_version changes, and counts in memory
 *   (`src/lib/rate-windows.ts`). PostgreSQL batches the requests of a tick into one statement (`postgres/batcher.ts`).
 * - Every writer moves a workspace's revision when it changes the data behind its responses, which are cached per revision
 *   (`moveRevision` in `statements.ts`).
 * - Requests are recorded in memory and written in batches, off the request path (`usage/`).
 * - Each engine's schema is in `schema.sql`. `tables/schema-difference.ts` compares it with the actual database, and `upgrade.ts`
 *   upgrades databases of release 0.2.0. The rows of all lists are
 *   in one table, and the definitions of declared lists are remembered (`tables/declared-lists.ts`), so a new list or field changes no table.
 *
 * INVARIANTS.
 * - A request that starts after a commit sees it, on every replica, so revoking a key takes effect immediately.
 * - PublicStore never writes data that responses show, and it reads on connections that cannot write.
 * - Transactions lock workspaces before revisions, both in id order, so that they cannot deadlock.
 * - Changes are atomic, even under `kill -9`.
 * - Everything that an untrusted client can make grow is bounded by a named constant: batches, queues, windows and caches.
 *
 * FAILURES. Errors that an operator can fix become a StorageError whose message explains the fix (each engine's `faults.ts`).
 * A full queue or a lock held for too long causes a StoreBusyError: nothing was done, so the caller can retry. If SQLite's file was
 * deleted or replaced under a running server, nothing is admitted.
 *
 * Instants are epoch milliseconds in code that computes with them, and ISO 8601 text where people read them.
 */

import type { Occupancy } from '../lib/fair-share.ts'
import type { Quota, QuotaWindow } from '../lib/rate-windows.ts'
import type { Row } from '../lists/column.ts'
import type { List } from '../lists/definition.ts'
import type { ReadScope } from '../lists/query.ts'
import type { AdmissionResult, CurrentAccess, RefusedKey } from './admission.ts'
import type { SqlConnection, Transaction } from './connection.ts'
import type { StorageError } from './errors.ts'
import type { HealthFinding } from './finding.ts'
import type {
  DeclaredResource,
  DefinitionDifference,
  HasList,
  Migration,
  MigrationOptions,
} from './tables/declared-lists.ts'
import type { SchemaDifference } from './tables/schema-difference.ts'
import type { KeyReference, LeakPlace, LostRecords, RequestFacts } from './usage/request-recorder.ts'

export type { Transaction } from './connection.ts'

export interface PublicStoreOptions extends Pick<MigrationOptions, 'onMigrated'> {
  /** Applies to keys without their own quota. */
  defaultQuota: Quota
  clock?: () => number
  onUseFailure: (error: unknown) => void
  /** Called with what differs from the expected schema and definitions; may throw. If omitted, neither is checked. */
  onDifferences?: ((differences: Differences) => void) | undefined
  onLost?: (lost: LostRecords) => void
}

export interface Differences {
  schema: readonly SchemaDifference[]
  definitions: readonly DefinitionDifference[]
}

export const CLOSE_WAIT_MS = 3000

export interface PoolStats {
  name: 'admits' | 'reads' | 'settings'
  open: Occupancy
  idle: number
  waiting: Occupancy
}

export interface StoreStats {
  queues: Readonly<Record<string, Occupancy>>
  /** Empty on SQLite. */
  pools: readonly PoolStats[]
}

/** What reading a resource needs. */
export interface PublicReads {
  /** In the statement, `?` stands for a value. It is prepared once under its name. */
  rows<Row>(name: string, sql: string, ...values: (string | number)[]): Promise<Row[]>
  /** The expression for a text's UTF-8, as responses have it. Decoding and encoding a page takes longer than reading it. */
  utf8Of(text: string): string
  /** All statements see the same state. Few of these reads run at once, and workspaces take turns. */
  snapshot<T>(workspaceId: string, read: (connection: Pick<SqlConnection, 'all'>) => Promise<T>): Promise<T>
}

/** A resource as far as a store needs to know it. */
export interface StoredResource extends HasList {
  /** All of it, as a request without arguments reads it. */
  read(store: PublicReads, scope: ReadScope): Promise<unknown>
}

export interface PublicStore extends PublicReads {
  /** Counts the request only if the key is valid for this address. Undefined if there is no such key. Requests in one tick share a check for changes. */
  admit(keyHash: string, address?: string, tick?: number): Promise<AdmissionResult>
  /** Does not count the request, and never reuses an earlier lookup. */
  recheck(keyHash: string, address?: string): Promise<CurrentAccess | RefusedKey | undefined>
  /** Undefined if no window is open, so the whole quota is available. */
  quotaInUse(keyId: string, quota: Quota): Promise<QuotaWindow | undefined>
  /** Buffered in memory and written later, off the request path. Pass why the key was refused, and when it was admitted. */
  recordRequest(key: KeyReference, request: RequestFacts, reason?: string, now?: number): void
  /** The key was sent in a place where others may read it. */
  recordLeak(key: KeyReference, place: LeakPlace): void
  /** Exercises everything that an admitted request needs, without a real key. Rejects if any of it fails. */
  ping(): Promise<void>
  stats(): StoreStats
  close(waitMs?: number): Promise<void>
}

/** Only the hash of a session's secret is stored. */
export interface SessionRecord {
  hash: string
  email: string
  startedAt: string
  seenAt: string
  /** The only workspace that the session can access; null if it can access all of the person's workspaces. */
  workspaceId: string | null
  /** The chain of members whose sign-in links led to this session, nearest first, separated by spaces. */
  linkBy: string | null
  /** Such as `Firefox on Linux, 203.0.113.0/24`. */
  device: string | null
}

export const SESSION_COLUMNS =
  'hash, email, started_at AS "startedAt", seen_at AS "seenAt", workspace_id AS "workspaceId", link_by AS "linkBy", device'

export interface Space {
  sizeBytes: number
  /** SQLite's file and disk. PostgreSQL does not report its own. */
  walBytes?: number
  freeBytes?: number
  /** When a kept backup was last verified, if it ever was. */
  backupMs?: number | undefined
}

export interface TableChunk {
  table: string
  rows: Row[]
}

/** What `vitrine migrate` would do. */
export interface MigrationPlan {
  /** Undefined if the schema and the definitions are this program's. */
  migration: Migration | undefined
  /** Empty for an older schema. */
  differences: readonly SchemaDifference[]
  remembered: readonly DeclaredResource[]
}

export interface OperatorOptions extends MigrationOptions {
  create: boolean
  onFailedAttempt?: OnFailedAttempt | undefined
}

/** Called after a commit without the work that failed: see `attempt`. */
export type OnFailedAttempt = (failure: StorageError) => void

export interface OperatorStore {
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** Reads a consistent snapshot, and neither waits for writers nor delays them. Skipped if the client `isGone`. */
  read<T>(work: (tx: Transaction) => Promise<T>, isGone?: () => boolean): Promise<T>
  /** Cheap even for unknown hashes, which anyone can send. */
  findSession(hash: string): Promise<{ session: SessionRecord; nowMs: number } | undefined>
  /** As the database has it, which may be newer than a declared list's file: rows are only written for that. */
  listInUse(list: List): List
  /** Holds a lock until it is disposed or the process ends. Undefined if another process holds it. */
  lock(name: string): Promise<Disposable | AsyncDisposable | undefined>
  /** Erases deleted rows from the file, if the engine does not do so itself. */
  compact(): Promise<void>
  examine(): Promise<HealthFinding[]>
  /** Cheap on SQLite. PostgreSQL looks at every file of the database, in a separate read. */
  space(): Promise<Space>
  schemaDifferences(): Promise<readonly SchemaDifference[]>
  /** Reads a consistent snapshot. */
  dump(): AsyncIterable<TableChunk>
  /** Loads a dump into an empty database, all or nothing; returns the number of rows in each table. */
  load(chunks: AsyncIterable<TableChunk>): Promise<Map<string, number>>
  stats(): StoreStats
  close(): Promise<void>
}

export type ReadingStore = Pick<OperatorStore, 'read' | 'examine' | 'dump' | 'close'>

export interface KeptBackup {
  file: string
  /** The names of older ones. */
  removed: string[]
}

export interface RestoreResult {
  database: string
  from: string
  /** The new name of the replaced database; null if there was none. */
  replaced: string | null
  workspaces: number
  keys: number
}
