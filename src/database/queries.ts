import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { QueryConfig, QueryResultRow } from 'pg'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { BackgroundUpdates } from './background-updates.ts'
import type { Expiry, ListDialect } from './expiry.ts'
import type { OrderColumn, Position, Range } from './keyset.ts'
import type { Slots } from './slots.ts'
import type { Columns, HasTable, Kind } from './table.ts'

export type { Position } from './keyset.ts'

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

/** Gives a value to a statement, and returns the parameter. */
export type Bind = (value: string | number | boolean, kind: Kind) => string

/** A list with some filters. */
export interface FilteredList {
  order: readonly OrderColumn[]
  /** Finds the rows in order. */
  index: string
  conditions: readonly string[]
  /** Conditions on the order's columns, such as a window: for each range after a position. */
  inRange(range: Range, position: readonly string[]): string[]
  /** The range that has all rows, if the conditions say so much about the order's columns. */
  within?: Range
  /** Conditions that are checked row by row. One with an index can name candidates. */
  checks?: readonly { field: string; sql: string; index?: string }[]
}

export interface QuestionedList {
  table: { name: string; columns: Columns }
  /** By filter: the fields that each of its words must be found in, one or another. */
  contains: Readonly<Record<string, readonly string[]>>
  /** By name: a row is counted under the first of these fields that has a value, an instant under its local date. */
  countBy: Readonly<Record<string, readonly string[]>>
  /** By filter: the fields whose values are suggested if it matches nothing. */
  suggests: Readonly<Record<string, readonly string[]>>
  due?: string
  only?: readonly string[]
  expiry?: Expiry
  open(filters: Filters, dialect: ListDialect, bind: Bind): FilteredList
  /** Values in the order of an index, and `asked` as they are compared with it, to find those near it. */
  valuesOf(
    filter: string,
    dialect: ListDialect,
    asked: string,
  ): { value: string; asked: string; index: string; where?: readonly string[] } | undefined
}

/** What each engine can read. */
export interface Reads {
  /** Prepares a statement, in which `?` stands for a value. */
  statement<Row>(name: string, sql: string): (...values: string[]) => MaybePromise<Row[]>
  /** The first rows of a list as a response, at the least cost. All else is a question. */
  whole(list: QuestionedList, body: WholeBody): Read<object>
  pages(list: QuestionedList): Read<PageRequest, PageReading>
  counts(list: QuestionedList): Read<CountRequest, CountReading>
  suggestions(list: QuestionedList): Read<SuggestRequest, readonly string[]>
}

export type Queries<Args = never, Result = Reading> = (reads: Reads) => Read<Args, Result>

export interface ReadingQueries {
  reader<Args, Result>(queries: Queries<Args, Result>): Read<Args, Result>
}

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
  /** A connection that can write, for updates in the background. */
  usesDb: DatabaseSync
  background: Pick<BackgroundUpdates, 'request'>
}

export interface PostgresReads {
  /** For reads that may take long, so that they leave connections to the others. */
  slots: Slots
  /** Runs on a read-only session. */
  read<Row extends QueryResultRow>(statement: QueryConfig): Promise<Row[]>
  /** For updates in the background: gives the number of rows that a statement changed. */
  update(statement: QueryConfig): Promise<number>
  background: Pick<BackgroundUpdates, 'request'>
}

export interface Stored extends HasTable {
  /** All of it, as a request without arguments reads it. */
  read?(store: ReadingQueries, viewpoint: Viewpoint): Promise<unknown>
}

/** /readyz looks up this hash. No key has it, so nothing is counted or cached. */
export const NO_KEY_HASH = 'readiness'
