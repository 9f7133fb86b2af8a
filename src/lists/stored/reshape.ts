import type { SqlConnection } from '../../database/connection.ts'
import type { List } from '../definition.ts'
import { itemOf, storedRow } from '../item.ts'
import { allRows, OF_LIST, type OfList, writeItems } from './items.ts'

/**
 * Items are what a definition makes of rows, and definitions change. So the database remembers for each list the shape of the
 * definition that it was stored for. Whoever writes a list of another shape first stores all of its rows for the new one. Until then
 * its reader computes the items, which takes longer.
 */
export async function reshape(tx: SqlConnection, list: List, workspaceId: string): Promise<void> {
  const ofList: OfList = [workspaceId, list.name]
  for await (const rows of allRows(tx, ofList)) {
    const items = rows.map((row) => ({ ...row, ...itemOf(list, storedRow(row)) }))
    await writeItems(tx, ofList, items)
  }
  await tx.run(`UPDATE stored_lists SET shape = ? WHERE ${OF_LIST}`, list.shape, ...ofList)
}
