// Run once: each test names its engines.
/** Every page of a list with current rows is a seek, however many rows are not current, on both engines. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { rangesAfter } from '../../src/database/lists/keyset.ts'
import { narrowed } from '../../src/database/lists/plain-list.ts'
import type { Filters, PageRequest, Position } from '../../src/database/lists/reader.ts'
import { PostgresListReader } from '../../src/database/postgres/lists/reader.ts'
import { connectForWriting } from '../../src/database/sqlite/connect.ts'
import { firstRowsSql, positionSql, SQLITE, selectSql } from '../../src/database/sqlite/lists/list.ts'
import { freshDatabaseUrl, skipWithoutPostgres } from '../support/database.ts'
import { assertTouchesFew, planningClient } from '../support/list-statement.ts'
import { startOperator } from '../support/operator.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { orderList, orderOptions, orders } from './orders/contract.ts'

const NOW = '2026-11-15T12:00:00.000Z'

const positions: (Position | undefined)[] = [
  undefined,
  [NOW, '5', 'supplier 5', '5000'],
  [NOW, null, 'supplier 5', '5000'],
  [null, '5', 'supplier 5', '5000'],
]
const filterSets: Filters[] = [
  {},
  { supplier: 'supplier 5' },
  { total: '5.0' },
  { buyer: 'a5@x.example' },
  { deliveryAtAfter: NOW },
  { deliveryAtBefore: NOW, supplier: 'supplier 5' },
  { deliveryAtAfter: NOW, deliveryAtBefore: '2027-01-01T00:00:00.000Z' },
]
const pages = filterSets.flatMap((filters) =>
  positions
    .filter((position) => position?.[0] !== null || !Object.keys(filters).some((name) => name.startsWith('deliveryAt')))
    .map((position): PageRequest => {
      const after = position?.filter((_, i) => !Object.hasOwn(filters, orderOptions.order[i] ?? ''))
      return { filters, limit: 50, ...(after !== undefined && { after }) }
    }),
)
const shown = ({ filters, after }: PageRequest) => JSON.stringify({ filters, after })

interface Step {
  id: number
  parent: number
  detail: string
}

test('every page of current rows is a seek, and only unmarked rows are sorted in (sqlite)', (t) => {
  const db = connectForWriting(join(temporaryFolder(t), 'plan.db'), [orderList.table], { create: true })
  t.after(() => db.close())
  for (const page of pages)
    for (const range of rangesAfter(narrowed(orderList.table, page.filters).order, page.after))
      for (const isWhole of shown(page) === '{"filters":{}}' ? [true, false] : [false]) {
        const planOf = (isMerged: boolean) => {
          const rows = orderList.compileFilters(page.filters, SQLITE, () => '?')
          const sql = isWhole
            ? firstRowsSql(orderList, isMerged)
            : selectSql(orderList.table, rows, isMerged)(positionSql(rows.order), range, 'LIMIT 50')
          return db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as unknown as Step[]
        }
        const plain = planOf(false)
        const plan = `${shown(page)} ${range}:\n`
        assert.equal(plain.length, 1, plan + plain.map(({ detail }) => detail).join('\n'))
        const { detail = '' } = plain[0] ?? {}
        assert.match(detail, /^SEARCH orders USING (COVERING )?INDEX orders_(in_order|by_)/, plan)
        if (isWhole) assert.match(detail, /COVERING/, plan)
        // The workspace, the filter, the window's side and what the range compares.
        const sought = [...detail.matchAll(/[=<>]\?/g)].length
        assert.ok(sought > Object.keys(page.filters).length + range.length, plan + detail)
        const steps = planOf(true)
        const below = (name: string) => {
          const found = steps.find((step) => step.detail === name)
          return steps.filter(({ parent }) => parent === found?.id).map((step) => step.detail)
        }
        assert.deepEqual(
          below('LEFT').map((step) => step.replace('COVERING ', '')),
          [detail.replace('COVERING ', '')],
          plan,
        )
        assert.match(
          below('RIGHT')[0] ?? '',
          /INDEX orders_hidden \(workspace_id=\? AND hiding_expired=\? AND embargo>/,
        )
        assert.equal(steps.filter((step) => step.detail.includes('TEMP B-TREE')).length, 1, plan)
      }
})

/** By what most rows are not current, or once were not. */
const states = {
  'most are closed': { status: `CASE WHEN n % 100 = 0 THEN 'sent' ELSE 'closed' END`, embargo: 'NULL::timestamptz' },
  'most are hidden': {
    status: `'sent'`,
    embargo: `CASE WHEN n % 100 > 0 THEN '2099-01-01'::timestamptz + n * interval '1 s' END`,
  },
  'most were hidden': {
    status: `'sent'`,
    embargo: `CASE WHEN n % 100 > 0 THEN '2001-01-01'::timestamptz + n * interval '1 s' END`,
  },
}

test('of 10,000 rows, a page touches only a few (postgres)', skipWithoutPostgres(), async (t) => {
  const url = await freshDatabaseUrl(t, 'postgres')
  const { workspace } = await startOperator(t, url, [orders])
  const client = await planningClient(t, url)
  const scope = { workspaceId: workspace.id, now: Date.parse(NOW) }
  for (const [state, { status, embargo }] of Object.entries(states)) {
    await client.query('TRUNCATE vitrine.orders')
    await client.query(`
      INSERT INTO vitrine.orders (workspace_id, id, supplier, buyer, total, delivery_at, status, embargo)
      SELECT '${workspace.id}', n::text, 'supplier ' || n % 10, 'A' || n % 10 || '@x.example', n % 11,
        CASE WHEN n % 3 > 0 THEN '${NOW}'::timestamptz + (n % 2000 - 1000) * interval '1 min' END, ${status}, ${embargo}
      FROM generate_series(1, 10000) n`)
    await client.query('ANALYZE vitrine.orders')
    await assertTouchesFew(client, 3000, `${state}: the whole body`, (connections) =>
      new PostgresListReader(orderList, connections).firstRows(scope),
    )
    for (const page of pages)
      await assertTouchesFew(client, 3000, `${state}: ${shown(page)}`, (connections) =>
        new PostgresListReader(orderList, connections).page(scope, page),
      )
  }
})
