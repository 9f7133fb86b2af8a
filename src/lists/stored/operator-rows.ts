import type { SqlConnection } from '../../database/connection.ts'
import { among } from '../../database/statements.ts'
import type { Row } from '../column.ts'
import { reasonNotCurrent } from '../current.ts'
import type { List } from '../definition.ts'
import { rowOf, storedRow } from '../item.ts'
import { byPlace, type Placed, placed, sortKeyOf } from '../sort-key.ts'
import { allRows, batchesOf, type OfList, readRows, type StoredContent } from './items.ts'

/** The rows of a list as operators see them: with all fields, and those that are not current. */
export interface OperatorRow {
  row: Row
  source: string | null
  /** Undefined for a current row. */
  reason: string | undefined
}

interface Scope {
  workspaceId: string
  now: number
}

/** The ids of all rows, or only of the current ones, in the order of the list. */
export async function orderedIds(
  tx: SqlConnection,
  list: List,
  { workspaceId, now }: Scope,
  { all }: { all: boolean },
): Promise<string[]> {
  const found: Placed[] = []
  for await (const rows of allRows(tx, [workspaceId, list.name]))
    for (const { id, seq, ...stored } of rows) {
      const row = rowOf(list, storedRow(stored))
      if (all || reasonNotCurrent(list, row, now) === undefined)
        found.push(placed(id, [sortKeyOf(list.order, row), seq]))
    }
  return found.sort(byPlace).map(({ id }) => id)
}

/** In the order of the ids, a few at a time. */
export async function* readOperatorRows(
  tx: SqlConnection,
  list: List,
  { workspaceId, now }: Scope,
  ids: readonly string[],
): AsyncGenerator<OperatorRow[]> {
  const ofList: OfList = [workspaceId, list.name]
  for (const batch of batchesOf(ids)) {
    const rows = await readRows(tx, ofList, `id ${among(batch)}`, ...batch)
    const byId = new Map(rows.map((stored) => [stored.id, stored]))
    yield batch.flatMap((id) => byId.get(id) ?? []).map((stored) => operatorRow(list, stored, now))
  }
}

function operatorRow(list: List, stored: StoredContent, now: number): OperatorRow {
  const row = rowOf(list, storedRow(stored))
  return { row, source: stored.source, reason: reasonNotCurrent(list, row, now) }
}
