/** What operators see and delete: the same on both engines. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Row } from '../../src/lists/column.ts'
import { deleteList } from '../../src/lists/stored/delete-list.ts'
import { orderedIds, readOperatorRows } from '../../src/lists/stored/operator-rows.ts'
import { ListWriter } from '../../src/lists/stored/write.ts'
import { declaredList } from '../../src/resources/declared/compile.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { orders } from '../resources/declared/published-orders.ts'
import { createWorkspace } from '../support/changes.ts'
import { startOperator } from '../support/operator.ts'

const NOW = '2026-11-15T12:00:00.000Z'
const LATER = '2026-11-16T12:00:00.000Z'
const now = Date.parse(NOW)

async function start(t: TestContext) {
  const { store, workspace } = await startOperator(t)
  const put = (rows: readonly Row[], source: string | null = null, { list = currentTasks, of = workspace } = {}) =>
    store.transaction(async (tx) => (await ListWriter.open(tx, list, of.id)).put(rows, source))
  return { store, workspace, put, scope: { workspaceId: workspace.id, now } }
}

const task = (id: string, more: Row = {}): Row => ({ id, title: `Task ${id}`, status: 'open', ...more })

test('rows are in the order of the list, current or not, with their source and why they are not current', async (t) => {
  const { store, put, scope } = await start(t)
  await put([task('last'), task('late', { dueAt: LATER }), task('done', { dueAt: NOW, status: 'completed' })])
  await put([task('hidden', { dueAt: NOW, snoozedUntil: LATER }), task('shown', { snoozedUntil: NOW })], 'tracker')
  const found = await store.read(async (tx) => {
    const current = await orderedIds(tx, currentTasks, scope, { all: false })
    const all = await orderedIds(tx, currentTasks, scope, { all: true })
    const rows = (await Array.fromAsync(readOperatorRows(tx, currentTasks, scope, all))).flat()
    return { current, rows }
  })
  assert.deepEqual(found.current, ['late', 'last', 'shown'])
  assert.deepEqual(
    found.rows.map(({ row, source, reason }) => [row.id, source, reason]),
    [
      ['done', null, 'completed'],
      ['hidden', 'tracker', `snoozed until ${LATER}`],
      ['late', null, undefined],
      ['last', null, undefined],
      ['shown', 'tracker', undefined],
    ],
  )
  assert.deepEqual(
    Object.keys(found.rows[0]?.row ?? {}),
    currentTasks.fields.map(({ name }) => name),
  )
})

test('a list is deleted from all workspaces, whose revisions move, and other lists stay', async (t) => {
  const { store, workspace, put } = await start(t)
  const other = await createWorkspace(store, { name: 'Other', slug: 'other' }, 'test', NOW)
  const without = await createWorkspace(store, { name: 'Without', slug: 'without' }, 'test', NOW)
  const definition = orders({})
  const list = declaredList(definition)
  for (const owner of [workspace, other])
    await put([{ ...(definition.example as Row), id: 'a' }], null, { list, of: owner })
  await put([task('a')])
  const revisions = async () => {
    const sql = 'SELECT workspace_id AS id, number FROM revisions'
    const rows = await store.read((tx) => tx.all<{ id: string; number: number }>(sql))
    return new Map(rows.map(({ id, number }) => [id, Number(number)]))
  }
  const before = await revisions()
  await store.transaction((tx) => deleteList(tx, list.name))
  const rows = await store.read((tx) => tx.all<Row>('SELECT list, id FROM list_items'))
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [{ list: 'tasks', id: 'a' }],
  )
  assert.equal((await store.read((tx) => tx.all('SELECT 1 FROM stored_lists'))).length, 1)
  const after = await revisions()
  const moved = [workspace, other, without].map(({ id }) => Number(after.get(id)) > Number(before.get(id)))
  assert.deepEqual(moved, [true, true, false])
})
