import type { RawRow } from '../../database/in-place/table-database.ts'
import { Slices } from '../../lib/turns.ts'
import type { List } from '../definition.ts'
import { itemOf } from '../item.ts'
import { MAX_COUNTED } from '../query.ts'
import type { ListedRow, ListRows, Walk } from '../rows.ts'
import { byteKey } from '../sort-key.ts'
import type { ReadTableRow } from './binding.ts'
import { SourceUnavailable } from './unavailable.ts'

type Batches = Iterable<readonly RawRow[]> | AsyncIterable<readonly RawRow[]>

export const NO_ROWS: ListRows = { async *walk() {}, nextShown: 0, revision: undefined, isCut: false }

/** Only the first MAX_COUNTED rows of the list are looked at: those before a page too, since its position is found by reading. */
export class WalkedRows implements ListRows {
  readonly nextShown = 0
  readonly revision = undefined
  isCut = false
  readonly #list: List
  readonly #rowsIn: (walk: Walk) => Batches
  readonly #readRow: ReadTableRow
  readonly #slices = new Slices()

  constructor(list: List, rowsIn: (walk: Walk) => Batches, readRow: ReadTableRow) {
    this.#list = list
    this.#rowsIn = rowsIn
    this.#readRow = readRow
  }

  async *walk(walk: Walk): AsyncGenerator<ListedRow[]> {
    const isWanted = testOf(walk)
    let [looked, last] = [0, '']
    for await (const batch of this.#rowsIn(walk)) {
      await this.#slices.pause()
      const listed: ListedRow[] = []
      for (const raw of batch.slice(0, MAX_COUNTED - looked)) {
        const { row, key } = this.#readRow(raw)
        const place = byteKey(key)
        if (place <= last) throw this.#misplaced(place === last, String(row.id))
        last = place
        const { sortKey, words, body } = itemOf(this.#list, row)
        if (sortKey !== null && isWanted(place, String(row.id), words ?? '')) listed.push({ place: [key, 0], body })
      }
      yield listed
      looked += batch.length
      if (looked <= MAX_COUNTED) continue
      this.isCut = true
      return
    }
  }

  #misplaced(isSame: boolean, row: string): SourceUnavailable {
    const { name, order } = this.#list
    return isSame
      ? new SourceUnavailable(name, 'two rows have the same id', { row, field: 'id' })
      : new SourceUnavailable(name, 'the database does not sort the rows in the order of the list', {
          row,
          field: order[0]?.name ?? 'id',
        })
  }
}

/** What the statement leaves to decide. Bounds of the first field are compared as in stored rows: a place is behind its key. */
function testOf({ after, from, before, words = [], ids }: Walk) {
  const start = byteKey(after?.[0] ?? '')
  return (place: string, id: string, text: string): boolean =>
    place > start &&
    (from === undefined || place >= from) &&
    (before === undefined || place < before) &&
    (ids === undefined || ids.includes(id)) &&
    words.every((word) => text.includes(word))
}
