/** What imports and syncs of items do to the stored rows: the same on both engines. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Row } from '../../src/lists/column.ts'
import type { List } from '../../src/lists/definition.ts'
import type { RowDifference } from '../../src/lists/stored/comparison.ts'
import { StagedItems, type WrittenListener } from '../../src/lists/stored/staged-items.ts'
import { ListWriter } from '../../src/lists/stored/write.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { startOperator } from '../support/operator.ts'
import { openStore } from '../support/stores.ts'

const NOW = '2026-11-15T12:00:00.000Z'

const task = (id: string, more: Row = {}): Row => ({ id, title: `Task ${id}`, status: 'open', ...more })
const tasks = (count: number, more: Row = {}) => Array.from({ length: count }, (_, i) => task(`t${i}`, more))
const gone = (id: string): Row => ({ id, deleted: 1 })

async function start(t: TestContext, list: List = currentTasks) {
  const operator = await startOperator(t)
  const { store, workspace } = operator
  const all = (columns: string, from = 'list_items ORDER BY seq') =>
    store.read((tx) => tx.all<Row>(`SELECT ${columns} FROM ${from}`))
  return {
    ...operator,
    all,
    ids: async () => (await all('id')).map(({ id }) => id),
    traces: async () => [await all('*', 'list_items ORDER BY list, id'), await all('*', 'revisions')],
    /** What differs. It is written unless `isWanted` refuses. */
    async take(
      rows: readonly Row[],
      source: string | null = null,
      {
        of = list,
        meanwhile = async () => {},
        isWanted = () => true,
        onWritten,
      }: {
        of?: List
        meanwhile?: () => Promise<unknown>
        isWanted?: (difference: RowDifference) => boolean
        onWritten?: WrittenListener
      } = {},
    ) {
      using staging = new StagedItems(of, NOW)
      staging.add(rows)
      const scope = { workspaceId: workspace.id, source }
      const preview = await store.read((tx) => staging.compare(tx, scope))
      await meanwhile()
      return await store.transaction(async (tx) => {
        const { difference, write } = await staging.begin(tx, scope)
        if (isWanted(difference)) await write(onWritten)
        return { ...difference, preview }
      })
    },
    put: (rows: readonly Row[], source: string | null = null) =>
      store.transaction(async (tx) => (await ListWriter.open(tx, list, workspace.id)).put(rows, source)),
  }
}

const counts = ({ created, changed, gone, unchanged }: RowDifference) => [created, changed, gone, unchanged]

test('what differs is written, and the revision moves once, or not at all if nothing differs', async (t) => {
  const { take, all, traces } = await start(t)
  const revision = async () => Number((await all('number', 'revisions'))[0]?.number)
  assert.deepEqual(counts(await take(tasks(250))), [250, 0, 0, 0])
  assert.equal((await all('id', `list_items WHERE revision = ${await revision()}`)).length, 250)
  const stored = await traces()
  assert.deepEqual(counts(await take(tasks(250).reverse())), [0, 0, 0, 250])
  assert.deepEqual(await traces(), stored)
  const some = [task('t7', { title: 'Seven' }), task('new'), gone('t9'), gone('never'), task('t8')]
  assert.deepEqual(counts(await take(some)), [1, 1, 1, 2])
  const newest = await all('id', `list_items WHERE revision = ${await revision()} ORDER BY seq`)
  assert.deepEqual(
    newest.map(({ id }) => id),
    ['t7', 'new'],
  )
})

test("a sync also deletes its source's other rows, and touches no other source", async (t) => {
  const { take, all } = await start(t)
  await take([task('imported')])
  await take([task('other')], 'other')
  await take(
    ['a', 'b', 'c'].map((id) => task(id)),
    'tracker',
  )
  const next = [task('d'), task('c'), task('a', { title: 'A' })]
  assert.deepEqual(counts(await take(next, 'tracker')), [1, 1, 1, 1])
  assert.deepEqual(
    (await all('id, source')).map(({ id, source }) => `${id} ${source}`),
    ['imported null', 'other other', 'a tracker', 'c tracker', 'd tracker'],
  )
})

test('ids that belong to others are named, in the order of the file', async (t) => {
  const { take } = await start(t)
  await take(tasks(9).slice(5))
  await take(tasks(3), 'other')
  const { foreign } = await take([...tasks(9).reverse(), task('new')], 'tracker', { isWanted: () => false })
  const rows = ['t8', 't7', 't6'].map((id) => ({ id, source: null }))
  assert.deepEqual(foreign, { count: 7, rows })
  assert.deepEqual((await take([gone('t1')], null, { isWanted: () => false })).foreign, {
    count: 1,
    rows: [{ id: 't1', source: 'other' }],
  })
})

test('of rows with the same id the last one counts, at the place of the first', async (t) => {
  const { take, ids, all } = await start(t)
  const rows = [task('x'), task('a'), task('b'), gone('a'), task('x', { title: 'Last' }), gone('y'), task('y')]
  const { repeated, ...difference } = await take(rows)
  assert.deepEqual(repeated, { count: 3, ids: ['x', 'a', 'y'] })
  assert.deepEqual(counts({ repeated, ...difference }), [3, 0, 0, 1])
  assert.deepEqual(await ids(), ['x', 'b', 'y'])
  assert.match(String((await all('body'))[0]?.body), /"title":"Last"/)
})

