import assert from 'node:assert/strict'
import { testWith } from '../support/database.ts'
import { idsIn, startAsking } from './asking.ts'

const test = testWith(startAsking)

const hour = (n: number) => new Date(Date.parse('2026-11-15T00:00:00Z') + n * 3_600_000).toISOString()
const long = 'd'.repeat(2000)

test('fields and ifNoneMatch work in every version; long texts are cut only for models', async ({ ways, addTasks }) => {
  await addTasks([{ id: 'a', title: 'A', details: long, dueAt: hour(1) }])
  for (const { where, isModern, ask } of ways) {
    const { tasks } = await ask({ limit: 1 })
    assert.equal(String(tasks[0]?.details).length, isModern ? 500 : 2000, where)
    assert.deepEqual((await ask({ fields: ['details'] })).tasks, [{ id: 'a', title: 'A', details: long }])
    const { etag } = await ask({ fields: ['dueAt'] })
    const unchanged = await ask({ fields: ['dueAt'], ifNoneMatch: etag })
    assert.deepEqual(unchanged, { unchanged: true, asOf: '2026-11-15T12:00:00.000Z', etag })
    assert.ok(JSON.stringify(unchanged).length < 60 * 4, 'fewer than 60 tokens')
  }
})

test('unchanged means that nothing in the whole list changed, even on pages that were not read', async (service) => {
  const { ways, addTasks } = service
  await addTasks(Array.from({ length: 5 }, (_, i) => ({ id: `t${i}`, dueAt: hour(i), bookKey: 'hats' })))
  const args = { bookKey: 'hats', limit: 2 }
  const etags: string[] = []
  const unchanged = async () => {
    const results = await Promise.all(ways.map(({ ask }, i) => ask({ ...args, ifNoneMatch: etags[i] ?? '' })))
    results.forEach(({ etag }, i) => {
      etags[i] = etag
    })
    return results.map((result) => result.unchanged ?? false)
  }
  assert.deepEqual(await unchanged(), [false, false])
  await addTasks([{ id: 'elsewhere', bookKey: 'shoes' }])
  assert.deepEqual(await unchanged(), [true, true], 'a task of another list')
  for (const task of [
    { id: 'late', dueAt: hour(99), bookKey: 'hats' },
    { id: 't4', dueAt: hour(4), bookKey: 'hats', title: 'Other words' },
  ]) {
    await addTasks([task])
    assert.deepEqual(await unchanged(), [false, false], 'a change beyond the page')
    assert.deepEqual(await unchanged(), [true, true])
  }
})

test('a cursor keeps the days that due meant on the first page', async ({ ways, addTasks, time }) => {
  await addTasks(Array.from({ length: 30 }, (_, i) => ({ id: `t${i}`, dueAt: hour(2 * i) })))
  for (const { ask, fault } of ways)
    for (const due of ['today', 'overdue', 'this_week', 'next_7_days']) {
      time.now = Date.parse('2026-11-15T23:59:59.999Z')
      const [first, whole] = [await ask({ due, limit: 2 }), await ask({ due })]
      time.now += 30 * 3_600_000
      const cursor = first.nextCursor
      const rest = await ask({ due, cursor })
      assert.equal(`${idsIn(first)} ${idsIn(rest)}`, idsIn(whole), due)
      assert.deepEqual([rest.total, rest.localDate], [whole.total, '2026-11-17'])
      for (const args of [{ due: 'tomorrow', cursor }, { cursor }])
        assert.match(await fault(args), /cursor belongs to a call with other filters/)
    }
})

