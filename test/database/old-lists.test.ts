/** The rows of lists that had a table each become items, and are listed as before. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { moveStatements, type OldList } from '../../src/database/old-lists.ts'
import type { OperatorStore } from '../../src/database/store.ts'
import type { Row } from '../../src/lists/column.ts'
import { RowReader } from '../../src/lists/reader.ts'
import { reshape } from '../../src/lists/stored/reshape.ts'
import { StoredRows } from '../../src/lists/stored/rows.ts'
import { compileDefinition, declaredList } from '../../src/resources/declared/compile.ts'
import { resources } from '../../src/resources/index.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { orders } from '../resources/declared/published-orders.ts'
import { engineUnderTest, freshDatabaseUrl, testOnly } from '../support/database.ts'
import { listOf, readPages, startLists } from '../support/pages.ts'
import { addRows, addTasks } from '../support/tasks.ts'

const NOW = '2026-11-15T12:00:00.000Z'
const awkward = 'Größe "XL" \\ 50 %\n\u0001 🙂'
const plain = orders({})
const definition = orders({
  fields: { ...plain.fields, day: { type: 'date', nullable: true, description: 'A day.' } },
  example: { ...plain.example, day: null },
})
const declared = compileDefinition(definition)
const order = (id: string, more: Row = {}): Row => ({ id, supplier: 'Alvés', urgent: false, status: 'sent', ...more })

test('rows keep their values, order and source, and are listed as before', async (t) => {
  const known = [...resources, declared]
  const { operator, store, workspaceId, elsewhere } = await startLists(t, await freshDatabaseUrl(t), known)
  const { table = assert.fail() } = listOf(declared)
  await addTasks(
    operator,
    workspaceId,
    [
      { id: 'later', dueAt: '2026-12-01T08:30:00.123Z', details: awkward },
      { id: 'sooner', dueAt: '2026-11-20T08:30:00.000Z', assigneeEmail: 'ana@acme.example' },
      { id: 'snoozed', snoozedUntil: '2099-01-01T00:00:00.000Z' },
      { id: 'done', status: 'completed' },
    ],
    NOW,
  )
  const full = { link: 'https://shop.example/1', total: '1240.50', pieces: 3, tags: ['a', awkward], urgent: true }
  const rows = [order('none'), order('full', { ...full, day: '2026-11-20' }), order('empty', { tags: [] })]
  await addRows(operator, workspaceId, table, rows, NOW)
  await elsewhere.run(`UPDATE orders SET source = 'tracker' WHERE id = 'full'`)

  const lists = [
    {
      list: currentTasks,
      before: store.reader(listOf(resources.find(({ name }) => name === 'tasks') ?? assert.fail())),
    },
    { list: declaredList(definition), before: store.reader(listOf(declared)) },
  ]
  const scope = () => ({ workspaceId, now: Date.parse(NOW) })
  const listed = async (reader: (typeof lists)[number]['before']) =>
    (await readPages(reader, scope, { filters: {}, limits: [9] }))[0]
  const before = await Promise.all(lists.map(({ before }) => listed(before)))
  const seqs = await elsewhere.all<{ id: string; seq: unknown }>('SELECT id, seq FROM orders ORDER BY id')

  await move(operator)
  await assert.rejects(elsewhere.all('SELECT * FROM orders'))
  assert.deepEqual(await elsewhere.all(`SELECT id, seq FROM list_items WHERE list = 'orders' ORDER BY id`), seqs)
  const moved = await elsewhere.all<{ source: string | null; shape: string; body: string }>(
    `SELECT source, shape, body FROM list_items JOIN stored_lists USING (workspace_id, list) WHERE id = 'full'`,
  )
  assert.deepEqual([moved[0]?.source, moved[0]?.shape], ['tracker', ''])
  const stored = JSON.parse(moved[0]?.body ?? '')
  assert.deepEqual(stored, { ...order('full'), ...full, deliveryAt: null, day: '2026-11-20' })

  for (const state of ['moved', 'stored for the definition']) {
    const now = await Promise.all(lists.map(({ list }) => listed(new RowReader(list, new StoredRows(list, store)))))
    assert.deepEqual(now, before, state)
    await operator.transaction(async (tx) => {
      for (const { list } of lists) await reshape(tx, list, workspaceId)
    })
  }
  const rest = await elsewhere.all<{ id: string; rest: string }>(
    `SELECT id, rest FROM list_items WHERE list = 'tasks' AND id IN ('done', 'snoozed') ORDER BY id`,
  )
  const done = { status: 'completed', createdAt: NOW }
  const snoozed = { status: 'open', snoozedUntil: '2099-01-01T00:00:00.000Z', createdAt: NOW }
  assert.deepEqual(
    rest.map((row) => JSON.parse(row.rest)),
    [done, snoozed],
  )
  await elsewhere.run('DELETE FROM workspaces')
})

testOnly('sqlite')('an interrupted large change is undone', async (t) => {
  const { operator, workspaceId, elsewhere } = await startLists(t, await freshDatabaseUrl(t), resources)
  await addTasks(operator, workspaceId, [{ id: 'a', title: 'Before' }], NOW)
  await elsewhere.run(`
    INSERT INTO tasks (seq, workspace_id, id, title) SELECT seq - 4611686018427387904, workspace_id || '~', id, title FROM tasks;
    INSERT INTO frozen VALUES ('${workspaceId}', 'tasks', 1);
    UPDATE tasks SET title = 'Half-way' WHERE seq > 0; INSERT INTO tasks (workspace_id, id, title) VALUES ('${workspaceId}', 'b', 'New');
    UPDATE frozen SET is_writing = 0`)
  await move(operator)
  const items = await elsewhere.all<object>(`SELECT id, seq, body ->> 'title' AS title FROM list_items`)
  assert.deepEqual(
    items.map((item) => ({ ...item })),
    [{ id: 'a', seq: 1, title: 'Before' }],
  )
})

const move = (operator: OperatorStore) =>
  operator.transaction(async (tx) => {
    for (const old of await tx.all<OldList>('SELECT name, columns, objects FROM resource_tables'))
      for (const statement of moveStatements(engineUnderTest(), old)) await tx.run(statement)
  })
