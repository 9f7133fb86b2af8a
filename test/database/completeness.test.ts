// On both engines: each engine describes its tables in its own catalogue.
/** What is easily forgotten when a table or a column is added. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { copiedTables, notCopied } from '../../src/database/tables/copied-tables.ts'
import { connectElsewhere, type Elsewhere, engineUnderTest } from '../support/database.ts'
import { startOperator } from '../support/operator.ts'

/** Every table and its columns, as the database has them. */
async function catalogue({ all }: Elsewhere): Promise<Map<string, string[]>> {
  const rows = await all<{ tableName: string; columnName: string }>(
    engineUnderTest() === 'sqlite'
      ? `SELECT t.name AS "tableName", c.name AS "columnName" FROM pragma_table_list t JOIN pragma_table_info(t.name) c
         WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`
      : `SELECT table_name AS "tableName", column_name AS "columnName" FROM information_schema.columns
         WHERE table_schema = 'vitrine'`,
  )
  const byTable = Map.groupBy(rows, ({ tableName }) => tableName)
  return new Map([...byTable].map(([table, columns]) => [table, columns.map(({ columnName }) => columnName)]))
}

test('every table of the database is copied, or there is a reason why not', async (t) => {
  const { url } = await startOperator(t)
  const known = [...copiedTables.map(({ name }) => name), ...Object.keys(notCopied)]
  for (const table of (await catalogue(await connectElsewhere(url, t))).keys())
    assert.ok(known.includes(table), `${table} is not copied`)
})

test('a copy takes every column of every row', async (t) => {
  const { url, store, addTasks } = await startOperator(t)
  await addTasks([{ id: 'a' }])
  const there = await catalogue(await connectElsewhere(url, t))
  const found = new Map<string, string[]>()
  for await (const { table, rows } of store.dump()) if (rows[0]) found.set(table, Object.keys(rows[0]).sort())
  for (const table of ['workspaces', 'list_items', 'stored_lists'])
    assert.deepEqual(found.get(table), there.get(table)?.sort())
})
