/** What is easily forgotten when a table or a column is added. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  BUILT_IN_COLUMNS,
  columnsOf,
  importedColumns,
  mark,
  markColumns,
  type Table,
  tablesOf,
} from '../../src/database/table.ts'
import { copiedTables, notCopied } from '../../src/database/tables/copied-tables.ts'
import { recordSchema } from '../../src/import/record-schema.ts'
import { choice, creation, integer, text } from '../../src/lists/column.ts'
import { defineList } from '../../src/resources/list.ts'
import { resources as withBooks } from '../resources/books/index.ts'
import { connectElsewhere, type Elsewhere, engineUnderTest } from '../support/database.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { openStore } from '../support/stores.ts'

/** A table whose columns allow few values, different from other tables'. */
const shelves = defineList(
  {
    name: 'shelves',
    singular: 'shelf',
    version: 1,
    columns: {
      id: text({ maxLength: 1, description: '' }),
      level: integer({ minimum: 1, maximum: 3, description: '' }),
      side: choice(['left', 'right'], { description: '' }),
      seen: mark({ description: '' }),
      createdAt: creation({ description: '' }),
    },
  },
  { order: ['level'], filters: [], limit: 10 },
)
const resources = [...withBooks, shelves]
const tables = tablesOf(resources)
const AT = '2026-11-15T12:00:00.000Z'

async function start(t: TestContext) {
  const url = await migratedDatabaseUrl(t)
  const store = await openStore(t, url, resources)
  const elsewhere = await connectElsewhere(url, t)
  return { store, elsewhere }
}

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

/** A valid value for a column, which differs for 1 and 2. */
function valueFor(column: ReturnType<typeof columnsOf>[number], n: number): string {
  if (column.kind === 'integer') {
    const { minimum = 0, maximum = 0 } = column
    return String(minimum + (n % (maximum - minimum + 1)))
  }
  if (column.kind === 'choice') return `'${column.choices?.[n % column.choices.length]}'`
  if (column.kind === 'mark') return `'1'`
  if (column.kind === 'email') return `'p${n}@x.example'`
  return column.kind === 'instant' ? `'20${10 + n}-01-01T00:00:00.000Z'` : `'${n}'`
}

test('every table of the database is copied, or there is a reason why not', async (t) => {
  const { elsewhere } = await start(t)
  const known = [...copiedTables(tables).map(({ name }) => name), ...Object.keys(notCopied)]
  for (const table of (await catalogue(elsewhere)).keys()) assert.ok(known.includes(table), `${table} is not copied`)
})

test('a copy takes every column of every table, except the marks that the target creates', async (t) => {
  const { store, elsewhere } = await start(t)
  await fill(elsewhere)
  const found = new Map<string, string[]>()
  for await (const { table, rows } of store.dump()) if (rows[0]) found.set(table, Object.keys(rows[0]).sort())
  const there = await catalogue(elsewhere)
  for (const table of tables) {
    const marks = markColumns(table).map(({ name }) => name)
    assert.deepEqual(
      found.get(table.name),
      there
        .get(table.name)
        ?.filter((name) => !marks.includes(name))
        .sort(),
    )
  }
})

test('an import record has every column of its table, except its place, workspace, source and marks', async (t) => {
  const { elsewhere } = await start(t)
  const there = await catalogue(elsewhere)
  for (const table of tables) {
    const byColumn = new Map(importedColumns(table).map(({ name, field }) => [name, field]))
    const apart = [...BUILT_IN_COLUMNS, ...markColumns(table).map(({ name }) => name)]
    const fields = there.get(table.name)?.filter((name) => !apart.includes(name))
    assert.deepEqual(fields?.map((name) => byColumn.get(name)).sort(), recordSchema(table).fieldNames.toSorted())
  }
})

/** Two workspaces, and in one of them a row in every resource's table with a value in every column. */
async function fill(elsewhere: Elsewhere): Promise<void> {
  for (const id of ['w', 'v'])
    await elsewhere.run(
      `INSERT INTO workspaces (id, slug, name, created_at) VALUES ('${id}', '${id}', '${id}', '${AT}')`,
    )
  for (const table of tables) await elsewhere.run(insertSql(table, 1))
}

function insertSql(table: Table, n: number): string {
  const columns = columnsOf(table)
  return `INSERT INTO ${table.name} (workspace_id, ${columns.map(({ name }) => name).join(', ')})
    VALUES ('w', ${columns.map((column) => valueFor(column, n)).join(', ')})`
}
