/**
 * The database port: all that the rest of the program knows of SQLite and PostgreSQL.
 *
 * WHAT. Two interfaces, each implemented once per engine. PublicStore is all that a public request can reach: it admits a key,
 * reads resources, and records use (`base-public-store.ts` has what both engines do alike). OperatorStore is for the command line
 * and the settings page: transactions, imports, copies, backups and checks. `open.ts` creates both from a DATABASE_URL. Nothing
 * here knows a resource: tables come as definitions (`table.ts`), and their queries from the resources themselves (`queries.ts`).
 *
 * HOW.
 * - Admission is one lookup by the hash of a key. It returns the key, the state of its workspace and the workspace's revision,
 *   and counts the request. SQLite caches keys as long as the file's data_version stays the same, and counts in memory that
 *   threads share (`windows.ts`); PostgreSQL combines the requests of a tick into one statement (`postgres/batcher.ts`).
 * - The revision of a workspace moves with every change of a response, by triggers, no matter who writes. Responses are cached by it.
 * - Lists are read page by page, each page as a few ranges of an index (`keyset.ts`).
 * - Uses and incidents wait in memory and are written in batches, off the request's path (`use-recorder.ts`, `record-sql.ts`).
 * - Imports are staged in temporary tables, compared without a lock, and written in one transaction (`staged-rows.ts`). On SQLite,
 *   which has one writer, large ones are written ahead in short steps while readers get a copy (`sqlite/large-change.ts`).
 * - The schema is migrations plus the tables of the definitions (`table-changes.ts`), compared object by object with what is
 *   expected (`schema-difference.ts`).
 *
 * INVARIANTS.
 * - The very next request after a commit sees it, on every thread and replica: revocation is immediate.
 * - Nothing that PublicStore writes can change a response; its reads are on connections that cannot write.
 * - Workspaces are locked before revisions, each in the order of their ids, so that no two transactions wait for each other.
 * - A change is whole or not there, also after `kill -9`: at worst a copy that nothing reads is left, which `tidy` removes.
 * - Everything that strangers can make grow is bounded: batches, queues, windows and caches, each by a named constant.
 *
 * WHAT GOES WRONG. Faults that an operator can fix become a StorageError with a message that says how (`faults.ts` of each
 * engine). A full queue or a lock that is held for too long is a StoreBusyError: nothing was done, so it can be repeated. A file
 * that was deleted or replaced under a running server is a DatabaseLost: nothing is admitted until it is back.
 *
 * Instants are milliseconds since 1970 where code computes with them, and ISO text where people read them.
 */

import type { Occupancy } from '../lib/fair-share.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Caller } from './caller.ts'
import type { DatabaseLost } from './errors.ts'
import type { ReadingQueries } from './queries.ts'
import type { Restoration, SchemaDifference } from './schema-difference.ts'
import type { Row, Table } from './table.ts'
import type { Quota, QuotaWindow, Windows } from './windows.ts'

export type { Quota, QuotaWindow } from './windows.ts'

export interface QuotaColumns {
  rate_limit: number | null
  rate_window_seconds: number | null
}

/** A key's own quota, if it has one. */
export const quotaOf = (row: QuotaColumns): Quota | null =>
  row.rate_limit !== null && row.rate_window_seconds !== null
    ? { limit: row.rate_limit, windowSeconds: row.rate_window_seconds }
    : null

export const parsePermissions = (text: string): string[] => text.split(',')

/** What one lookup by a key's hash returns. */
export interface Admission {
  keyId: string
  workspaceId: string
  permissions: ReadonlySet<string>
  quota: Quota
  window: QuotaWindow
  /** Whether the workspace exists and is not archived. */
  available: boolean
  revision: number
  /** The time of the store. Quotas and data of this request are all judged by it. */
  now: number
}

/** What may have changed of an admitted key and its workspace while the rest of the request arrived. */
export type CurrentAccess = Pick<Admission, 'permissions' | 'available' | 'revision' | 'now'>

/** Why a key was refused, or where it was sent although keys must not be sent there. */
export type IncidentKind = 'unknown' | 'revoked' | 'expired' | 'paused' | 'over_quota' | 'forbidden' | 'url' | 'browser'

