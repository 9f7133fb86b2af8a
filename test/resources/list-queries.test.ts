/** Queries of a list, beyond what test/properties/task-queries.test.ts compares with a naive reading. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import type { Filters, PageRequest } from '../../src/lists/query.ts'
import type { Resource } from '../../src/resources/define.ts'
import { resources } from '../../src/resources/index.ts'
import { tasks } from '../../src/resources/tasks/contract.ts'
import { createWorkspace } from '../support/changes.ts'
import { engineUnderTest, freshDatabaseUrl, numbers } from '../support/database.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { listOf, startLists } from '../support/pages.ts'
import { at, NOON } from '../support/service.ts'
import { openStore, servedStore } from '../support/stores.ts'

async function start(t: TestContext) {
  const { operator, store, workspaceId, elsewhere } = await startLists(t, await migratedDatabaseUrl(t), resources)
  const scope = { workspaceId, now: NOON }
  return {
    operator,
    workspaceId,
    elsewhere,
    ask: async (
      resource: Resource,
      filters: Filters,
      request: Partial<PageRequest> = {},
      now = NOON,
      workspace = workspaceId,
    ) => {
      const page = { filters, limit: 100, withTotal: true, ...request }
      const reading = await store.reader(listOf(resource)).page({ workspaceId: workspace, now }, page)
      const rows = JSON.parse(`[${reading.rows}]`) as { id: string }[]
      return { ...reading, ids: rows.map(({ id }) => id) }
    },
    count: (
      resource: Resource,
      by: string,
      filters: Filters = {},
      dateOf = (instant: string) => instant.slice(0, 10),
    ) => store.reader(listOf(resource)).counts(scope, { filters, by, dateOf }),
    suggest: (resource: Resource, filter: string, value: string) =>
      store.reader(listOf(resource)).suggest(scope, filter, value),
    /** Numbered from 1: `columns` are given by the number n. */
    addTasks: async (count: number, columns: Record<string, string>, from = 0) => {
      await elsewhere.run(`INSERT INTO tasks (workspace_id, id, ${Object.keys(columns).join(', ')})
        SELECT '${workspaceId}', 't' || n, ${Object.values(columns).join(', ')} FROM ${numbers(from + 1, from + count)}`)
      await elsewhere.analyze('tasks')
    },
  }
}

const shown = (n: string) => (engineUnderTest() === 'sqlite' ? `CAST(${n} AS TEXT)` : `(${n})::text`)

test('the next query sees a change, whoever made it', async (t) => {
  const { ask, addTasks, elsewhere } = await start(t)
  await addTasks(1500, { title: `'Task ' || n` })
  assert.deepEqual((await ask(tasks, { query: ['zephyr'] })).ids, [])
  await elsewhere.run(`UPDATE tasks SET details = 'A ZEPHYR blows' WHERE id = 't7'`)
  assert.deepEqual((await ask(tasks, { query: ['zephyr'] })).ids, ['t7'])
  await elsewhere.run(`UPDATE tasks SET details = NULL, source_title = 'zephyr' WHERE id = 't7'`)
  assert.deepEqual((await ask(tasks, { query: ['zephyr'] })).ids, ['t7'])
  await elsewhere.run(`UPDATE tasks SET status = 'completed' WHERE id = 't7'`)
  assert.deepEqual((await ask(tasks, { query: ['zephyr'] })).ids, [])
  await elsewhere.run(`UPDATE tasks SET status = 'open' WHERE id = 't7'`)
  assert.deepEqual((await ask(tasks, { query: ['zephyr'] })).ids, ['t7'])
  await elsewhere.run(`DELETE FROM tasks WHERE id = 't7'`)
  assert.deepEqual((await ask(tasks, { query: ['zephyr'] })).ids, [])
})

test('every page has its own rows, and the digest of all rows', async (t) => {
  const { ask, addTasks } = await start(t)
  await addTasks(7, { title: `'Tâsk ' || n` })
  const whole = await ask(tasks, {}, { fields: ['id', 'title'] })
  assert.equal(whole.digest, hash('sha256', whole.rows.join(), 'hex'))
  const ids: string[] = []
  let next: PageRequest['after']
  do {
    const page = await ask(tasks, {}, { fields: ['id', 'title'], limit: 3, ...(next && { after: next }) })
    assert.deepEqual([page.digest, page.total], [whole.digest, whole.total])
    ids.push(...page.ids)
    next = page.next
  } while (next !== undefined)
  assert.deepEqual(ids, whole.ids)
})