test('countBy returns the size of each group, the largest first', async ({ ways, addTasks }) => {
  const ann = { assigneeName: 'Ann', assigneeEmail: 'Ann@acme.example' }
  await addTasks([
    {
      id: 'a',
      dueAt: hour(1),
      bookKey: 'hats',
      sourceKind: 'meeting',
      sourceSessionId: 's',
      ...ann,
      assigneeName: null,
    },
    {
      id: 'b',
      dueAt: hour(13),
      bookKey: 'hats',
      sourceKind: 'mail',
      sourceSessionId: 's',
      sourceTitle: 'Call',
      ...ann,
    },
    { id: 'c', dueAt: hour(25), bookKey: 'shoes', sourceKind: 'mail', assigneeName: 'Bo' },
    { id: 'd', sourceKind: 'mail' },
    { id: 'e', dueAt: hour(2), status: 'completed', ...ann },
  ])
  const group = (value: string | null, count: number, overdue = 0) => ({ value, count, overdue })
  const expected = {
    assignee: [{ ...group('ann@acme.example', 2, 1), name: 'Ann' }, group('Bo', 1), group(null, 1)],
    bookKey: [group('hats', 2, 1), group('shoes', 1), group(null, 1)],
    sourceKind: [group('mail', 3), group('meeting', 1, 1)],
    sourceSessionId: [{ ...group('s', 2, 1), title: 'Call' }, group(null, 2)],
    dueDate: [group('2026-11-15', 2, 1), group('2026-11-16', 1), group(null, 1)],
  }
  for (const { where, ask } of ways) {
    for (const [countBy, counts] of Object.entries(expected)) {
      const { etag, ...rest } = await ask({ countBy })
      const time = { asOf: '2026-11-15T12:00:00.000Z', localDate: '2026-11-15', timezone: 'Europe/London' }
      assert.deepEqual(rest, { ...time, total: 4, overdue: 1, counts, more: 0 }, `${where}: ${countBy}`)
      assert.ok(JSON.stringify(rest).length < 300 * 3.6, 'fewer than 300 tokens')
      assert.equal((await ask({ countBy, limit: 1, fields: ['dueAt'], ifNoneMatch: etag })).unchanged, true)
    }
    const { total, counts } = await ask({ countBy: 'bookKey', due: 'today', assignee: 'ann' })
    assert.deepEqual([total, counts], [1, [group('hats', 1)]])
  }
})

test('countBy returns at most 50 groups, and how many it left out', async ({ ways, addTasks }) => {
  await addTasks(Array.from({ length: 60 }, (_, i) => ({ id: `t${i}`, bookKey: `b${i % 53}` })))
  for (const { ask } of ways) {
    const { counts, more, total } = await ask({ countBy: 'bookKey' })
    assert.deepEqual([counts?.length, counts?.[0]?.count, more, total], [50, 2, 3, 60])
  }
})

test('a filter that matches nothing returns the nearest values, marked as untrusted', async (service) => {
  const { ways, addTasks, callTool } = service
  const priya = { assigneeName: 'Priya <b>Raman', assigneeEmail: 'priya@acme.example' }
  await addTasks([
    { id: 'a', bookKey: 'home-textiles', sourceSessionId: 'session_88', ...priya },
    { id: 'b', bookKey: 'shoes' },
    { id: 'c', bookKey: 'hidden', status: 'completed' },
  ])
  const near: [args: object, filter: string, value: string][] = [
    [{ bookKey: 'home textiles' }, 'bookKey', 'home-textiles'],
    [{ assigneeEmail: 'pria@acme.example' }, 'assigneeEmail', 'priya@acme.example'],
    [{ assignee: 'pryia' }, 'assignee', 'Priya <b>Raman'],
    [{ sourceSessionId: 'session-88' }, 'sourceSessionId', 'session_88'],
    [{ bookKey: 'shoe', due: 'none', assignee: 'priya' }, 'bookKey', 'shoes'],
  ]
  for (const { where, ask } of ways) {
    for (const [args, filter, value] of near) {
      const { tasks, total, suggestions = {} } = await ask(args)
      assert.deepEqual([tasks, total], [[], 0])
      assert.deepEqual(Object.keys(suggestions), [filter], `${where}: only the filter that is at fault`)
      assert.ok(suggestions[filter]?.includes(value), JSON.stringify(suggestions))
      assert.ok(!suggestions[filter]?.includes('hidden'))
      assert.deepEqual(Object.keys((await ask({ ...args, countBy: 'bookKey' })).suggestions ?? {}), [filter])
    }
    assert.equal(
      (await ask({ bookKey: 'shoes', due: 'today' })).suggestions,
      undefined,
      'each filter matches something',
    )
  }
  const response = await callTool('list_tasks', { assignee: 'pryia' })
  const { result } = response.json as { result: { _meta: Record<string, Record<string, string[]>> } }
  assert.deepEqual(result._meta['vitrine/untrusted']?.suggestions, ['assignee'])
  assert.ok(response.text.includes(String.raw`Priya \u003cb\u003eRaman`))
  const counted = (await callTool('list_tasks', { countBy: 'assignee' })).json as typeof response.json
  assert.deepEqual((counted as { result: typeof result }).result._meta['vitrine/untrusted'], {
    counts: ['value', 'name', 'title'],
  })
})

