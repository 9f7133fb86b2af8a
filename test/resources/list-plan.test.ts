// Run once: each test names its engines.
/** Every page of a plain list is a seek, on both engines. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { rangesAfter } from '../../src/database/lists/keyset.ts'
import { narrowed } from '../../src/database/lists/plain-list.ts'
import { PostgresListReader } from '../../src/database/postgres/lists/reader.ts'
import { connectForWriting } from '../../src/database/sqlite/connect.ts'
import { firstRowsSql, positionSql, SQLITE, selectSql } from '../../src/database/sqlite/lists/list.ts'
import { decimal, integer, text } from '../../src/lists/column.ts'
import type { PageRequest, Position } from '../../src/lists/query.ts'
import { defineList } from '../../src/resources/list.ts'
import { freshDatabaseUrl, skipWithoutPostgres } from '../support/database.ts'
import { assertTouchesFew, planningClient } from '../support/list-statement.ts'
import { startOperator } from '../support/operator.ts'
import { plainResource } from '../support/plain-resource.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const ROWS = 20_000
const columns = {
  id: text({ maxLength: 100, description: 'Identifier.' }),
  hall: text({ maxLength: 100, nullable: true, description: 'Hall.' }),
  shelf: integer({ nullable: true, description: 'Shelf.' }),
  weight: decimal({ nullable: true, description: 'Weight.' }),
  name: text({ maxLength: 100, description: 'Name.' }),
}
const options = { order: ['hall', 'shelf', 'weight', 'name'], filters: ['hall', 'weight', 'name'], limit: 50 } as const
const list = defineList({ name: 'exhibits', singular: 'exhibit', version: 1, columns }, options)
const { table } = list

const positions: (Position | undefined)[] = [
  undefined,
  ['hall 5', '5', '-1.50', 'name 5', '5000'],
  ['hall 5', null, null, 'name 5', '5000'],
  [null, null, '2', 'name 5', '5000'],
]
/** The position has no value of a column that the list is narrowed by. */
const pages = [{}, { hall: 'hall 5' }, { weight: '1.5' }, { name: 'name 5' }].flatMap(
  (filters: Record<string, string>) =>
    positions.map((position): PageRequest => {
      const after = position?.filter((_, i) => !Object.hasOwn(filters, options.order[i] ?? ''))
      return { filters, limit: 50, ...(after !== undefined && { after }) }
    }),
)
const shown = ({ filters, after }: PageRequest) => JSON.stringify({ filters, after })

test('every page of a list is a seek in one index (sqlite)', (t) => {
  const db = connectForWriting(join(temporaryFolder(t), 'plan.db'), [table], { create: true })
  t.after(() => db.close())
  for (const page of pages) {
    const { order } = narrowed(table, page.filters)
    for (const range of rangesAfter(order, page.after)) {
      const rows = list.compileFilters(page.filters, SQLITE, () => '?')
      const sql = selectSql(table, rows, false)(positionSql(order), range, 'LIMIT 50')
      const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]
      assert.equal(steps.length, 1, `${shown(page)}: ${steps.map(({ detail }) => detail)}`)
      const sought = [...String(steps[0]?.detail).matchAll(/[=>]\?/g)].length
      assert.match(String(steps[0]?.detail), /^SEARCH exhibits USING (COVERING )?INDEX exhibits_/)
      // The workspace, the filter, and of each compared column itself and whether it is null if it can be.
      const compared = order.slice(0, range.length).reduce((sum, column) => sum + (column.isNullable ? 2 : 1), 0)
      assert.ok(
        sought >= 1 + Object.keys(page.filters).length + compared,
        `${shown(page)} ${range}: ${steps[0]?.detail}`,
      )
    }
  }
  const whole = db.prepare(`EXPLAIN QUERY PLAN ${firstRowsSql(list, false)}`).all()
  assert.equal(whole.length, 1)
  assert.match(String(whole[0]?.detail), /^SEARCH exhibits USING COVERING INDEX exhibits_/, 'it holds whole rows')
})

test(`of ${ROWS} rows, a page touches only a few (postgres)`, skipWithoutPostgres(), async (t) => {
  const url = await freshDatabaseUrl(t, 'postgres')
  const { workspace } = await startOperator(t, url, [plainResource(list)])
  const client = await planningClient(t, url)
  await client.query(`
    INSERT INTO vitrine.exhibits (workspace_id, id, hall, shelf, weight, name)
    SELECT '${workspace.id}', n::text, CASE WHEN n % 4 > 0 THEN 'hall ' || n % 10 END, CASE WHEN n % 3 > 0 THEN n % 7 END,
      CASE WHEN n % 5 > 0 THEN n % 13 * 0.5 - 3 END, 'name ' || n % 11
    FROM generate_series(1, ${ROWS}) n`)
  await client.query('ANALYZE vitrine.exhibits')
  const scope = { workspaceId: workspace.id, now: 0 }
  await assertTouchesFew(client, 3000, 'the whole body', (connections) =>
    new PostgresListReader(list, connections).firstRows(scope),
  )
  for (const page of pages)
    await assertTouchesFew(client, 3000, shown(page), (connections) =>
      new PostgresListReader(list, connections).page(scope, page),
    )
})
