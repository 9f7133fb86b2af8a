/** What is asked of a list, and what comes back. */

export interface ReadScope {
  workspaceId: string
  now: number
  /** The rows that the key is limited to, as they are stored: see only.ts. Null for all. */
  only: string | null
}

export interface ResourceBody {
  /** JSON, ready to send. */
  body: Buffer
  /** When the body changes without a write, such as at the end of a snooze; Infinity if never. */
  until: number
  /** How many rows the list has, those beyond the body too; at most MAX_COUNTED. */
  total?: number
}

/** Where a row is in its list. No two rows have the same place. */
export type Place = readonly [sortKey: string, seq: number]

/** Checked and normalised: instants in the stored form, words and names folded by foldedWords. */
export type Filters = Readonly<Record<string, string | number | boolean | readonly string[]>>

/** What was written up to a revision, and had appeared by a time in milliseconds. */
export interface Moment {
  revision: number
  ms: number
}

export interface ChangesRequest {
  since: Moment
  /** Now if left out. */
  until?: Moment
  /** What the filters were then: some are derived from the time. */
  formerFilters: Filters
}

export interface PageRequest {
  filters: Filters
  limit: number
  after?: Place
  /** All if left out. */
  fields?: readonly string[]
  /** Also count the matches (`total`), and read their `digest`. */
  withTotal?: boolean
  /** The filters were derived from the current time: `until` also ends when the next row falls due. */
  followsDue?: boolean
  /** Only rows that changed. */
  changes?: ChangesRequest
}

export interface ListPage {
  /** JSON objects. */
  rows: readonly string[]
  positions: readonly Place[]
  /** The position after which the next page starts, perhaps beyond this page's last row; undefined on the last page. */
  next: Place | undefined
  until: number
  /** The moment of the rows, or up to which changes were read. */
  moment: Moment
  /** Only if `withTotal`, like the digest. */
  total?: Total
  /** Changes whenever a matching row is added, changed or removed, even on a page that was not read. */
  digest?: string
  /** Only if `withTotal`, and not for changes. */
  hints?: Hints
  gone?: Gone
}

/** Ids of rows that matched, and do not any more: at most MAX_GONE. There are more if `isPartial`. */
export interface Gone {
  ids: readonly string[]
  isPartial: boolean
}

export const MAX_GONE = 1000

/** Changes are reported for this long, if they are known. */
export const CHANGES_KNOWN_DAYS = 30

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
  groups: { value: string | null; count: number; overdue: number; name?: string; title?: string }[]
  more: number
  until: number
  moment: Moment
  hints: Hints
}

export const MAX_GROUPS = 50

/** What a result says besides its rows or counts. */
export interface Hints {
  suggestions: Suggestions
  /** Ids that were asked for, and that the list does not contain. */
  notFound: readonly string[]
}

/** By filter: up to ten existing values. For words, how many rows contain each. */
export type Suggestions = Readonly<Record<string, readonly string[] | Readonly<Record<string, number>>>>

/** Changes are known only from this time on, in milliseconds; undefined if from no time. */
export class ChangesUnknownError extends Error {
  readonly fromMs: number | undefined

  constructor(fromMs?: number) {
    super('what changed since then is not known')
    this.fromMs = fromMs
  }
}