test('the digest changes with any row of the list, even on unread pages, and not with other rows', async (t) => {
  const { ask, addTasks, elsewhere } = await start(t)
  await addTasks(60, { title: `'Task ' || n`, book_key: `CASE WHEN n % 2 = 0 THEN 'linen' ELSE 'wool' END` })
  const digest = async (filters: Filters, request: Partial<PageRequest> = {}) =>
    (await ask(tasks, filters, { limit: 5, ...request })).digest
  const before = await digest({ bookKey: 'linen' })
  assert.equal(await digest({ bookKey: 'linen' }), before)
  await elsewhere.run(`UPDATE tasks SET details = 'other' WHERE id = 't1'`)
  assert.equal(await digest({ bookKey: 'linen' }), before, 'a row of another book')
  const titles = await digest({ bookKey: 'linen' }, { fields: ['id', 'title'] })
  await elsewhere.run(`UPDATE tasks SET details = 'changed' WHERE id = 't60'`)
  assert.notEqual(await digest({ bookKey: 'linen' }), before, 'the last row')
  assert.equal(await digest({ bookKey: 'linen' }, { fields: ['id', 'title'] }), titles, 'a member that is not shown')
  await elsewhere.run(`UPDATE tasks SET book_key = 'wool' WHERE id = 't60'`)
  assert.notEqual(await digest({ bookKey: 'linen' }, { fields: ['id', 'title'] }), titles, 'one row less')
})

test('a list of more than a hundred rows has a digest that changes with its workspace', async (t) => {
  const { ask, addTasks, elsewhere } = await start(t)
  await addTasks(101, { title: `'Task ' || n` })
  const { digest, total } = await ask(tasks, {}, { limit: 1 })
  assert.deepEqual(total, { count: 101, isMinimum: false })
  assert.equal((await ask(tasks, {}, { limit: 1 })).digest, digest)
  await elsewhere.run(`UPDATE tasks SET title = 'Other' WHERE id = 't101'`)
  assert.notEqual((await ask(tasks, {}, { limit: 1 })).digest, digest)
})

test('long lists of two workspaces have different digests, even at the same revision', async (t) => {
  const { ask, addTasks, elsewhere, operator } = await start(t)
  await addTasks(101, { title: `'Task ' || n` })
  const { id } = await createWorkspace(operator, { name: 'Other', slug: 'other' }, 'test', at(0))
  await elsewhere.run(`INSERT INTO tasks (workspace_id, id, title) SELECT '${id}', id, title FROM tasks`)
  await elsewhere.run('UPDATE revisions SET number = 7')
  const { digest } = await ask(tasks, {}, { limit: 1 })
  assert.notEqual((await ask(tasks, {}, { limit: 1 }, NOON, id)).digest, digest)
})

test('a copy of a long list has a digest that no earlier state of the original had', async (t) => {
  const { ask, addTasks, elsewhere, operator, workspaceId } = await start(t)
  await addTasks(101, { title: `'Task ' || n` })
  const { digest } = await ask(tasks, {}, { limit: 1 })
  await elsewhere.run(`UPDATE tasks SET title = 'Other' WHERE id = 't101'`)
  const url = await freshDatabaseUrl(t)
  await (await openStore(t, url, resources)).load(operator.dump())
  const reader = (await servedStore(t, url, resources)).reader(listOf(tasks))
  const copied = await reader.page({ workspaceId, now: NOON }, { filters: {}, limit: 1, withTotal: true })
  assert.equal(copied.total?.count, 101)
  assert.notEqual(copied.digest, digest)
})

test('more than 10,000 matches are counted as at least 10,000, and so are their groups', async (t) => {
  const { ask, count, addTasks } = await start(t)
  await addTasks(10_050, { title: `'Task ' || n`, book_key: `CASE WHEN n > 10000 THEN 'late' ELSE 'early' END` })
  for (const filters of [{}, { query: ['task'] }]) {
    const { total, next, ids } = await ask(tasks, filters, { limit: 3 })
    assert.deepEqual(total, { count: 10_000, isMinimum: true })
    assert.deepEqual(ids, ['t1', 't2', 't3'])
    assert.ok(next)
    assert.deepEqual((await ask(tasks, filters, { limit: 2, after: next })).ids, ['t4', 't5'])
    const counts = await count(tasks, 'bookKey', filters)
    assert.deepEqual(counts?.groups, [{ value: 'early', count: 10_000, overdue: 0 }])
    assert.deepEqual(counts?.total, { count: 10_000, isMinimum: true })
  }
})

