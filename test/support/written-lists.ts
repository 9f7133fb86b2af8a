import type { TestContext } from 'node:test'
import type { OperatorStore } from '../../src/database/store.ts'
import type { Row } from '../../src/lists/column.ts'
import type { List } from '../../src/lists/definition.ts'
import { rowOf, storedRow } from '../../src/lists/item.ts'
import type { ListReader } from '../../src/lists/query.ts'
import { readerOf } from '../../src/lists/stored/rows.ts'
import { ListWriter } from '../../src/lists/stored/write.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import type { Elsewhere } from './database.ts'
import { migratedDatabaseUrl } from './migrated-database.ts'
import { startLists } from './pages.ts'

/** Writes rows of one list, as Vitrine's own commands do. */
export function rowsOf(operator: Pick<OperatorStore, 'transaction'>, list: List, workspaceId: string) {
  const write = (work: (writer: ListWriter) => Promise<unknown>) =>
    operator.transaction(async (tx) => {
      await work(await ListWriter.open(tx, list, workspaceId))
    })
  return {
    /** A row that is there already keeps its place in the order of creation. */
    put: (rows: readonly Row[], source: string | null = null) => write((writer) => writer.put(rows, source)),
    remove: (ids: readonly string[]) => write((writer) => writer.delete(ids)),
  }
}

/** A list of one workspace, which a test writes and reads. */
export async function startList(t: TestContext, list: List) {
  const { operator, store, workspaceId } = await startLists(t, await migratedDatabaseUrl(t))
  const reader: ListReader = readerOf(store, list)
  return { reader, workspaceId, ...rowsOf(operator, list, workspaceId) }
}

type StoredRow = Row & { id: string; source: string | null }

/** The rows of a list in the database, of all workspaces, in the order of their creation. */
export async function storedRows({ all }: Pick<Elsewhere, 'all'>, list = currentTasks): Promise<StoredRow[]> {
  const found = await all<{ body: string; rest: string | null; source: string | null }>(
    `SELECT body, rest, source FROM list_items WHERE list = '${list.name}' ORDER BY workspace_id, seq`,
  )
  return found.map(({ source, ...stored }) => ({ ...rowOf(list, storedRow(stored)), source }) as StoredRow)
}
