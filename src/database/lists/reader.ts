import type { HasTable, Kind, Table } from '../table.ts'
import type { ListDialect } from './dialect.ts'
import type { OrderColumn, Position, Range } from './keyset.ts'

export type { Position } from './keyset.ts'

export interface ReadScope {
  workspaceId: string
  now: number
}

export interface ResourceBody {
  /** JSON, ready to send. */
  body: Buffer
  /** When the body changes without a write, such as at the end of a snooze; Infinity if never. */
  until: number
}

/** Checked and normalised: instants in the stored form, words and names folded by foldCase. */
export type Filters = Readonly<Record<string, string | number | boolean | readonly string[]>>

export interface PageRequest {
  filters: Filters
  limit: number
  after?: Position
  /** All if left out. */
  fields?: readonly string[]
  /** The most characters that are read of a text; all if left out. */
  maxText?: number
  /** Also count the matches (`total`), and read their `digest`. */
  withTotal?: boolean
  /** The filters were derived from the current time: `until` also ends when the next row falls due. */
  followsDue?: boolean
}

export interface ListPage {
  /** JSON objects. */
  rows: readonly string[]
  positions: readonly Position[]
  /** The position after which the next page starts, perhaps beyond this page's last row; undefined on the last page. */
  next: Position | undefined
  until: number
  /** Only if `withTotal`, like the digest. */
  total?: Total
  /** Changes whenever a matching row is added, changed or removed, even on a page that was not read. */
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

export interface ListCounts {
  total: Total
  overdue: number
  /** The largest first, ties by value, at most MAX_GROUPS. */
  groups: { value: string | null; count: number; overdue: number }[]
  more: number
  until: number
}

export const MAX_GROUPS = 50

/** Binds a value and returns its placeholder. */
export type Bind = (value: string | number | boolean, kind: Kind) => string

export interface FilteredList {
  order: readonly OrderColumn[]
  /** Finds the rows in order. */
  index: string
  conditions: readonly string[]
  /** Conditions on the order's columns, such as bounds: for each range after a position. */
  inRange(range: Range, position: readonly string[]): string[]
  /** The only range with matching rows, if the conditions imply one. */
  within?: Range
  /** Conditions that are checked row by row. One with an index can name candidates. */
  checks: readonly { field: string; sql: string; index?: string }[]
  contains: readonly WordFilter[]
}

/** Each word must occur in at least one of the fields. */
export interface WordFilter {
  fields: readonly string[]
  words: readonly string[]
}

export interface QueryableList {
  table: Table
  /** For each filter, the fields that it searches. */
  contains: Readonly<Record<string, readonly string[]>>
  /** By name: a row is counted under the first of these fields that has a value, an instant under its local date. */
  countBy: Readonly<Record<string, readonly string[]>>
  /** For each filter, the fields whose values are suggested if it matches nothing. */
  suggests: Readonly<Record<string, readonly string[]>>
  due?: string
  compileFilters(filters: Filters, dialect: ListDialect, bind: Bind): FilteredList
  /** For a filter in `suggests`: SQL for the indexed column, and for the parameter, normalised like that column. */
  suggestionSql(
    filter: string,
    dialect: ListDialect,
    parameter: string,
  ): { column: string; value: string; index: string; where?: readonly string[] }
}

/** Reads one list. A workspace that does not exist has no rows. */
export interface ListReader {
  /** Reads the first rows as a complete response body, as cheaply as possible. */
  firstRows(scope: ReadScope): Promise<ResourceBody>
  /** Throws InvalidPositionError for an invalid `after`. */
  page(scope: ReadScope, request: PageRequest): Promise<ListPage>
  counts(scope: ReadScope, request: CountRequest): Promise<ListCounts>
  /** Up to ten existing values nearest to one that matched nothing. */
  suggest(scope: ReadScope, filter: string, value: string): Promise<readonly string[]>
}

export interface PublicReads {
  reader(list: QueryableList): ListReader
  /** In the statement, `?` stands for a value. */
  rows<Row>(name: string, sql: string, ...values: (string | number)[]): Promise<Row[]>
}

export interface StoredResource extends HasTable {
  /** All of it, as a request without arguments reads it. */
  read(store: PublicReads, scope: ReadScope): Promise<unknown>
}

/** /readyz looks up this hash. No key has it, so nothing is counted or cached. */
export const NO_KEY_HASH = 'readiness'
