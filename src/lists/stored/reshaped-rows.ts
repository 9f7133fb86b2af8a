import type { SqlConnection } from '../../database/connection.ts'
import { among } from '../../database/statements.ts'
import { Slices } from '../../lib/turns.ts'
import type { List } from '../definition.ts'
import { itemOf, storedRow } from '../item.ts'
import type { ReadScope } from '../query.ts'
import type { ListedRow, ListRows, Walk } from '../rows.ts'
import { byPlace, byteKey, type Placed, placed } from '../sort-key.ts'
import { allRows, batchesOf, type OfList, readRows } from './items.ts'

/**
 * Rows that were stored for another definition: their items are computed, and their places are sorted, by each read. That takes a few
 * times as long, until a command stores them for this one. Only places are kept in memory, and rows are read again.
 */
export async function reshapedRows(
  db: Pick<SqlConnection, 'all'>,
  list: List,
  { workspaceId, now }: Omit<ReadScope, 'only'>,
  revision: number,
): Promise<ListRows> {
  const ofList: OfList = [workspaceId, list.name]
  const slices = new Slices()
  const found: Placed[] = []
  let nextShown = Number.POSITIVE_INFINITY
  for await (const rows of allRows(db, ofList)) {
    for (const { id, seq, ...stored } of rows) {
      const { sortKey, shownFrom } = itemOf(list, storedRow(stored))
      if (sortKey === null) continue
      if (shownFrom === null || shownFrom <= now) found.push(placed(id, [sortKey, seq]))
      else nextShown = Math.min(nextShown, shownFrom)
    }
    await slices.pause()
  }
  found.sort(byPlace)
  return { nextShown, revision, isCut: false, walk }

  async function* walk({ after, from, before, words = [], ids }: Walk): AsyncGenerator<ListedRow[]> {
    const start = placed('', after ?? [from ?? '', 0])
    const end = before === undefined ? undefined : byteKey(before)
    const within = found.filter(
      (row) =>
        byPlace(start, row) < 0 && (end === undefined || row.key < end) && (ids === undefined || ids.includes(row.id)),
    )
    for (const batch of batchesOf(within)) {
      await slices.pause()
      const rows = await readRows(db, ofList, `id ${among(batch)}`, ...batch.map(({ id }) => id))
      const items = new Map(rows.map((row) => [row.id, itemOf(list, storedRow(row))]))
      yield batch.flatMap(({ id, place }) => {
        const item = items.get(id)
        const isMatch = item !== undefined && words.every((word) => item.words?.includes(word))
        return isMatch ? { place, body: item.body } : []
      })
    }
  }
}