test('new rows are in the order of their creation, those without a time last; existing ones keep place and time', async (t) => {
  const { take, ids, all } = await start(t)
  await take([task('old', { createdAt: '2026-09-01T00:00:00.000Z' })])
  await take([
    task('none'),
    task('later', { createdAt: '2026-03-01T00:00:00.000Z' }),
    task('old', { title: 'New' }),
    task('earlier', { createdAt: '2026-02-01T00:00:00.000Z' }),
    task('same', { createdAt: '2026-03-01T00:00:00.000Z' }),
  ])
  assert.deepEqual(await ids(), ['old', 'earlier', 'later', 'same', 'none'])
  const times = async () => (await all('rest')).map(({ rest }) => JSON.parse(String(rest)).createdAt.slice(0, 10))
  assert.deepEqual(await times(), ['2026-09-01', '2026-02-01', '2026-03-01', '2026-03-01', NOW.slice(0, 10)])
  assert.deepEqual(counts(await take([task('old', { title: 'New' })])), [0, 0, 0, 1])
  assert.deepEqual(counts(await take([task('none', { createdAt: '2020-01-01T00:00:00.000Z' })])), [0, 1, 0, 0])
  assert.equal((await times()).at(-1), '2020-01-01')
})

test('a field that most rows of the source have and no staged one is named', async (t) => {
  const { take } = await start(t)
  await take([task('other')], 'other')
  const dated = tasks(30).map((row, i) => ({ ...row, ...(i < 16 && { dueAt: NOW, bookKey: 'k' }) }))
  await take(dated, 'tracker')
  const vanished = async (rows: Row[]) => (await take(rows, 'tracker', { isWanted: () => false })).vanished
  const both = ['dueAt', 'bookKey'].map((field) => ({ field, rows: 16 }))
  assert.deepEqual(await vanished(tasks(30)), both)
  assert.deepEqual(await vanished(tasks(30, { bookKey: '' })), both)
  const one = tasks(30).map((row, i) => ({ ...row, ...(i === 29 && { dueAt: NOW }) }))
  assert.deepEqual(await vanished(one), both.slice(1))
  assert.deepEqual(await vanished(dated), [])
})

test('rows that change between comparison and transaction are compared again', async (t) => {
  const { take, put, ids, all } = await start(t)
  await take(tasks(5), 'tracker')
  const meanwhile = () => put([task('t1', { title: 'By hand' }), task('more')], 'tracker')
  const { preview, ...difference } = await take(tasks(5), 'tracker', { meanwhile })
  assert.deepEqual(counts(preview), [0, 0, 0, 5])
  assert.deepEqual(counts({ ...difference }), [0, 1, 1, 4])
  assert.deepEqual(await ids(), ['t0', 't1', 't2', 't3', 't4'])
  assert.match(String((await all('body'))[1]?.body), /"title":"Task t1"/)
})

test('a transaction that fails while rows are written leaves nothing', async (t) => {
  const { take, traces } = await start(t)
  await take(tasks(150), 'tracker')
  const before = await traces()
  const onWritten = () => {
    throw new Error('on purpose')
  }
  await assert.rejects(take(tasks(300, { title: 'x' }).slice(50), 'tracker', { onWritten }), /on purpose/)
  assert.deepEqual(await traces(), before)
})

test('it is reported how much is written', async (t) => {
  const { take } = await start(t)
  await take(tasks(50))
  const reported: number[][] = []
  await take([...tasks(240, { title: 'x' }), gone('t0')], null, {
    onWritten: (...progress) => reported.push(progress),
  })
  assert.deepEqual(reported, [
    [100, 239],
    [200, 239],
    [239, 239],
  ])
})

/** Of one row, so that there are 100,000. */
const MANY_COPIES = `
  WITH RECURSIVE numbers AS (SELECT 3 AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < 100000)
  INSERT INTO list_items (workspace_id, list, id, seq, revision, sort_key, words, body, rest)
  SELECT workspace_id, list, 'copy ' || n, n, revision, sort_key, words, body, rest
  FROM numbers JOIN list_items ON id = 't0'`

test('a list may have 100,000 rows, and one more is refused before anything is written', async (t) => {
  const { take, all, store } = await start(t)
  await take(tasks(2))
  await store.transaction((tx) => tx.run(MANY_COPIES))
  const state = () =>
    all('(SELECT number FROM revisions) AS revision, (SELECT count(*) FROM list_items) AS rows', '(SELECT 1) AS one')
  const before = await state()
  await assert.rejects(take([task('one more'), task('t1', { title: 'x' })]), {
    message: 'a workspace can have at most 100,000 tasks, and would have 100,001; nothing was changed',
  })
  assert.deepEqual(await state(), before)
  assert.deepEqual(counts(await take([task('one more'), gone('t1')])), [1, 0, 1, 0])
})

test('a lock is held until it is disposed, and other names are free', async (t) => {
  const { url, store } = await start(t)
  const other = await openStore(t, url)
  {
    await using held = await store.lock('tracker')
    assert.ok(held)
    assert.equal(await other.lock('tracker'), undefined)
    await using another = await other.lock('another')
    assert.ok(another)
    await store.transaction((tx) => tx.all('SELECT 1'))
  }
  await using again = await other.lock('tracker')
  assert.ok(again)
})
