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

export const quotaOf = (row: QuotaColumns): Quota | null =>
  row.rate_limit !== null && row.rate_window_seconds !== null
    ? { limit: row.rate_limit, windowSeconds: row.rate_window_seconds }
    : null

export const parsePermissions = (text: string): string[] => text.split(',')

export interface Admission {
  keyId: string
  workspaceId: string
  permissions: ReadonlySet<string>
  quota: Quota
  window: QuotaWindow
  /** Whether the workspace exists and is not archived. */
  available: boolean
  revision: number
  /** The store's time, by which the whole request is judged. */
  now: number
}

/** Looked up again once the rest of a request has arrived. */
export type CurrentAccess = Pick<Admission, 'permissions' | 'available' | 'revision' | 'now'>

/** Why a key was refused, or where it was sent although keys must not be sent there. */
export type IncidentKind = 'unknown' | 'revoked' | 'expired' | 'paused' | 'over_quota' | 'forbidden' | 'url' | 'browser'

/**
 * A recognised key is named by its id, any other by its hash or by its first characters, which a damaged copy still
 * has. Why a key is unauthorized is found out later, off the request's path.
 */
export interface IncidentReport {
  kind: IncidentKind | 'unauthorized'
  keyId?: string
  hash?: string
  prefix?: string
}

export interface PublicStoreOptions {
  clock?: () => number
  /** SQLite counts here, by default in this thread's memory; PostgreSQL counts in the database. */
  windows?: Windows | undefined
  onUseFailure: (error: unknown) => void
  /** Called when the database is lost, and with undefined when it is back. Until then nothing is admitted. */
  onDatabaseLost?: (fault: DatabaseLost | undefined) => void
  /** Called if the schema is not the program's; may throw. Without it nothing is compared. */
  onSchemaDifferences?: ((differences: readonly SchemaDifference[]) => void) | undefined
  onLost?: (lost: LostRecords) => void
  /** Called on close if the database file does not hold all of the data. */
  onLeftInLog?: (message: string) => void
  /** Defaults to onUseFailure. */
  onBackgroundFailure?: (error: unknown) => void
}

