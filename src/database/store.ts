/**
 * The port: the few questions that the rooms above ask of storage. PublicStore is all that a public request can reach,
 * and nothing it writes can change an answer; OperatorStore is for the command line and the settings page.
 *
 * Instants are milliseconds since 1970 where code computes with them, and ISO text where people read them.
 */

import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Caller } from './caller.ts'
import type { TableChunk } from './copied-tables.ts'
import type { DatabaseLost } from './errors.ts'
import type { Queries, Read } from './queries.ts'
import type { SqlConnection } from './sql-connection.ts'
import type { Row, Table } from './table.ts'

export interface Quota {
  limit: number
  windowSeconds: number
}

/** The state of a key's window once this request has been counted. */
export interface QuotaWindow {
  used: number
  resetsAt: number
}

/** Counts requests. Of those that are counted at once, no two get the same place. */
export interface Windows {
  count(id: string, quota: Quota, now: number): QuotaWindow
}

/** What one look by a key's hash tells. */
export interface Admission {
  keyId: string
  workspaceId: string
  permissions: ReadonlySet<string>
  quota: Quota
  window: QuotaWindow
  /** Whether the workspace exists and is not archived. */
  available: boolean
  revision: number
  /** The time of the store: every judgement on this request, of quotas and of data alike, is made by it. */
  now: number
}

/** What may have changed of an admitted key and its workspace while the rest of the request came in. */
export type CurrentAccess = Pick<Admission, 'permissions' | 'available' | 'revision' | 'now'>

/** Why a key was refused, or where it was seen although keys must not be there. */
export type IncidentKind = 'unknown' | 'revoked' | 'expired' | 'over_quota' | 'forbidden' | 'url' | 'browser'

/**
 * Something amiss with a key, which is named by its id if it was recognised. Otherwise by its hash, or if no key has
 * that, by its first characters: a damaged copy of a key still begins like it. Of an unauthorized one it is not known
 * on the request's path whether it was revoked, has expired, or never was.
 */
export interface IncidentReport {
  kind: IncidentKind | 'unauthorized'
  keyId?: string
  hash?: string
  prefix?: string
}

export interface PublicStoreOptions {
  /** Instead of the store's own time. */
  clock?: () => number
  /** Where an engine that does not count in the database counts; in this thread's own memory if left out. */
  windows?: Windows | undefined
  onUseFailure: (error: unknown) => void
  /** When the database under the server is gone or another, and (undefined) when it is back; until then nothing is admitted. */
  onDatabaseLost?: (fault: DatabaseLost | undefined) => void
  /** When the store is closed and what it remembers could not be written. */
  onLost?: (lost: LostRecords) => void
  /** When the store is closed and its one file could not be given all of the data. */
  onLeftInLog?: (message: string) => void
  /** When an update in the background failed; left out, it is told to onUseFailure. */
  onBackgroundFailure?: (error: unknown) => void
}

/** Records of use, and of what was refused or seen amiss, that nobody will find written down. */
export interface LostRecords {
  uses: number
  /** How many keys the uses were of. */
  keys: number
  incidents: number
  /** Undefined if another held the write lock all the time. */
  cause: unknown
}

/** How long a store that is closed waits to write what it remembers, unless told. */
export const CLOSE_WAIT_MS = 3000

export interface PublicStore {
  /**
   * Undefined for a key that is unknown, expired or revoked; such a request is not counted. Requests of the same
   * event-loop tick arrived together, and may share one look at what has changed.
   */
  admit(keyHash: string, defaultQuota: Quota, tick: number): MaybePromise<Admission | undefined>
  /** The same look without counting, and never shared with an earlier one. */
  recheck(keyHash: string): Promise<CurrentAccess | undefined>
  /** The same for the same queries: they are prepared once. */
  reader<Args>(queries: Queries<Args>): Read<Args>
  /** Remembered now, written later, off the request's path. */
  recordUse(keyId: string, now: number, caller: Caller): void
  /** The same for what was refused or seen amiss. */
  recordIncident(report: IncidentReport, caller: Caller): void
  /** Writes what is remembered now rather than later. */
  flushUses(): Promise<void>
  /** Tries all that an admitted request needs, for no key in particular; rejects if any of it fails. */
  ping(): Promise<void>
  /** Throws DatabaseLost if that is what happened; for what is answered without being admitted. */
  check(): void
  close(waitMs?: number): Promise<void>
}

/** Rows of a resource wait outside its table, taking no lock, until the transaction that takes them all. */
export interface Staging {
  add(row: Row): void
  /** Moves what was added out of this program's memory: now and then, and once before a transaction takes it. */
  flush(): Promise<void>
  /** For Transaction.takeStaged, on that transaction's connection. */
  take(connection: SqlConnection, workspaceId: string, now: string): Promise<{ created: number; replaced: number }>
  discard(): Promise<void>
}

/** Statements that both engines understand, all of them done or none. Each subject has its own: see `records.ts` there. */
export interface Transaction extends SqlConnection {
  /** The time of the store when the transaction began. It is the same for all replicas, however their clocks differ. */
  readonly nowMs: number

  /** Upserts by id in the order of staging; a row that was there keeps its place and, unless told, its createdAt. */
  takeStaged(workspaceId: string, staging: Staging, now: string): Promise<{ created: number; replaced: number }>
}

/** Someone who is signed in. The database knows the session's secret by its hash only. */
export interface SessionRecord {
  hash: string
  email: string
  startedAt: string
  seenAt: string
}

export interface HealthFinding {
  check: string
  ok: boolean
  detail: string
}

export interface OperatorStore {
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /**
   * The same without changes: it sees one state of the data, and neither waits for writers nor holds them up. Not done at
   * all if its asker `isGone` by the time its turn comes.
   */
  read<T>(work: (tx: Transaction) => Promise<T>, isGone?: () => boolean): Promise<T>
  /** The session of a hash, if there is one, and the time of the store: a look that is cheap also for what is not there. */
  findSession(hash: string): Promise<{ session: SessionRecord; nowMs: number } | undefined>
  stage(table: Table): Staging
  backup(file: string): Promise<void>
  examine(): Promise<HealthFinding[]>
  /** The rows of all tables that are copied, as they stood at one moment. */
  dump(): AsyncIterable<TableChunk>
  /** Takes a dump, all or nothing, into a database that must be empty; gives the rows that each table has then. */
  load(chunks: AsyncIterable<TableChunk>): Promise<Map<string, number>>
  close(): Promise<void>
}

/** What a command works with that changes nothing. */
export type ReadingStore = Pick<OperatorStore, 'read' | 'backup' | 'examine' | 'dump' | 'close'>

/** What a restore did. */
export interface Restored {
  database: string
  from: string
  /** Where the replaced database is kept; null if there was none. */
  replaced: string | null
  workspaces: number
  keys: number
}
