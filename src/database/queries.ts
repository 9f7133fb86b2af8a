import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { QueryConfig, QueryResultRow } from 'pg'
import type { BackgroundUpdates, UpdateSome } from './background-updates.ts'
import type { Slots } from './slots.ts'
import type { HasTable } from './table.ts'

export interface Viewpoint {
  workspaceId: string
  now: number
}

export interface Reading {
  /** JSON, ready to send. */
  body: Buffer
  /** When it changes though no one changes anything; Infinity if it does not. */
  until: number
}

/** The values of the order's columns, then the row's seq. Numbers may come as text. */
export type Position = readonly (string | number | null)[]

/** Checked and normalised: instants in the stored form, words and names folded by foldCase. */
type FilterValue = string | number | boolean | readonly string[]
export type Filters = Readonly<Record<string, FilterValue>>

export interface PageRequest {
  filters: Filters
  limit: number
  after?: Position
  /** In the order of the table; all if left out. */
  fields?: readonly string[]
  /** The most characters that are read of a text; all if left out. */
  maxText?: number
  /** Also count the matches (`total`), and read their `digest`. */
  withTotal?: boolean
  /** The filters were derived from the present moment: `until` also ends when the next row falls due. */
  followsDue?: boolean
}

/** The first rows of a list as a response: what stands around them, so that they are not copied again. */
export interface WholeBody {
  limit: number
  before: string
  after: string
}

export interface PageReading {
  /** JSON objects with commas between them, without brackets. */
  rows: Buffer
  /** The position of the last row, if more follow. */
  next: Position | undefined
  until: number
  /** Only if `withTotal`, like the digest. */
  total?: Total
  /** Changes whenever anything in the whole list that the filters select changes, pages that were not read included. */
  digest?: string
}

/** At most MAX_COUNTED; more match if `isMinimum`. */
export interface Total {
  count: number
  isMinimum: boolean
}

/** Counting further would stall other requests. */
export const MAX_COUNTED = 10_000

export interface CountRequest {
  filters: Filters
  /** One of the resource's `countBy`. */
  by: string
  /** The local date of a stored instant, for groups of days. */
  dateOf(instant: string): string
}

export interface CountReading {
  total: Total
  overdue: number
  /** The largest first, ties by value, at most MAX_GROUPS. */
  groups: { value: string | null; count: number; overdue: number }[]
  more: number
  until: number
}

export const MAX_GROUPS = 50

/** Up to ten existing values nearest to one that matched nothing. */
export interface SuggestRequest {
  filter: string
  value: string
}

/** Undefined if the workspace is not there. */
export type Read<Args, Result = Reading> = (viewpoint: Viewpoint, args: Args) => Promise<Result | undefined>

export interface Queries<Args = never, Result = Reading> {
  sqlite(engine: SqliteReads): Read<Args, Result>
  postgres(engine: PostgresReads): Read<Args, Result>
}

export interface ReadingQueries {
  reader<Args, Result>(queries: Queries<Args, Result>): Read<Args, Result>
}

export type PageQueries = Queries<PageRequest, PageReading>

/** One state of the database, for as long as a read takes, a slice at a time. */
export interface SlicedState {
  get(sql: string, values: SqliteRow): SqliteRow | undefined
  all(sql: string, values: SqliteRow): SqliteRow[]
  each(sql: string, values: SqliteRow): Iterable<SqliteRow>
  /** Lets other requests have a turn if the slice is over. */
  pause: () => Promise<void>
}

export type SqliteRow = Record<string, SQLInputValue>

export interface SqliteReads {
  /** Read-only. */
  db: DatabaseSync
  /** For reads that may take long. */
  sliced: { run<T>(workspaceId: string, work: (state: SlicedState) => Promise<T>): Promise<T> }
  /** For updates that change no response; `createUpdate` is given a connection that can write. */
  inBackground(createUpdate: (db: DatabaseSync) => UpdateSome): Pick<BackgroundUpdates, 'request'>
}

export interface PostgresReads {
  /** For reads that may take long, so that they leave connections to the others. */
  slots: Slots
  /** Runs on a read-only session. */
  read<Row extends QueryResultRow>(statement: QueryConfig): Promise<Row[]>
  /** For updates that change no response; `update` gives the number of rows that a statement changed. */
  inBackground(
    createUpdate: (update: (statement: QueryConfig) => Promise<number>) => UpdateSome,
  ): Pick<BackgroundUpdates, 'request'>
}

export interface Stored extends HasTable {
  /** All of it, as a request without arguments reads it. */
  read?(store: ReadingQueries, viewpoint: Viewpoint): Promise<unknown>
}

/** /readyz looks up this hash. No key has it, so nothing is counted or cached. */
export const NO_KEY_HASH = 'readiness'
