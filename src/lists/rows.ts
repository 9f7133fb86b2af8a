import type { Row } from './column.ts'
import type { RowCondition } from './filters.ts'
import type { Moment, Place, ReadScope, ResourceBody } from './query.ts'

export interface ListedRow {
  place: Place
  /** Its JSON. */
  body: string
  /** As in an item. Only if the walk asks for them, and the source has them stored. */
  words?: string
}

export const rowIn = ({ body }: Pick<ListedRow, 'body'>): Row => JSON.parse(body) as Row

export interface Walk extends Omit<RowCondition, 'matches'> {
  after?: Place
  withWords?: boolean
}

/** The rows of a list as they are at one moment: only those that it shows. */
export interface ListRows {
  /**
   * In order, a few at a time. Has only rows that contain the words, have one of the ids, and are within the bounds. It may leave out
   * rows that lack one of the hints.
   */
  walk(walk: Walk): AsyncIterable<readonly ListedRow[]>
  /** When the list shows another row without a write, in milliseconds; Infinity if never. Past without a revision: nothing may be cached. */
  nextShown: number
  /** Moves with every write. Undefined if others write the rows. */
  revision: number | undefined
  /** Whether the last walk ended before the list did, since it had looked at enough rows. */
  readonly isCut: boolean
  /** How many rows it shows, if that is known without a walk. */
  shown?: number | undefined
  /** Undefined if it is not known what changed. */
  history?: RowHistory
}

/** In a workspace that has none, or is not available. */
export const NO_ROWS: ListRows = { async *walk() {}, nextShown: 0, revision: undefined, isCut: false }

export interface RowHistory {
  /** Changes are known after this revision, and from this time on. */
  knownFrom(): Promise<Moment>
  /** Only the rows that were written or appeared after the one moment, up to the other, and those within the bounds. */
  changed(since: Moment, until: Moment, entered?: { from: string; before: string }): Promise<ListRows>
  /** In the order of their revisions, after the given one, a few at a time. */
  traces(revision: number): AsyncIterable<readonly Trace[]>
}

/** What a row was before a write after which some question may not find it. */
export interface Trace {
  id: string
  revision: number
  /** As in an item. */
  shownFrom: number | null
  /** The fields that filters compare. */
  row: Row
}

/** Where the rows of a list are. */
export interface RowSource {
  /** All statements of a read see the same moment. */
  read<T>(scope: ReadScope, read: (rows: ListRows) => Promise<T>): Promise<T>
  /** The first rows as a response, if they can be had without reading row by row. */
  firstRows(scope: ReadScope, limit: number): Promise<ResourceBody | undefined>
}
