/**
 * src/lists is what a list is, whatever holds its rows: what it contains, in which order, and how questions about it are answered.
 *
 *   definition.ts    a list, built in or declared: fields, order, filters, what can be searched, counted and suggested
 *   filters.ts       what each argument demands of a row; current.ts decides which rows the list contains, and from when
 *   item.ts          what a row becomes when it is written: its JSON, its searched texts, and its place, by a sort key (sort-key.ts)
 *   rows.ts          where rows come from: stored/ reads and writes those in the database
 *                    (write.ts), in bulk for imports and syncs (staged-items.ts, comparison.ts), and shows them to operators
 *                    (operator-rows.ts); in-place/ reads tables of applications
 *   only.ts          leaves out the rows that a key may not see, before anything else is read
 *   matches.ts       walks through the rows that fulfil a condition; page.ts, counts.ts and suggestions.ts make responses of them,
 *                    and say when those change without a write
 *   changes.ts       which rows changed since a moment, and which are gone; stored/history.ts and stored/traces.ts find them
 *
 * HOW IT WORKS. All work is done when a row is written: `sort_key` is the order of its list as one text, so the database sorts and pages by
 * one column, whatever the fields are. Rows that the list never shows have none; `shown_from` is when another appears, such as at the end
 * of a snooze. The rows that have one are counted then, too. The first page is the texts of the first rows, joined. Every other question is a
 * walk through the rows in order, in TypeScript. The database may skip rows: it compares words with the row's searched texts, and parts of
 * its JSON.
 *
 * INVARIANTS.
 * - All statements of a question see the same moment, and so does its digest.
 * - A moment is a revision and a time. Writers of one workspace take turns, so a read that sees a revision sees all earlier ones, and
 *   nothing becomes visible later that belongs before it.
 * - A page begins after a place, not after a number of rows. A row that does not change is on exactly one page, whatever is written
 *   meanwhile, and every page costs the same.
 * - The database compares texts by their bytes, on both engines, and it decides nothing that TypeScript would decide otherwise.
 * - A new list or field changes no table. Rows that were stored for another definition are read through the new one
 *   (stored/reshaped-rows.ts), until a command stores them for it (stored/reshape.ts).
 * - A key that is limited to some rows gets what it would get if there were no others. A limit that cannot be understood shows none.
 * - A walk is read in slices of a few milliseconds. Other requests are served in between, and few walks run at once.
 *
 * FAILURES. A forged place starts a page elsewhere in the same list, and no more. An unknown filter is an error, never ignored.
 */

import { readCounts } from './counts.ts'
import type { List } from './definition.ts'
import { collect } from './matches.ts'
import { limitedSource } from './only.ts'
import { readPage } from './page.ts'
import type { CountRequest, ListCounts, ListPage, PageRequest, ReadScope } from './query.ts'
import { MAX_COUNTED, type ResourceBody } from './query.ts'
import { NO_ROWS, type RowSource } from './rows.ts'

/** Reads one list of any workspace. One that does not exist has no rows. */
export class ListReader {
  readonly #list: List
  readonly #source: RowSource

  constructor(list: List, source: RowSource) {
    this.#list = list
    this.#source = limitedSource(list, source)
  }

  /** Reads the first rows as a complete response body, as cheaply as possible. */
  async firstRows(scope: ReadScope): Promise<ResourceBody> {
    const { name, limit } = this.#list
    const found = await this.#source.firstRows(scope, limit)
    if (found !== undefined) return found
    return this.#source.read(scope, async (rows) => {
      const { first, count } = await collect(rows, {}, { kept: limit, most: MAX_COUNTED })
      const body = Buffer.from(`{"${name}":[${first.map((row) => row.body)}]}`)
      return { body, until: rows.nextShown, total: count }
    })
  }

  /** Throws ChangesUnknownError for changes since too long ago. */
  page(scope: ReadScope, request: PageRequest): Promise<ListPage> {
    // Later pages of changes have only the rows that had appeared by the first.
    const now = Math.min(scope.now, request.changes?.until?.ms ?? scope.now)
    return this.#source.read({ ...scope, now }, (rows) => readPage(this.#list, rows, scope, request))
  }

  counts(scope: ReadScope, request: CountRequest): Promise<ListCounts> {
    return this.#source.read(scope, (rows) => readCounts(this.#list, rows, scope.now, request))
  }
}

/** For a workspace that is not available. */
export const emptyReader = (list: List) =>
  new ListReader(list, { read: (_, read) => read(NO_ROWS), firstRows: async () => undefined })