/**
 * An incident with a key. A recognised key is named by its id; otherwise by its hash or, if no key has that hash, by its
 * first characters, which a damaged copy still has. Whether an unauthorized key was revoked, is paused, has expired or never existed
 * is found out later, off the request's path.
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
  /** Where SQLite counts, which does not count in the database; this thread's memory if left out. */
  windows?: Windows | undefined
  onUseFailure: (error: unknown) => void
  /** Called when the database was deleted or replaced, and with undefined when it is back. Until then nothing is admitted. */
  onDatabaseLost?: (fault: DatabaseLost | undefined) => void
  /** Called once the database is open, if its schema is not the program's; may throw. Without it nothing is compared. */
  onSchemaDifferences?: ((differences: readonly SchemaDifference[]) => void) | undefined
  /** Called on close if some records could not be written. */
  onLost?: (lost: LostRecords) => void
  /** Called on close if the one file could not be given all of the data. */
  onLeftInLog?: (message: string) => void
  /** When an update in the background failed; onUseFailure if left out. */
  onBackgroundFailure?: (error: unknown) => void
}

/** Records of use and of incidents that could not be written. */
export interface LostRecords {
  uses: number
  /** How many keys the uses belong to. */
  keys: number
  incidents: number
  /** Undefined if another process held the write lock all the time. */
  cause: unknown
}

/** How long a store waits on close to write its last records, by default. */
export const CLOSE_WAIT_MS = 3000

/** Connections to a database server, by what they are for. */
export interface PoolFigures {
  name: 'admits' | 'reads' | 'settings'
  open: Occupancy
  idle: number
  /** Statements that wait for a connection. */
  waiting: Occupancy
}

/** How full the queues of a store are, each in the number of its entries. */
export interface StoreFigures {
  queues: Readonly<Record<string, Occupancy>>
  /** None if the database is a file. */
  pools: readonly PoolFigures[]
}

export interface PublicStore extends ReadingQueries {
  /**
   * Undefined for a key that is unknown, expired, paused or revoked; such a request is not counted. Requests of the same
   * event-loop tick arrived together, and may share one check for changes.
   */
  admit(keyHash: string, defaultQuota: Quota, tick: number): MaybePromise<Admission | undefined>
  /** The same lookup without counting, and never shared with an earlier one. */
  recheck(keyHash: string): Promise<CurrentAccess | undefined>
  /** The open window of a key with this quota, without counting; undefined if none is open: all of the quota is left. */
  quotaInUse(keyId: string, quota: Quota): Promise<QuotaWindow | undefined>
  /** A workspace's timezone: null if it has none, undefined if there is no such workspace. */
  timezoneOf(workspaceId: string): Promise<string | null | undefined>
  /** Of an admitted request, once it is answered. Collected in memory, and written later, off the request's path. */
  recordUse(keyId: string, now: number, caller: Caller, refused: boolean): void
  /** The same for incidents. */
  recordIncident(report: IncidentReport, caller: Caller): void
  /** Tries all that an admitted request needs, without a real key; rejects if any of it fails. */
  ping(): Promise<void>
  /** Throws DatabaseLost if the database is lost; for requests that are answered without admission. */
  check(): void
  figures(): StoreFigures
  close(waitMs?: number): Promise<void>
}

/** Which stored rows staged ones are compared with: those of a source, all of it; or those of no source, which may stay. */
export interface StagingScope {
  workspaceId: string
  source: string | null
}

/** What writing the staged rows would do. A row is changed if any column would be. */
export interface Difference {
  /** Of the workspace that was compared. */
  revision: number
  created: number
  changed: number
  /** Rows to be deleted: those that were staged as such, and those of the source that were not staged. */
  gone: number
  unchanged: number
  /** Rows whose id was staged again later, and some of their ids; the last counts, at the place of the first. */
  repeated: { count: number; ids: string[] }
  /** Rows whose id belongs to another source, or to none; nothing may be written while there are any. */
  foreign: { count: number; rows: { id: string; source: string | null }[] }
}

/** Rows of a resource wait outside its table, taking no lock, until the transaction that writes them all. */
export interface Staging {
  /** A row with `deleted` is to be deleted. */
  add(row: Row): void
  /** Moves what was added out of this program's memory: now and then, and once before it is compared. */
  flush(): Promise<void>
  /** Until the rows are discarded, no other process gets the same name; it ends with the process. False if another has it. */
  lock(name: string): Promise<boolean>
  /**
   * Most of the work, and done without a lock if there is no transaction. Within one it is repeated only if the workspace was
   * changed since, and no one can change it before the transaction ends.
   */
  compare(scope: StagingScope, tx?: SqlConnection): Promise<Difference>
  /**
   * Before the transaction, and after the last comparison without one: writes ahead, unseen and in short steps, what would
   * keep others from writing for long. The transaction then makes it visible; without it, it is undone.
   */
  writeAhead(scope: StagingScope, now: string): Promise<void>
  /** False if the rows were changed since they were compared, and to compare them again here would keep others from writing. */
  isCurrent(scope: StagingScope, tx: SqlConnection): Promise<boolean>
  /**
   * Writes what was compared in this transaction. New rows take their places by their moments of creation, those without one
   * last, in the order of staging; a row that was there keeps its place and, unless it is given another, its moment.
   */
  apply(tx: SqlConnection, now: string): Promise<void>
  discard(): Promise<void>
}

