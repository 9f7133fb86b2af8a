// On both engines: texts are compared by the database.
/** Queries of a list, beyond what test/properties/declared-resources.test.ts compares with a model. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { PublicReads } from '../../src/database/store.ts'
import type { Filters, PageRequest } from '../../src/lists/query.ts'
import { readerOf } from '../../src/lists/stored/rows.ts'
import type { TaskRow } from '../../src/resources/tasks/columns.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { createWorkspace } from '../support/changes.ts'
import { freshDatabaseUrl } from '../support/database.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { openStore, servedStore } from '../support/operator.ts'
import { at, NOON } from '../support/service.ts'
import { addTasks, rowsOf, startLists, storedRows } from '../support/written-lists.ts'

async function start(t: TestContext) {
  const { operator, store, workspaceId, elsewhere } = await startLists(t, await migratedDatabaseUrl(t))
  const scope = { workspaceId, now: NOON, only: null }
  const reader = readerOf(store, currentTasks)
  const { put } = rowsOf(operator, currentTasks, workspaceId)
  return {
    operator,
    workspaceId,
    elsewhere,
    ask: async (filters: Filters, request: Partial<PageRequest> = {}, workspace = workspaceId) => {
      const page = { filters, limit: 100, withTotal: true, ...request }
      const reading = await reader.page({ ...scope, workspaceId: workspace }, page)
      const rows = JSON.parse(`[${reading.rows}]`) as { id: string }[]
      return { ...reading, ids: rows.map(({ id }) => id) }
    },
    count: (by: string, filters: Filters = {}, dateOf = (instant: string) => instant.slice(0, 10)) =>
      reader.counts(scope, { filters, by, dateOf }),
    /** Numbered from 1. */
    addTasks: (count: number, taskOf: (n: number) => Partial<TaskRow>, from = 0) =>
      addTasks(operator, workspaceId, numbered(count, taskOf, from), at(0)),
    change: async (id: string, changes: Partial<TaskRow>) => {
      const stored = (await storedRows(elsewhere)).find((row) => row.id === id)
      if (stored !== undefined) await put([{ ...stored, ...changes }])
    },
  }
}

const numbered = (count: number, taskOf: (n: number) => Partial<TaskRow>, from = 0) =>
  Array.from({ length: count }, (_, i) => ({ id: `t${from + i + 1}`, ...taskOf(from + i + 1) }))

test('a list of more than a hundred rows has a digest that changes with its workspace, and is its own', async (t) => {
  const { ask, addTasks: add, change, elsewhere, operator } = await start(t)
  await add(101, (n) => ({ title: `Task ${n}` }))
  const { id } = await createWorkspace(operator, { name: 'Other', slug: 'other' }, 'test', at(0))
  const same = numbered(101, (n) => ({ title: `Task ${n}` }))
  await addTasks(operator, id, same, at(0))
  await elsewhere.run('UPDATE revisions SET number = 7')
  const { digest, total } = await ask({}, { limit: 1 })
  assert.deepEqual(total, { count: 101, isMinimum: false })
  assert.equal((await ask({}, { limit: 1 })).digest, digest)
  assert.notEqual((await ask({}, { limit: 1 }, id)).digest, digest)
  await change('t101', { title: 'Other' })
  assert.notEqual((await ask({}, { limit: 1 })).digest, digest)
})

test('a copy of a long list has a digest that no earlier state of the original had', async (t) => {
  const { ask, addTasks, change, operator, workspaceId } = await start(t)
  await addTasks(101, (n) => ({ title: `Task ${n}` }))
  const { digest } = await ask({}, { limit: 1 })
  await change('t101', { title: 'Other' })
  const url = await freshDatabaseUrl(t)
  await (await openStore(t, url)).load(operator.dump())
  const reader = readerOf(await servedStore(t, url), currentTasks)
  const copied = await reader.page({ workspaceId, now: NOON, only: null }, { filters: {}, limit: 1, withTotal: true })
  assert.equal(copied.total?.count, 101)
  assert.notEqual(copied.digest, digest)
})

test('the longest values are compared as a whole', async (t) => {
  const { ask, addTasks } = await start(t)
  const value = (end: string) => '\u0001'.repeat(9_999) + end
  await addTasks(2, (n) => ({ bookKey: value(String(n)) }))
  assert.deepEqual((await ask({ bookKey: value('2') })).ids, ['t2'])
})

test('more than 10,000 matches are counted as at least 10,000, and so are their groups', async (t) => {
  const { ask, count, addTasks } = await start(t)
  await addTasks(10_050, (n) => ({ title: `Task ${n}`, bookKey: n > 10_000 ? 'late' : 'early' }))
  for (const filters of [{}, { query: ['task'] }]) {
    const { total, next, ids } = await ask(filters, { limit: 3 })
    assert.deepEqual(total, { count: 10_000, isMinimum: true })
    assert.deepEqual(ids, ['t1', 't2', 't3'])
    assert.ok(next)
    assert.deepEqual((await ask(filters, { limit: 2, after: next })).ids, ['t4', 't5'])
    const counts = await count('bookKey', filters)
    assert.deepEqual(counts?.groups, [{ value: 'early', count: 10_000, overdue: 0 }])
    assert.deepEqual(counts?.total, { count: 10_000, isMinimum: true })
  }
})

test('other requests get their turns while many dates are counted', async (t) => {
  const { count, addTasks } = await start(t)
  const dueAt = (n: number) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString()
  await addTasks(1500, (n) => ({ title: `Zephyr ${n}`, dueAt: dueAt(n) }))
  await addTasks(3000, (n) => ({ title: `Other ${n}` }), 1500)
  let [inThisTurn, most, dates] = [0, 0, 0]
  const timer = setInterval(() => {
    inThisTurn = 0
  })
  t.after(() => clearInterval(timer))
  const slowDateOf = (instant: string) => {
    dates++
    most = Math.max(most, ++inThisTurn)
    for (const until = performance.now() + 0.1; performance.now() < until; );
    return instant.slice(0, 10)
  }
  const counted = await count('dueDate', { query: ['zephyr'] }, slowDateOf)
  assert.equal(counted?.total.count, 1500)
  assert.equal(dates, 1500)
  assert.ok(most <= 200, `${most} dates in one turn`)
})

test('what is not found, and what is suggested, is of the same moment as the rows', async (t) => {
  const { operator, store, workspaceId } = await startLists(t, await migratedDatabaseUrl(t))
  const { put } = rowsOf(operator, currentTasks, workspaceId)
  const writtenAfterEachRead: PublicReads = {
    rows: (...statement) => store.rows(...statement),
    utf8Of: (text) => store.utf8Of(text),
    async snapshot(id, read) {
      const found = await store.snapshot(id, read)
      await put([{ id: 'late', title: 'Late', status: 'open', bookKey: 'wool' }])
      return found
    },
  }
  const reader = readerOf(writtenAfterEachRead, currentTasks)
  const request = { filters: { ids: ['late'], bookKey: 'wol' }, limit: 1, withTotal: true }
  const ask = async () => (await reader.page({ workspaceId, now: NOON, only: null }, request)).hints
  assert.deepEqual(await ask(), { suggestions: {}, notFound: ['late'] })
  assert.deepEqual(await ask(), { suggestions: { bookKey: ['wool'] }, notFound: [] })
})
