// On both engines: each engine numbers rows in its own way.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Transaction } from '../../src/database/store.ts'
import type { Row } from '../../src/lists/column.ts'
import type { List } from '../../src/lists/definition.ts'
import { declaredList } from '../../src/resources/declared/compile.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { orders, withNotes } from '../resources/declared/published-orders.ts'
import { startOperator } from '../support/operator.ts'
import { openRows } from '../support/written-lists.ts'

const task = (id: string, more: Row = {}): Row => ({ id, title: `Task ${id}`, status: 'open', ...more })

async function start(t: TestContext) {
  const { store, workspace } = await startOperator(t)
  const write = <T>(
    work: (writer: Awaited<ReturnType<typeof openRows>>, tx: Transaction) => Promise<T>,
    list: List = currentTasks,
  ) => store.transaction(async (tx) => work(await openRows(tx, list, workspace.id), tx))
  const all = (columns: string, from = 'list_items ORDER BY seq') =>
    store.read((tx) => tx.all<Row>(`SELECT ${columns} FROM ${from}`))
  const revision = async () => Number((await all('number', 'revisions'))[0]?.number)
  return { write, all, revision }
}

test('an id that is created again comes last, even if it was the last one before', async (t) => {
  const { write, all } = await start(t)
  await write((writer) => writer.put([task('a'), task('b')], null))
  await write((writer) => writer.delete(['b']))
  await write((writer) => writer.put([task('c')], null))
  const [first, last] = await all('id, seq')
  assert.deepEqual([first?.id, last?.id], ['a', 'c'])
  assert.equal(Number(last?.seq), 3)
})

test('a row for another definition than the stored ones is refused, and nothing changes', async (t) => {
  const { write, all, revision } = await start(t)
  const before = orders({})
  const { id: _, ...example } = before.example as Row
  await write((writer) => writer.put([{ ...example, id: 'a' }], null), declaredList(before))
  const [rows, number] = [await all('*'), await revision()]
  const other = declaredList({ ...withNotes(before, 'note'), order: ['supplier'] })
  await assert.rejects(
    write((writer) => writer.put([{ ...example, id: 'b' }], null), other),
    { name: 'StorageError', message: 'the definition of orders was changed meanwhile; try again' },
  )
  assert.deepEqual(await all('*'), rows)
  assert.equal(await revision(), number)
})