test('totals and groups of a common word are exact up to 10,000 matches, however long the list', async (t) => {
  const { ask, count, addTasks } = await start(t)
  await addTasks(24_000, {
    title: `CASE WHEN n % 4 = 0 THEN 'Linen zephyr ' WHEN n % 2 = 0 THEN 'Linen ' ELSE 'Wool ' END || n`,
    book_key: `CASE WHEN n > 12000 THEN 'late' ELSE 'early' END`,
    assignee_name: `CASE WHEN n % 2 = 0 THEN 'Priya' ELSE 'Bo' END`,
  })
  for (const query of [['zephyr'], ['ze']]) {
    const { ids, total } = await ask(tasks, { query }, { limit: 2 })
    assert.deepEqual([ids, total], [['t4', 't8'], { count: 6000, isMinimum: false }])
  }
  const counts = await count(tasks, 'bookKey', { query: ['ze'] })
  assert.deepEqual(counts?.total, { count: 6000, isMinimum: false })
  assert.deepEqual(counts?.groups, [
    { value: 'early', count: 3000, overdue: 0 },
    { value: 'late', count: 3000, overdue: 0 },
  ])
  for (const filters of [{ query: ['linen'] }, { assignee: 'priya' }])
    assert.deepEqual((await ask(tasks, filters, { limit: 2 })).total, { count: 10_000, isMinimum: true })
  assert.deepEqual((await count(tasks, 'bookKey', { query: ['linen'] }))?.groups, [
    { value: 'early', count: 6000, overdue: 0 },
    { value: 'late', count: 4000, overdue: 0 },
  ])
})

test('other requests get their turns while many dates are counted', async (t) => {
  const { count, addTasks } = await start(t)
  const due =
    engineUnderTest() === 'sqlite'
      ? `strftime('%Y-%m-%dT00:00:00.000Z', '2026-01-01', n || ' days')`
      : `'2026-01-01Z'::timestamptz + n * interval '1 day'`
  await addTasks(1500, { title: `'Zephyr ' || n`, due_at: due })
  await addTasks(3000, { title: `'Other ' || n` }, 1500)
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
  const counted = await count(tasks, 'dueDate', { query: ['zephyr'] }, slowDateOf)
  assert.equal(counted?.total.count, 1500)
  assert.equal(dates, 1500)
  assert.ok(most <= 200, `${most} dates in one turn`)
})

test('a response that depends on due dates is valid until the next task falls due', async (t) => {
  const { ask, count, addTasks, elsewhere } = await start(t)
  await addTasks(3, {
    title: `'Task'`,
    due_at: `CASE n WHEN 1 THEN '${at(-5)}' WHEN 2 THEN '${at(5)}' ELSE '${at(9)}' END${engineUnderTest() === 'sqlite' ? '' : '::timestamptz'}`,
  })
  const overdue = (now: number) => ask(tasks, { dueBefore: new Date(now).toISOString() }, { followsDue: true }, now)
  const { ids, until } = await overdue(NOON)
  assert.deepEqual(ids, ['t1'])
  assert.equal(until, Date.parse(at(5)) + 1)
  assert.deepEqual((await overdue(until - 1)).ids, ['t1'])
  assert.deepEqual((await overdue(until)).ids, ['t1', 't2'])
  assert.equal((await count(tasks, 'bookKey'))?.until, until)
  await elsewhere.run(`UPDATE tasks SET snoozed_until = '${at(1)}' WHERE id = 't3'`)
  assert.equal((await overdue(NOON)).until, Date.parse(at(1)), 'the end of a snooze comes first')
})

test('values close to one that matched nothing are suggested, from anywhere in a large workspace', async (t) => {
  const { suggest, addTasks } = await start(t)
  await addTasks(2500, {
    title: `'Task'`,
    book_key: `CASE WHEN n = 2400 THEN 'home-textiles' WHEN n % 2 = 0 THEN 'wool' ELSE 'linen' END`,
    assignee_name: `CASE n WHEN 3 THEN 'Priya Raman' WHEN 4 THEN 'Bo Li' END`,
    assignee_email: `CASE n WHEN 3 THEN 'Priya@x.example' END`,
    source_session_id: `'session_' || ${shown('n')}`,
  })
  assert.equal((await suggest(tasks, 'bookKey', 'home-textile'))?.[0], 'home-textiles')
  assert.equal((await suggest(tasks, 'assignee', 'prya raman'))?.[0], 'Priya Raman')
  assert.equal((await suggest(tasks, 'assigneeEmail', 'pria@x.example'))?.[0]?.toLowerCase(), 'priya@x.example')
  const sessions = await suggest(tasks, 'sourceSessionId', 'session_24001')
  assert.equal(sessions?.length, 10)
  assert.ok(sessions?.includes('session_2400'), String(sessions))
})