test('a query that matches nothing returns how many tasks contain each word', async ({ ways, addTasks }) => {
  await addTasks([
    { id: 'a', title: 'Linen from Alvés', dueAt: hour(1) },
    { id: 'b', title: 'LINEN napkins', bookKey: 'hats' },
    { id: 'c', title: 'Linen', status: 'completed' },
  ])
  const asked: [args: object, suggestions: object | undefined][] = [
    [{ query: 'Linén, towels "napkins linen"' }, { query: { linen: 2, 'napkins linen': 0, towels: 0 } }],
    [{ query: 'alves napkins' }, { query: { alves: 1, napkins: 1 } }],
    [{ query: 'linen', due: 'tomorrow' }, { query: { linen: 2 } }],
    [
      { query: 'linen', bookKey: 'hat' },
      { bookKey: ['hats'], query: { linen: 2 } },
    ],
    [{ query: 'linen' }, undefined],
  ]
  for (const { where, ask } of ways)
    for (const [args, suggestions] of asked) {
      assert.deepEqual((await ask(args)).suggestions, suggestions, where)
      assert.deepEqual((await ask({ ...args, countBy: 'bookKey' })).suggestions, suggestions, where)
    }
})

test('an assignee that is a whole word of some names and a part of others returns these names', async (service) => {
  const { ways, addTasks } = service
  const names = ['Priya Shah', 'PRIYÁ Shah', 'Priyanka Rao', 'Bo Priyam', 'Ann']
  await addTasks(names.map((assigneeName, i) => ({ id: `t${i}`, assigneeName, bookKey: i < 2 ? 'hats' : null })))
  const namesIn = async (ask: (typeof ways)[number]['ask'], args: object) =>
    [(await ask(args)).suggestions?.assignee ?? []].flat().sort()
  const all = ['Bo Priyam', 'PRIYÁ Shah', 'Priya Shah', 'Priyanka Rao']
  for (const { where, ask } of ways) {
    const { total, suggestions } = await ask({ assignee: 'priya' })
    assert.deepEqual([total, Object.keys(suggestions ?? {})], [4, ['assignee']], where)
    assert.deepEqual(await namesIn(ask, { assignee: 'priya' }), all)
    assert.deepEqual(await namesIn(ask, { assignee: 'Priya', limit: 1, countBy: 'bookKey' }), all)
    for (const args of [{ assignee: 'priya', bookKey: 'hats' }, { assignee: 'pri' }, { assignee: 'priya s' }])
      assert.deepEqual(await namesIn(ask, args), [], JSON.stringify(args))
  }
})

test('ids that are not in the list are returned in notFound, whatever the other arguments', async ({
  ways,
  addTasks,
}) => {
  await addTasks([{ id: 'a' }, { id: 'b', bookKey: 'hats' }, { id: 'c', status: 'completed' }])
  const ids = ['b', 'no-such', 'a', 'c', '"x"']
  const notFound = ['"x"', 'c', 'no-such']
  for (const { where, ask } of ways) {
    assert.deepEqual((await ask({ ids })).notFound, notFound, where)
    for (const args of [{ limit: 1 }, { bookKey: 'hats' }, { bookKey: 'no' }, { countBy: 'bookKey' }])
      assert.deepEqual((await ask({ ids, ...args })).notFound, notFound, JSON.stringify(args))
    assert.ok(!('notFound' in (await ask({ ids: ['a', 'b'], due: 'today' }))))
  }
  const [before] = await Promise.all(ways.map(({ ask }) => ask({ ids: ['a', 'd'] })))
  await addTasks([{ id: 'd', status: 'completed' }])
  assert.equal((await ways[0]?.ask({ ids: ['a', 'd'], ifNoneMatch: before?.etag }))?.unchanged, true)
  await addTasks([{ id: 'd' }])
  assert.equal((await ways[0]?.ask({ ids: ['a', 'd'], ifNoneMatch: before?.etag }))?.notFound, undefined)
})
