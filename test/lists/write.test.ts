import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Transaction } from '../../src/database/store.ts'
import type { Row } from '../../src/lists/column.ts'
import type { List } from '../../src/lists/definition.ts'
import { ListWriter } from '../../src/lists/stored/write.ts'
import { declaredList } from '../../src/resources/declared/compile.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { orders, withNotes } from '../resources/declared/published-orders.ts'
import { startOperator } from '../support/operator.ts'

const CREATED = '2026-11-15T12:00:00.000Z'
const task = (id: string, more: Row = {}): Row => ({ id, title: `Task ${id}`, status: 'open', ...more })

async function start(t: TestContext) {
  const { store, workspace } = await startOperator(t)
  const write = <T>(work: (writer: ListWriter, tx: Transaction) => Promise<T>, list: List = currentTasks) =>
    store.transaction(async (tx) => work(await ListWriter.open(tx, list, workspace.id), tx))
  const all = (columns: string, from = 'list_items ORDER BY seq') =>
    store.read((tx) => tx.all<Row>(`SELECT ${columns} FROM ${from}`))
  const revision = async () => Number((await all('number', 'revisions'))[0]?.number)
  return { write, all, revision }
}

test('rows are created in the order in which they come, and keep their place when they are replaced', async (t) => {
  const { write, all } = await start(t)
  await write((writer) => writer.put([task('b'), task('a'), task('c')], null))
  await write((writer) => writer.put([task('d'), task('a', { title: 'Another' })], 'tracker'))
  assert.deepEqual(
    (await all('id, source')).map(({ id, source }) => [id, source]),
    [
      ['b', null],
      ['a', 'tracker'],
      ['c', null],
      ['d', 'tracker'],
    ],
  )
})

test('an id that is created again comes last, even if it was the last one before', async (t) => {
  const { write, all } = await start(t)
  await write((writer) => writer.put([task('a'), task('b')], null))
  await write((writer) => writer.delete(['b']))
  await write((writer) => writer.put([task('c')], null))
  const [first, last] = await all('id, seq')
  assert.deepEqual([first?.id, last?.id], ['a', 'c'])
  assert.equal(Number(last?.seq), 3)
})

test('the revision moves once for all rows of a transaction, and not at all if none differs', async (t) => {
  const { write, all, revision } = await start(t)
  const before = await revision()
  const rows = Array.from({ length: 250 }, (_, i) => task(`t${i}`))
  assert.deepEqual(await write((writer) => writer.put(rows, null)), { created: 250, changed: 0 })
  const first = await revision()
  assert.ok(first > before)
  assert.equal((await all('id', `list_items WHERE revision = ${first}`)).length, 250)
  assert.deepEqual(await write((writer) => writer.put(rows, null)), { created: 0, changed: 0 })
  assert.equal(await write((writer) => writer.delete(['none'])), 0)
  assert.equal(await revision(), first)
  const changes = await write(async (writer) => {
    const { changed } = await writer.put([task('t7', { title: 'Changed' })], null)
    return [changed, await writer.delete(['t1', 't2', 'none'])]
  })
  assert.deepEqual(changes, [1, 2])
  const newest = await all('id', `list_items WHERE revision = ${await revision()}`)
  assert.deepEqual(
    newest.map(({ id }) => id),
    ['t7'],
  )
})

test('a replaced row keeps its time of creation, unless it has another', async (t) => {
  const { write, all } = await start(t)
  await write((writer) => writer.put([task('a', { createdAt: CREATED }), task('b', { createdAt: CREATED })], null))
  const later = '2026-11-16T12:00:00.000Z'
  await write((writer) => writer.put([task('a', { title: 'New' }), task('b', { createdAt: later })], null))
  const times = (await all('rest')).map(({ rest }) => JSON.parse(String(rest)).createdAt)
  assert.deepEqual(times, [CREATED, later])
})

test('a row that the list cannot show has no sort key, and one that it hides for a time says until when', async (t) => {
  const { write, all } = await start(t)
  const rows = [
    task('open', { dueAt: CREATED }),
    task('done', { status: 'completed', snoozedUntil: CREATED }),
    task('later', { snoozedUntil: CREATED }),
  ]
  await write((writer) => writer.put(rows, null))
  assert.deepEqual(
    (await all('sort_key, shown_from')).map((row) => [row.sort_key, row.shown_from && Number(row.shown_from)]),
    [
      ['2026-11-15T12:00:00.000', null],
      [null, null],
      ['~', Date.parse(CREATED)],
    ],
  )
})

test('a rolled back transaction leaves neither rows nor a revision', async (t) => {
  const { write, all, revision } = await start(t)
  const before = await revision()
  const failing = write(async (writer) => {
    await writer.put([task('a')], null)
    throw new Error('on purpose')
  })
  await assert.rejects(failing, /on purpose/)
  assert.deepEqual([await all('id'), await revision()], [[], before])
})

test('the rows of a list go with their workspace', async (t) => {
  const { write, all } = await start(t)
  await write((writer) => writer.put([task('a')], null))
  await write((_, tx) => tx.run('DELETE FROM workspaces'))
  assert.deepEqual([await all('id'), await all('list', 'stored_lists')], [[], []])
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
