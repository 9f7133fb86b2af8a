import type { RawRow } from '../../database/in-place/table-database.ts'
import { Slices } from '../../lib/turns.ts'
import type { Row } from '../column.ts'
import { mayBeShown } from '../current.ts'
import { type List, type ListField, publishedFields } from '../definition.ts'
import { rowOf, searchedWords } from '../item.ts'
import { MAX_COUNTED } from '../query.ts'
import type { ListedRow, ListRows, Walk } from '../rows.ts'
import { byteKey } from '../sort-key.ts'
import type { ReadTableRow } from './binding.ts'
import { SourceUnavailable } from './unavailable.ts'

type Batches = Iterable<readonly RawRow[]> | AsyncIterable<readonly RawRow[]>

/** Only the first MAX_COUNTED rows of the list are looked at: those before a page too, since its position is found by reading. */
export class WalkedRows implements ListRows {
  readonly nextShown = 0
  readonly revision = undefined
  isCut = false
  readonly #list: List
  readonly #rowsIn: (walk: Walk) => Batches
  readonly #readRow: ReadTableRow
  readonly #published: readonly ListField[]
  readonly #slices = new Slices()

  constructor(list: List, rowsIn: (walk: Walk) => Batches, readRow: ReadTableRow) {
    this.#list = list
    this.#rowsIn = rowsIn
    this.#readRow = readRow
    this.#published = publishedFields(list.fields)
  }

  async *walk(walk: Walk): AsyncGenerator<ListedRow[]> {
    const list = this.#list
    const isWanted = testOf(walk, list)
    let [looked, last] = [0, '']
    for await (const batch of this.#rowsIn(walk)) {
      await this.#slices.pause()
      const listed: ListedRow[] = []
      for (const raw of batch.slice(0, MAX_COUNTED - looked)) {
        const { row: given, key } = this.#readRow(raw)
        const row = rowOf(list, given)
        const place = byteKey(key)
        if (place <= last) throw this.#misplaced(place === last, String(row.id))
        last = place
        if (mayBeShown(list.current, row) && isWanted(place, row))
          listed.push({ place: [key, 0], body: this.#bodyOf(row) })
      }
      yield listed
      looked += batch.length
      if (looked <= MAX_COUNTED) continue
      this.isCut = true
      return
    }
  }

  #bodyOf(row: Row): string {
    const body: Row = {}
    for (const { name } of this.#published) body[name] = row[name] ?? null
    return JSON.stringify(body)
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
function testOf({ after, from, before, words = [], ids }: Walk, list: List) {
  const start = byteKey(after?.[0] ?? '')
  return (place: string, row: Row): boolean => {
    if (place <= start || (from !== undefined && place < from) || (before !== undefined && place >= before))
      return false
    if (ids !== undefined && !ids.includes(String(row.id))) return false
    if (words.length === 0) return true
    const searched = searchedWords(list, row)
    return words.every((word) => searched.includes(word))
  }
}
