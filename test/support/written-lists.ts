import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { among } from '../../src/database/statements.ts'
import type { OperatorStore, Transaction } from '../../src/database/store.ts'
import { importRecords } from '../../src/import/import-records.ts'
import type { Row } from '../../src/lists/column.ts'
import { type List, publishedFields } from '../../src/lists/definition.ts'
import { itemOf, rowOf, storedRow } from '../../src/lists/item.ts'
import type { PageRequest, Place, ReadScope } from '../../src/lists/query.ts'
import type { ListReader } from '../../src/lists/reader.ts'
import { creationOf } from '../../src/lists/stored/comparison.ts'
import { batchesOf, readRows } from '../../src/lists/stored/items.ts'
import { readerOf } from '../../src/lists/stored/rows.ts'
import { StagedItems } from '../../src/lists/stored/staged-items.ts'
import { ListWriter } from '../../src/lists/stored/write.ts'
import type { Resource } from '../../src/resources/define.ts'
import { emptyTask, type TaskRow } from '../../src/resources/tasks/columns.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { atTime } from './at-time.ts'
import { connectElsewhere, type Elsewhere } from './database.ts'
import { migratedDatabaseUrl } from './migrated-database.ts'
import { servedStore, startOperator } from './operator.ts'

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

/** None of them may be bad. */
export function addRecords(store: OperatorStore, list: List, slug: string, records: object[], at: string) {
  const onBadRecord = (_: unknown, problems: string[]) => assert.fail(problems.join())
  const context = { store: atTime(store, () => Date.parse(at)), list, actor: 'test', onBadRecord }
  return importRecords(context, slug, { chunks: chunks(records) })
}

/** Imports tasks into `acme` as an operator does, while the service runs. */
export const importTasks = (store: OperatorStore, records: object[]) =>
  addRecords(store, currentTasks, 'acme', records, new Date().toISOString())

async function* chunks(records: object[]): AsyncGenerator<Buffer> {
  yield Buffer.from(JSON.stringify(records))
}

export type Item = Record<string, string | number | null>

interface Reading extends Pick<PageRequest, 'filters' | 'fields'> {
  /** One for each page; the last one for all further pages. */
  limits: readonly number[]
}

export function listOf({ list }: Resource): List {
  assert.ok(list)
  return list
}

/** A workspace, acme, whose lists are read from `store` while another connection changes them. */
export async function startLists(t: TestContext, url: string, resources?: readonly Resource[]) {
  const { store: operator, workspace } = await startOperator(t, url, resources)
  const store = await servedStore(t, url, resources)
  return { operator, store, workspaceId: workspace.id, elsewhere: await connectElsewhere(url, t) }
}

/** A list from its first page to its last; the test may act between the pages. */
export async function readPages(
  reader: ListReader,
  scope: () => ReadScope,
  { limits, ...reading }: Reading,
  between: (page: number) => Promise<void> = async () => {},
): Promise<Item[][]> {
  const pages: Item[][] = []
  let after: Place | undefined
  do {
    const limit = limits[Math.min(pages.length, limits.length - 1)] ?? 1
    const request = { ...reading, limit, ...(after !== undefined && { after }) }
    const page = await reader.page(scope(), request)
    const items = JSON.parse(`[${page.rows}]`) as Item[]
    assert.ok(items.length <= limit)
    if (page.next !== undefined) assert.equal(items.length, limit, 'only a full page has another after it')
    pages.push(items)
    // As a client brings it back.
    after = page.next === undefined ? undefined : (JSON.parse(JSON.stringify(page.next)) as Place)
    if (after !== undefined) await between(pages.length)
    assert.ok(pages.length < 500, 'there is a last page')
  } while (after !== undefined)
  return pages
}