export interface LostRecords {
  uses: number
  keys: number
  incidents: number
  /** Undefined if another process held the write lock all the time. */
  cause: unknown
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

export interface PublicStore extends ReadingQueries {
  /** Undefined, and not counted, unless the key works. Requests of the same tick may share one check for changes. */
  admit(keyHash: string, defaultQuota: Quota, tick: number): MaybePromise<Admission | undefined>
  /** Looks up without counting, and never shares an earlier lookup. */
  recheck(keyHash: string): Promise<CurrentAccess | undefined>
  /** Undefined if no window is open: all of the quota is left. */
  quotaInUse(keyId: string, quota: Quota): Promise<QuotaWindow | undefined>
  /** Null if the workspace has none, undefined if there is no such workspace. */
  timezoneOf(workspaceId: string): Promise<string | null | undefined>
  /** Collected in memory and written later, off the request's path. */
  recordUse(keyId: string, now: number, caller: Caller, refused: boolean): void
  recordIncident(report: IncidentReport, caller: Caller): void
  /** Tries everything that an admitted request needs, without a real key; rejects if any of it fails. */
  ping(): Promise<void>
  /** Throws DatabaseLost if the database is lost, for requests that need no admission. */
  check(): void
  stats(): StoreStats
  close(waitMs?: number): Promise<void>
}

/** The stored rows to compare with. Rows of a source that were not staged are gone; rows of no source stay. */
export interface StagingScope {
  workspaceId: string
  source: string | null
}

export interface Difference {
  revision: number
  created: number
  changed: number
  /** Rows that were staged to be deleted, and those of the source that were not staged. */
  gone: number
  unchanged: number
  /** Rows whose id was staged again, with some of the ids; the last row counts, in the place of the first. */
  repeated: { count: number; ids: string[] }
  /** Rows whose id belongs to another source, or to none; nothing is written while there are any. */
  foreign: { count: number; rows: { id: string; source: string | null }[] }
}

/** Rows wait outside their table, without a lock, until the transaction that writes them all. */
export interface Staging {
  /** A row with `deleted` is to be deleted. */
  add(row: Row): void
  /** Moves added rows out of this program's memory. */
  flush(): Promise<void>
  /** Held until the rows are discarded or the process ends. False if another process has it. */
  lock(name: string): Promise<boolean>
  /** Takes no lock without a transaction; within one, locks the workspace and compares again only if it changed. */
  compare(scope: StagingScope, tx?: SqlConnection): Promise<Difference>
  /** Writes a large change ahead, in short unseen steps. `apply` makes it visible, and `discard` undoes it. */
  writeAhead(scope: StagingScope, now: string): Promise<void>
  /** False if the rows have changed, and comparing them again here would keep others from writing. */
  isCurrent(scope: StagingScope, tx: SqlConnection): Promise<boolean>
  /** Places new rows by creation, those without a moment last. A row that was there keeps its place and moment. */
  apply(tx: SqlConnection, now: string): Promise<void>
  discard(): Promise<void>
}

export type SqlValue = string | number | null

/** Parameters are written as `?`. */
export interface SqlConnection {
  /** Follows a text column in SQL, to sort it by its bytes on both engines. */
  readonly byBytes: string
  all<Row>(sql: string, ...params: SqlValue[]): Promise<Row[]>
  /** Reads page by page, so that a large result does not fill the memory. One at a time. */
  pages<Row>(sql: string, ...params: SqlValue[]): AsyncGenerator<Row[]>
  /** Returns the number of rows changed. */
  run(sql: string, ...params: SqlValue[]): Promise<number>
}

/** Runs statements that are valid on both engines. Each subject has its own, in its `records.ts`. */
export interface Transaction extends SqlConnection {
  /** The store's time at the beginning, the same for all replicas however their clocks differ. */
  readonly nowMs: number
  /** Lets one transaction with this name run at a time, on all replicas. It must come first, to avoid deadlocks. */
  lock(name: string): Promise<void>
  /** The workspace_id to read rows by: the workspace's own, or its copy's while they are changed in steps. */
  rowsOf(table: string, workspaceId: string): Promise<string>
}

/** Only the hash of a session's secret is stored. */
export interface SessionRecord {
  hash: string
  email: string
  startedAt: string
  seenAt: string
  /** The only workspace that the session reaches; null if it reaches all of the person's. */
  workspaceId: string | null
  /** The member whose link opened it, then those through whose links that one signed in, separated by spaces. */
  linkBy: string | null
}

export const SESSION_COLUMNS =
  'hash, email, started_at AS "startedAt", seen_at AS "seenAt", workspace_id AS "workspaceId", link_by AS "linkBy"'

export interface HealthFinding {
  check: string
  ok: boolean
  /** It is fine now, but will not stay so. */
  isWarning?: boolean
  detail: string
  hint?: string
}

export interface TableChunk {
  table: string
  rows: Row[]
}

export interface OperatorStore {
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** Sees one state of the data, and neither waits for writers nor delays them. Skipped if the client `isGone`. */
  read<T>(work: (tx: Transaction) => Promise<T>, isGone?: () => boolean): Promise<T>
  /** Cheap also for hashes that do not exist, which anyone can send. */
  findSession(hash: string): Promise<{ session: SessionRecord; nowMs: number } | undefined>
  stage(table: Table): Staging
  /** Deletes rows that nothing can read any more, in short steps: all, or those of one deleted workspace. */
  tidy(workspaceId?: string): Promise<void>
  backup(file: string): Promise<void>
  examine(): Promise<HealthFinding[]>
  /** Creates again what the database lacks of the program's schema, as far as possible. */
  restoreSchema(): Promise<Restoration>
  /** Reads one state of the data. Orphans are rows of workspaces that do not exist. */
  dump(options?: { withOrphans: boolean }): AsyncIterable<TableChunk>
  /** Loads a dump into an empty database, all or nothing; returns the number of rows in each table. */
  load(chunks: AsyncIterable<TableChunk>): Promise<Map<string, number>>
  stats(): StoreStats
  close(): Promise<void>
}

export type ReadingStore = Pick<OperatorStore, 'read' | 'backup' | 'examine' | 'dump' | 'close'>

export interface Restored {
  database: string
  from: string
  /** The new name of the replaced database; null if there was none. */
  replaced: string | null
  workspaces: number
  keys: number
}
