import type { TestContext } from 'node:test'
import { among } from '../../src/database/statements.ts'
import type { OperatorStore, Transaction } from '../../src/database/store.ts'
import type { Row } from '../../src/lists/column.ts'
import { type List, publishedFields } from '../../src/lists/definition.ts'
import { itemOf, rowOf, storedRow } from '../../src/lists/item.ts'
import { creationOf } from '../../src/lists/stored/comparison.ts'
import { batchesOf, readRows } from '../../src/lists/stored/items.ts'
import { readerOf } from '../../src/lists/stored/rows.ts'
import { StagedItems } from '../../src/lists/stored/staged-items.ts'
import { ListWriter } from '../../src/lists/stored/write.ts'
import { emptyTask, type TaskRow } from '../../src/resources/tasks/columns.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { atTime } from './at-time.ts'
import type { Elsewhere } from './database.ts'
import { migratedDatabaseUrl } from './migrated-database.ts'
import { startLists } from './pages.ts'

/** Writes rows of one list in a transaction. */
export async function openRows(tx: Transaction, list: List, workspaceId: string) {
  const writer = await ListWriter.open(tx, list, workspaceId)
  const creation = creationOf(list)
  return {
    /** Each id once. One that is there already keeps its place, and its time of creation unless it has another. */
    async put(rows: readonly Row[], source: string | null = null) {
      for (const batch of batchesOf(rows)) {
        const ids = batch.map(({ id }) => String(id))
        const found = await readRows(tx, [workspaceId, list.name], `id ${among(ids)}`, ...ids)
        const items = batch.flatMap((row) => {
          const before = found.find(({ id }) => id === row.id)
          const kept = before && creation && !row[creation] ? { [creation]: storedRow(before)[creation] ?? null } : {}
          const item = itemOf(list, { ...row, ...kept })
          if (before?.body === item.body && before.rest === item.rest && before.source === source) return []
          return { ...item, id: String(row.id), source, seq: before?.seq ?? writer.newSeqs(1) }
        })
        await writer.write(items)
      }
    },
    delete: (ids: readonly string[]) => writer.write([], ids),
  }
}

/** Writes rows of one list, as Vitrine's own commands do. */
export function rowsOf(operator: Pick<OperatorStore, 'transaction'>, list: List, workspaceId: string) {
  const write = (work: (rows: Awaited<ReturnType<typeof openRows>>) => Promise<unknown>) =>
    operator.transaction(async (tx) => {
      await work(await openRows(tx, list, workspaceId))
    })
  return {
    /** A row that is there already keeps its place in the order of creation. */
    put: (rows: readonly Row[], source: string | null = null) => write(({ put }) => put(rows, source)),
    remove: (ids: readonly string[]) => write((rows) => rows.delete(ids)),
  }
}

/** A list of one workspace, which a test writes and reads. */
export async function startList(t: TestContext, list: List) {
  const { operator, store, workspaceId } = await startLists(t, await migratedDatabaseUrl(t))
  const reader = readerOf(store, list)
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

/** In the order of responses; test/contract/tasks.test.ts has them as clients do. */
export const taskFields = publishedFields(currentTasks.fields).map(({ name }) => name)

export const addTasks = (operator: OperatorStore, workspaceId: string, tasks: Partial<TaskRow>[], now: string) =>
  addRows(
    operator,
    workspaceId,
    currentTasks,
    tasks.map((task) => ({ ...emptyTask, title: 'A task', ...task })),
    now,
  )

/** Stages and writes rows as an import does. */
export async function addRows(operator: OperatorStore, workspaceId: string, list: List, rows: Row[], now: string) {
  using staged = new StagedItems(list, now)
  staged.add(rows)
  await atTime(operator, () => Date.parse(now)).transaction(async (tx) => {
    const { write } = await staged.begin(tx, { workspaceId, source: null })
    await write()
  })
}
