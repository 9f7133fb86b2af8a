import type { SqlConnection } from '../../database/connection.ts'
import { among } from '../../database/statements.ts'
import { Slices } from '../../lib/turns.ts'
import type { List } from '../definition.ts'
import { itemOf, storedRow } from '../item.ts'
import type { ReadScope } from '../query.ts'
import type { ListedRow, ListRows, Place, Walk } from '../rows.ts'
import { byteKey } from '../sort-key.ts'
import { allRows, batchesOf, type OfList, readRows } from './items.ts'

interface Found {
  id: string
  place: Place
  /** Compares as the sort key does in a database. */
  key: string
}

/**
 * Rows that were stored for another definition: their items are computed, and their places are sorted, by each read. That takes a few
 * times as long, until a command stores them for this one. Only places are kept in memory, and rows are read again.
 */
export class ReshapedRows implements ListRows {
  readonly nextShown: number
  readonly revision: number
  readonly #db: Pick<SqlConnection, 'all'>
  readonly #list: List
  readonly #ofList: OfList
  readonly #slices: Slices
  readonly #found: readonly Found[]

  private constructor(
    db: Pick<SqlConnection, 'all'>,
    list: List,
    ofList: OfList,
    { slices, found, nextShown, revision }: { slices: Slices; found: Found[]; nextShown: number; revision: number },
  ) {
    this.#db = db
    this.#list = list
    this.#ofList = ofList
    this.#slices = slices
    this.#found = found
    this.nextShown = nextShown
    this.revision = revision
  }

  static async read(db: Pick<SqlConnection, 'all'>, list: List, { workspaceId, now }: ReadScope, revision: number) {
    const ofList: OfList = [workspaceId, list.name]
    const slices = new Slices()
    let found: Found[] = []
    let nextShown = Number.POSITIVE_INFINITY
    for await (const rows of allRows(db, ofList)) {
      const next: Found[] = []
      for (const row of rows) {
        const { sortKey, shownFrom } = itemOf(list, storedRow(row))
        if (sortKey === null) continue
        if (shownFrom === null || shownFrom <= now)
          next.push({ id: row.id, place: [sortKey, row.seq], key: byteKey(sortKey) })
        else nextShown = Math.min(nextShown, shownFrom)
      }
      found.push(...next)
      await slices.pause()
    }
    found = found.sort(compareFound)
    return new ReshapedRows(db, list, ofList, { slices, found, nextShown, revision })
  }

  async *walk({ after, from, before, words = [], ids }: Walk): AsyncGenerator<ListedRow[]> {
    const start = after ?? [from ?? '', 0]
    const startKey = byteKey(start[0])
    const end = before === undefined ? undefined : byteKey(before)
    const within = this.#found.filter(
      ({ id, place, key }) =>
        (key > startKey || (key === startKey && place[1] > start[1])) &&
        (end === undefined || key < end) &&
        (ids?.includes(id) ?? true),
    )
    for (const batch of batchesOf(within)) {
      await this.#slices.pause()
      const rows = await readRows(this.#db, this.#ofList, `id ${among(batch)}`, ...batch.map(({ id }) => id))
      const items = new Map(rows.map((row) => [row.id, itemOf(this.#list, storedRow(row))]))
      yield batch.flatMap(({ id, place }) => {
        const item = items.get(id)
        const isMatch = item !== undefined && words.every((word) => item.words?.includes(word))
        return isMatch ? { place, body: item.body } : []
      })
    }
  }
}

const compareFound = (a: Found, b: Found) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.place[1] - b.place[1])
