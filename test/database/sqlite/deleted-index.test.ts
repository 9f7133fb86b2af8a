import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { LARGE_ROWS } from '../../../src/database/sqlite/frozen.ts'
import { WorkspaceRows } from '../../../src/database/sqlite/large-change.ts'
import { tablesOf } from '../../../src/database/table.ts'
import { deleteWorkspace } from '../../../src/provisioning/delete-workspace.ts'
import { compileDefinition } from '../../../src/resources/declared/compile.ts'
import { resources } from '../../../src/resources/index.ts'
import { table } from '../../../src/resources/tasks/current-tasks.ts'
import { orders } from '../../resources/declared/published-orders.ts'
import { createWorkspace } from '../../support/changes.ts'
import { addRecords } from '../../support/import-records.ts'
import { migratedDatabaseUrl } from '../../support/migrated-database.ts'
import { startOperator } from '../../support/operator.ts'
import { openStore } from '../../support/stores.ts'

test("deleting a large workspace merges its texts out of the search index once, and restores the index's settings", async (t) => {
  const url = await migratedDatabaseUrl(t, 'sqlite')
  const { store, addTasks } = await startOperator(t, url)
  const words = (at: number) => Array.from({ length: 40 }, (_, word) => (at * 7919 + word * 104_729).toString(36))
  await addTasks(
    Array.from({ length: LARGE_ROWS + 1 }, (_, at) => ({
      id: `t${at}`,
      title: `Task ${at}`,
      details: words(at).join(' '),
    })),
  )
  const db = new DatabaseSync(url.replace('sqlite:', ''))
  t.after(() => db.close())
  const bytes = () => Number(db.prepare('SELECT sum(length(block)) AS bytes FROM tasks_search_data').get()?.bytes)
  const before = bytes()
  assert.ok(before > 100_000)
  await deleteWorkspace(store, tablesOf(resources), 'acme', 'test')
  assert.ok(bytes() < before / 100, `${bytes()} of ${before} bytes are left`)
  assert.equal(db.prepare("SELECT v FROM tasks_search_config WHERE k = 'automerge'").get()?.v, 4)
})

test('deleting nothing, or copies, which are not in the search index, leaves the index alone', async (t) => {
  const url = await migratedDatabaseUrl(t, 'sqlite')
  const { store, workspace, addTasks } = await startOperator(t, url)
  for (let at = 0; at < 6; at++) await addTasks([{ id: `t${at}`, title: `Task ${at}` }])
  const db = new DatabaseSync(url.replace('sqlite:', ''))
  t.after(() => db.close())
  db.prepare('SELECT 1 FROM frozen').get()
  await new WorkspaceRows({ db, path: url.replace('sqlite:', '') }, table, workspace.id).copy()
  const rows = () => Number(db.prepare('SELECT count(*) AS rows FROM tasks').get()?.rows)
  assert.equal(rows(), 12)
  const index = () => [
    ...db.prepare('SELECT id, hex(block) AS block FROM tasks_search_data ORDER BY id').all(),
    ...db.prepare('SELECT k, v FROM tasks_search_config ORDER BY k').all(),
  ]
  const before = index()
  await store.tidy()
  assert.equal(rows(), 6)
  assert.deepEqual(index(), before)
  await store.tidy('deleted')
  assert.deepEqual(index(), before)
})

test('compacting also merges deleted texts out of the search index of a resource whose file is gone', async (t) => {
  const url = await migratedDatabaseUrl(t, 'sqlite')
  const declared = compileDefinition(orders({ state: 'draft' }))
  const { store } = await startOperator(t, url, [...resources, declared])
  const add = async (slug: string, suppliers: string[]) => {
    assert.ok(declared.table)
    const records = suppliers.map((supplier, at) => ({ id: `o${at}`, supplier, status: 'sent' }))
    await addRecords(store, declared.table, slug, records, new Date().toISOString())
  }
  await createWorkspace(store, { name: 'Beta', slug: 'beta' }, 'test', new Date().toISOString())
  // So few of the rows are deleted that FTS5 does not merge by itself.
  await add('beta', Array(2000).fill('A'))
  const texts = Array.from({ length: 100 }, (_, at) => hash('sha512', String(at), 'hex'))
  await add('acme', texts)
  const db = new DatabaseSync(url.replace('sqlite:', ''))
  t.after(() => db.close())
  const bytes = () => Number(db.prepare('SELECT sum(length(block)) AS bytes FROM orders_search_data').get()?.bytes)
  const before = bytes()
  const later = await openStore(t, url)
  await deleteWorkspace(later, tablesOf(resources), 'acme', 'test')
  await later.compact()
  assert.ok(bytes() < before / 3, `${bytes()} of ${before} bytes are left`)
})
