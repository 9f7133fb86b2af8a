import { moveRevision } from '../../database/statements.ts'
import type { Transaction } from '../../database/store.ts'
import type { List } from '../definition.ts'
import { itemOf, storedRow } from '../item.ts'
import { allRows, countPlaced, OF_LIST, type OfList, writeItems } from './items.ts'

/**
 * Items are what a definition makes of rows, and definitions change. So the database remembers for each list the shape of the
 * definition that it was stored for. The first command with another definition stores all rows for that one, before it writes any.
 * Until then a reader with that definition computes the items, which takes longer.
 */
export async function reshape(tx: Transaction, list: List, workspaceId: string): Promise<void> {
  // Before rows are read: it locks out other writers, and keeps anyone from using again what they read of the old shape.
  const revision = await moveRevision(tx, workspaceId)
  const ofList: OfList = [workspaceId, list.name]
  for await (const rows of allRows(tx, ofList)) {
    const items = rows.map((row) => ({ ...row, ...itemOf(list, storedRow(row)) }))
    await writeItems(tx, ofList, items)
  }
  // What changed before cannot be told by another definition.
  await tx.run(`DELETE FROM list_traces WHERE ${OF_LIST}`, ...ofList)
  const known = 'shape = ?, known_from = ?'
  await tx.run(`UPDATE stored_lists SET ${known} WHERE ${OF_LIST}`, list.shape, revision, ...ofList)
  await countPlaced(tx, ofList)
}
