import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { RecentlyUsed } from '../../lib/recently-used.ts'
import { type Expiry, MANY_UNMARKED } from '../expiry.ts'
import { type OrderColumn, type Range, rangesAfter } from '../keyset.ts'
import type { PageReading, PageRequest, Position, Read, SqliteReads, SqliteRow } from '../queries.ts'
import { markExpired, stateIn, stateSql } from './expiry.ts'
import { copyOf, FrozenRows, inCopy, inTable } from './frozen.ts'
import { rangeValues } from './list.ts'

/** One per combination of limit, filters, fields and kind of range. Each takes kilobytes; at most twice as many are cached. */
const STATEMENTS_CACHED = 64

export interface ListSql {
  /** Unique within a reader. */
  key: string
  /** Selects rows in order, as one column `_object`. */
  rows(range: Range, limit: string): string
  /** Selects positions, in the order of their columns. */
  positions(range: Range, limit: string): string
}

interface RangesToRead extends Pick<PageRequest, 'limit' | 'findNext' | 'around'> {
  list: ListSql
  ranges: readonly Range[]
  valuesOf(range: Range): Record<string, SQLInputValue>
}

/** The sum prevents SQLite from preparing the statement again for each value. */
const LIMIT = 'LIMIT :limit + 0'
const LIMIT_AND_OFFSET = `${LIMIT} OFFSET :skipped + 0`
/** SQLite is a third slower if the limit is a parameter. Later ranges can have any number of rows left to read. */
const knownLimit = (limit: number) => `LIMIT ${limit}`

/** Read as bytes, because converting to a string and back would take longer than the read. */
const BYTES = `CAST(concat(:before, group_concat(_object, ','), :after) AS BLOB) AS json`
const COUNTED = `${BYTES}, count(*) AS count`

export interface PagedList {
  table: string
  expiry?: Expiry
  /** `sql` is given whether unmarked rows have to be sorted in. */
  open(page: PageRequest): { order: readonly OrderColumn[]; values: SqliteRow; sql(isMerged: boolean): ListSql }
}

export function pageReader(list: PagedList, { db, inBackground }: SqliteReads): Read<PageRequest, PageReading> {
  const { expiry } = list
  const reader = new PageReader(db, list.table)
  const marks = expiry && { updates: inBackground(markExpired(expiry)), findState: db.prepare(stateSql(expiry)) }
  const read = (workspace: string, now: number, page: PageRequest): PageReading => {
    const at = marks === undefined ? { workspace } : { workspace, now: new Date(now).toISOString() }
    const state = marks && stateIn(marks.findState.get(at))
    const { until = Number.POSITIVE_INFINITY, unmarked = 0 } = state ?? {}
    if (unmarked > MANY_UNMARKED) marks?.updates.request(workspace, now)
    const { limit, findNext, after, around } = page
    const { order, values, sql } = list.open(page)
    const toRead = {
      list: sql(unmarked > 0),
      ranges: rangesAfter(order, after),
      valuesOf: (range: Range) => ({ ...at, ...values, ...rangeValues(range, after) }),
    }
    return { ...reader.read({ ...toRead, limit, findNext, ...(around && { around }) }), until }
  }
  // One state, so that the response and its `until` agree.
  return async ({ workspaceId, now }, page) => reader.inOneState(workspaceId, page, (id, of) => read(id, now, of))
}

class PageReader {
  readonly #db: DatabaseSync
  readonly #frozen: FrozenRows
  readonly #begin: StatementSync
  readonly #end: StatementSync
  readonly #statements = new RecentlyUsed<StatementSync>(STATEMENTS_CACHED)

  constructor(db: DatabaseSync, table: string) {
    this.#db = db
    this.#frozen = new FrozenRows(db, table)
    this.#begin = db.prepare('BEGIN')
    this.#end = db.prepare('COMMIT')
  }

  /** Reads a consistent snapshot. `read` receives the workspace id of the rows or of their copy. */
  inOneState(
    workspaceId: string,
    page: PageRequest,
    read: (workspaceId: string, page: PageRequest) => PageReading,
  ): PageReading {
    this.#begin.run()
    try {
      if (!this.#frozen.has(workspaceId)) return read(workspaceId, page)
      const { after } = page
      const reading = read(copyOf(workspaceId), after === undefined ? page : { ...page, after: inCopy(after) })
      return { ...reading, next: reading.next && inTable(reading.next) }
    } finally {
      this.#end.run()
    }
  }

  read({ list, ranges, valuesOf, limit, findNext, around }: RangesToRead): Pick<PageReading, 'rows' | 'next'> {
    const parts: Buffer[] = []
    let left = limit
    const [before, after] = around ?? ['', '']
    const positions = (range: Range, skipped: number, atMost: number) =>
      this.#positions(list, range, { ...valuesOf(range), skipped, limit: atMost })
    for (const [i, range] of ranges.entries()) {
      const values = { ...valuesOf(range), before, after }
      // The last range is counted only to find the next position.
      const columns = findNext || i < ranges.length - 1 ? COUNTED : BYTES
      const { json, count = 0 } =
        i === 0
          ? this.#rows(list, range, columns, knownLimit(limit), values)
          : this.#rows(list, range, columns, LIMIT, { ...values, limit: left })
      if (json.byteLength > 0) parts.push(Buffer.from(json.buffer, json.byteOffset, json.byteLength))
      left -= count
      if (left > 0) continue
      const next = findNext ? nextPosition(positions, ranges.slice(i), count) : undefined
      return { rows: joined(parts), next }
    }
    return { rows: joined(parts), next: undefined }
  }

  #rows(list: ListSql, range: Range, columns: string, limit: string, values: Record<string, SQLInputValue>) {
    const key = `${list.key} ${range} ${limit} ${columns === COUNTED}`
    const statement = this.#prepared(key, () => `SELECT ${columns} FROM (${list.rows(range, limit)})`)
    return statement.get(values) as unknown as { json: Uint8Array; count?: number }
  }

  #positions(list: ListSql, range: Range, values: Record<string, SQLInputValue>): Position[] {
    const key = `${list.key} positions ${range}`
    const statement = this.#prepared(key, () => list.positions(range, LIMIT_AND_OFFSET))
    return statement.all(values).map((row) => Object.values(row) as (string | null)[])
  }

  #prepared(key: string, sql: () => string): StatementSync {
    return this.#statements.getOrCreate(key, () => this.#db.prepare(sql()))
  }
}

/** The position of the last of `count` rows of a range, if any row follows there or in the ranges after it. */
function nextPosition(
  positions: (range: Range, skipped: number, atMost: number) => Position[],
  [range = [], ...later]: readonly Range[],
  count: number,
): Position | undefined {
  const [last, following] = positions(range, count - 1, 2)
  const isMore = following !== undefined || later.some((other) => positions(other, 0, 1).length > 0)
  return isMore ? last : undefined
}

const COMMA = Buffer.from(',')

function joined(parts: Buffer[]): Buffer {
  const [first = Buffer.alloc(0), ...others] = parts
  return others.length === 0 ? first : Buffer.concat([first, ...others.flatMap((part) => [COMMA, part])])
}
