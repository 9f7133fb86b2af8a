import { type TestContext, test } from 'node:test'
import type { Row } from '../../src/lists/column.ts'
import type { List } from '../../src/lists/definition.ts'
import type { ListReader } from '../../src/lists/query.ts'
import { RowReader } from '../../src/lists/reader.ts'
import { StoredRows } from '../../src/lists/stored/rows.ts'
import { ListWriter } from '../../src/lists/stored/write.ts'
import type { Resource } from '../../src/resources/define.ts'
import { columnOf, freshDatabaseUrl, insertion } from './database.ts'
import { migratedDatabaseUrl } from './migrated-database.ts'
import { listOf, startLists } from './pages.ts'

/** A list of one workspace, which a test writes and reads. */
export interface WrittenList {
  reader: ListReader
  workspaceId: string
  /** A row that is there already keeps its place in the order of creation. */
  put(rows: readonly Row[]): Promise<void>
  remove(ids: readonly string[]): Promise<void>
}

interface Defined {
  resource: Resource
  list: List
  /** Declared in the test. */
  isOwn?: boolean
}

async function startTable(t: TestContext, { resource, isOwn }: Defined): Promise<WrittenList> {
  const [url, resources] = isOwn ? [await freshDatabaseUrl(t), [resource]] : [await migratedDatabaseUrl(t)]
  const { store, workspaceId, elsewhere } = await startLists(t, url, resources)
  const table = `"${resource.name}"`
  return {
    reader: store.reader(listOf(resource)),
    workspaceId,
    async put(rows) {
      const changes = Object.keys(rows[0] ?? {}).map((field) => `${columnOf(field)} = excluded.${columnOf(field)}`)
      const onConflict = ` ON CONFLICT (workspace_id, id) DO UPDATE SET ${changes};`
      const sql = insertion(
        table,
        rows.map((row) => ({ workspaceId, ...row })),
      )
      await elsewhere.run(sql.replace(/;$/, onConflict))
      await elsewhere.analyze(table)
    },
    remove: (ids) => elsewhere.run(`DELETE FROM ${table} WHERE id IN (${['', ...ids].map((id) => `'${id}'`)})`),
  }
}

async function startItems(t: TestContext, list: List): Promise<WrittenList> {
  const { operator, store, workspaceId } = await startLists(t, await migratedDatabaseUrl(t))
  const write = (work: (writer: ListWriter) => Promise<unknown>) =>
    operator.transaction(async (tx) => {
      await work(await ListWriter.open(tx, list, workspaceId))
    })
  return {
    reader: new RowReader(list, new StoredRows(list, store)),
    workspaceId,
    put: (rows) => write((writer) => writer.put(rows, null)),
    remove: (ids) => write((writer) => writer.delete(ids)),
  }
}

/** A property of lists, whether each has its own table or all are stored as items. */
export function testLists(
  name: string,
  defined: Defined,
  property: (t: TestContext, list: WrittenList) => Promise<void>,
): void {
  test(`${name} (tables)`, async (t) => property(t, await startTable(t, defined)))
  test(`${name} (items)`, async (t) => property(t, await startItems(t, defined.list)))
}