export type SqlValue = string | number | null

/** What both engines' connections have in common. Parameters are written as `?`. */
export interface SqlConnection {
  /** Follows a text column in SQL that is to be sorted by its bytes, the same on both engines. */
  readonly byBytes: string
  all<Row>(sql: string, ...params: SqlValue[]): Promise<Row[]>
  /** The same a page at a time, so that a large result does not fill the memory. One at a time. */
  pages<Row>(sql: string, ...params: SqlValue[]): AsyncGenerator<Row[]>
  /** Returns the number of rows that it changed. */
  run(sql: string, ...params: SqlValue[]): Promise<number>
}

/** Runs statements that both engines understand, all of them or none. Each subject has its own, in its `records.ts`. */
export interface Transaction extends SqlConnection {
  /** The time of the store when the transaction began: one time for all replicas, however their clocks differ. */
  readonly nowMs: number
  /**
   * Of the transactions that lock one name, one runs at a time, on all replicas; what it reads after this is what those
   * before it left. To be called before anything else, so that no two wait for each other.
   */
  lock(name: string): Promise<void>
  /** The workspace_id under which a workspace's rows of a table are read: its own, or that of a copy while they are changed in steps. */
  rowsOf(table: string, workspaceId: string): Promise<string>
}

/** Someone who is signed in. Only the hash of the session's secret is stored. */
export interface SessionRecord {
  hash: string
  email: string
  startedAt: string
  seenAt: string
  /** The only workspace that it reaches; null if it reaches all of the person's. */
  workspaceId: string | null
  /**
   * Who created the link that opened it, then those through whose links they were signed in themselves, separated by
   * spaces; null unless a member created it.
   */
  linkBy: string | null
}

/** A session's columns under the names of its record. */
export const SESSION_COLUMNS =
  'hash, email, started_at AS "startedAt", seen_at AS "seenAt", workspace_id AS "workspaceId", link_by AS "linkBy"'

export interface HealthFinding {
  check: string
  ok: boolean
  /** Whether it is fine now, and will not stay so. */
  isWarning?: boolean
  detail: string
  /** What to do about it. */
  hint?: string
}

/** Some rows of one table: columns by name, instants in the one form. */
export interface TableChunk {
  table: string
  rows: Row[]
}

export interface OperatorStore {
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /**
   * The same without changes: it sees one state of the data, and neither waits for writers nor delays them. Skipped if the
   * client `isGone` before it starts.
   */
  read<T>(work: (tx: Transaction) => Promise<T>, isGone?: () => boolean): Promise<T>
  /** The session of a hash, if there is one, and the time of the store. Cheap also for hashes that do not exist. */
  findSession(hash: string): Promise<{ session: SessionRecord; nowMs: number } | undefined>
  stage(table: Table): Staging
  /** Deletes rows that nothing can read any more, in short steps: all of them, or those of one deleted workspace. */
  tidy(workspaceId?: string): Promise<void>
  backup(file: string): Promise<void>
  examine(): Promise<HealthFinding[]>
  /** Creates again what the database lacks of the program's schema, as far as that is possible. */
  restoreSchema(): Promise<Restoration>
  /** The rows of all tables that are copied, as they stood at one moment; on request also rows of workspaces that do not exist. */
  dump(options?: { withOrphans: boolean }): AsyncIterable<TableChunk>
  /** Loads a dump, all or nothing, into an empty database; returns how many rows each table has then. */
  load(chunks: AsyncIterable<TableChunk>): Promise<Map<string, number>>
  figures(): StoreFigures
  close(): Promise<void>
}

/** For commands that change nothing. */
export type ReadingStore = Pick<OperatorStore, 'read' | 'backup' | 'examine' | 'dump' | 'close'>

/** What a restore did. */
export interface Restored {
  database: string
  from: string
  /** The new name of the replaced database; null if there was none. */
  replaced: string | null
  workspaces: number
  keys: number
}
