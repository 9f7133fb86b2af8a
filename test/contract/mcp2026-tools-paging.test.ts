import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test, { type TestContext } from 'node:test'
import { updateWorkspace } from '../support/changes.ts'
import { startModernTools, structuredIn } from '../support/modern-tools.ts'

const due = (day: number) => `2026-11-${String(day).padStart(2, '0')}T09:00:00.000Z`

/** Eight tasks, of which the last two have no due date. */
async function start(t: TestContext) {
  const service = await startModernTools(t)
  const priya = { assigneeName: 'Priya', assigneeEmail: 'Priya@Acme.example' }
  await service.addTasks([
    { id: 'none-1', bookKey: 'shoes', ...priya },
    { id: 'day-18', dueAt: due(18), bookKey: 'shoes' },
    { id: 'day-16', dueAt: due(16), bookKey: 'shoes', ...priya },
    { id: 'day-17', dueAt: due(17), bookKey: 'hats', ...priya },
    { id: 'day-17-too', dueAt: due(17), bookKey: 'shoes', ...priya },
    { id: 'day-20', dueAt: due(20), bookKey: 'shoes', ...priya },
    { id: 'day-19', dueAt: due(19), bookKey: 'hats' },
    { id: 'none-2' },
    { id: 'asleep', dueAt: due(16), snoozedUntil: '2027-01-01T00:00:00.000Z', bookKey: 'shoes', ...priya },
    { id: 'done', dueAt: due(16), status: 'completed', bookKey: 'shoes', ...priya },
  ])
  /** Page by page, until there is no further one. */
  const all = async (args: object) => {
    const pages: string[] = []
    let cursor: string | null | undefined
    do {
      const page = await service.list({ ...args, ...(cursor && { cursor }) })
      assert.equal(page.hasMore, page.nextCursor !== null)
      pages.push(page.tasks.map(({ id }) => id).join(' '))
      cursor = page.nextCursor
    } while (cursor !== null)
    return pages
  }
  return { ...service, all }
}

const everything = 'day-16 day-17 day-17-too day-18 day-19 day-20 none-1 none-2'

test('the pages of a list are the list, whatever their size', async (t) => {
  const { all } = await start(t)
  for (const limit of [1, 2, 3, 7]) assert.equal((await all({ limit })).join(' '), everything, `${limit}`)
  assert.deepEqual(await all({ limit: 3 }), ['day-16 day-17 day-17-too', 'day-18 day-19 day-20', 'none-1 none-2'])
  assert.deepEqual(await all({ limit: 4 }), ['day-16 day-17 day-17-too day-18', 'day-19 day-20 none-1 none-2'])
  assert.deepEqual(await all({ limit: 8 }), [everything], 'a full last page is known to be the last')
  assert.deepEqual(await all({}), [everything])
})

test("a date is the beginning of its day in the workspace's timezone", async (t) => {
  const { ids, addTasks } = await startModernTools(t)
  await addTasks([
    { id: 'before', dueAt: '2026-06-19T22:59:59.999Z' },
    { id: 'at', dueAt: '2026-06-19T23:00:00.000Z' },
    { id: 'after', dueAt: '2026-06-20T00:00:00.000Z' },
  ])
  assert.equal(await ids({ dueBefore: '2026-06-20' }), 'before')
  assert.equal(await ids({ dueAfter: '2026-06-20' }), 'at after')
  assert.equal(await ids({ dueAfter: '2026-06-20', dueBefore: '2026-06-21' }), 'at after')
  assert.equal(await ids({ dueAfter: '2026-06-20T01:00:00+01:00' }), 'after')
  assert.equal(await ids({ dueAfter: '0001-01-01', dueBefore: '9999-12-31' }), 'before at after')
})

test('limit and fields may change from page to page', async (t) => {
  const { list } = await start(t)
  const first = await list({ limit: 2, fields: ['dueAt'] })
  const { tasks } = await list({ cursor: first.nextCursor, limit: 1, fields: ['bookKey'] })
  assert.deepEqual(tasks, [{ id: 'day-17-too', title: 'A task', bookKey: 'shoes' }])
})

test('fields selects members, in the order of a task, and always includes id and title', async (t) => {
  const { list } = await start(t)
  const only = async (fields: string[]) => (await list({ limit: 1, fields })).tasks[0]
  assert.deepEqual(await only([]), { id: 'day-16', title: 'A task' })
  const [task] = (await list({ limit: 1, fields: ['bookKey', 'dueAt', 'title', 'dueAt'] })).tasks
  assert.equal(
    JSON.stringify(task),
    '{"id":"day-16","title":"A task","dueAt":"2026-11-16T09:00:00.000Z","bookKey":"shoes"}',
  )
  const { tasks } = await list({ limit: 1 })
  assert.deepEqual(await only(Object.keys(tasks[0] ?? {})), tasks[0])
})

test('a changed cursor, or one of another list or workspace, is a tool error that explains how to continue', async (t) => {
  const { list, fault } = await start(t)
  const { nextCursor } = await list({ limit: 2, bookKey: 'shoes' })
  assert.ok(nextCursor)
  const changed =
    'Nothing was read: correct the arguments and call again.\n- cursor is not a nextCursor of this list; give one exactly as it was returned, or leave it out to start over.'
  const bookKey = 'shoes'
  assert.equal(await fault({ cursor: `${nextCursor}A`, bookKey }), changed)
  assert.equal(await fault({ cursor: nextCursor.slice(1), bookKey }), changed)
  assert.equal(await fault({ cursor: '', bookKey }), changed)
  assert.equal(await fault({ cursor: `${nextCursor.slice(0, -2)}${nextCursor.at(-1)}`, bookKey }), changed)
  const other =
    'Nothing was read: correct the arguments and call again.\n- cursor belongs to a call with other filters; repeat those with it, or leave it out to start over.'
  assert.equal(await fault({ cursor: nextCursor }), other)
  assert.equal(await fault({ cursor: nextCursor, bookKey: 'hats' }), other)
  assert.equal(await fault({ cursor: nextCursor, bookKey, dueBefore: '2026-11-20' }), other)
  const elsewhere = await start(t)
  assert.equal(await elsewhere.fault({ cursor: nextCursor, bookKey }), other)
})

test('a cursor with a date is invalid in another timezone, and skips nothing', async (t) => {
  const { list, ids, fault, addTasks, operator } = await startModernTools(t)
  await addTasks(['01', '10', '12'].map((hour) => ({ id: `at-${hour}`, dueAt: `2026-11-20T${hour}:00:00.000Z` })))
  const [dated, timed] = [{ dueAfter: '2026-11-20' }, { dueAfter: '2026-11-20T00:00:00Z' }]
  const ofDate = await list({ ...dated, limit: 1 })
  const ofInstant = await list({ ...timed, limit: 1 })
  await updateWorkspace(operator, 'acme', { timezone: 'America/New_York' }, 'test')
  assert.match(await fault({ ...dated, cursor: ofDate.nextCursor }), /leave it out to start over/)
  assert.equal(await ids(dated), 'at-10 at-12')
  assert.equal(await ids({ ...timed, cursor: ofInstant.nextCursor }), 'at-10 at-12')
})

test('a forged position is a tool error, not a failure', async (t) => {
  const { list, fault, callTool } = await start(t)
  const { nextCursor } = await list({ limit: 2 })
  const of = Buffer.from(nextCursor ?? '', 'base64url').subarray(0, 6)
  const first = Buffer.from(nextCursor ?? '', 'base64url').subarray(12, 26)
  const forge = (position: unknown, moment = first) => {
    const content = Buffer.concat([moment, Buffer.from(JSON.stringify(position))])
    const check = createHash('sha256').update(of).update(content).digest().subarray(0, 6)
    return Buffer.concat([of, check, content]).toString('base64url')
  }
  assert.equal((await list({ cursor: forge([due(18).replace('Z', ''), 0]) })).tasks.length, 5)
  const places = [[], [1], [due(18), 'x'], [due(18), null], [due(18), 1, 2], ['x\0', 1], [due(18), 0.5]]
  const forged = [
    ...places.map((place) => forge(place)),
    ...[0, 13, 14].map((n) => forge([due(18), 1], Buffer.alloc(n, 255))),
  ]
  for (const cursor of forged) assert.match(await fault({ cursor }), /is not a nextCursor of this list/, cursor)
  for (const place of ['x', '', 'infinity', '2026-13-99T09:00:00.000Z', '<', '0000-01-01T00:00:00.000Z']) {
    const { result } = (await callTool('list_tasks', { cursor: forge([place, 1]) })).json as {
      result?: object
    }
    assert.ok(result, `${place}: a page or a tool error, and no failure`)
  }
})

test('an unchanged result takes a hundred bytes, within 440', async (t) => {
  const { list, callTool, addTasks, time } = await startModernTools(t)
  await addTasks([{ id: 'a', details: 'x'.repeat(5000) }])
  const { etag } = await list({ limit: 5 })
  time.now += 1500
  const response = await callTool('list_tasks', { limit: 5, ifNoneMatch: etag })
  const json = `{"unchanged":true,"asOf":"2026-11-15T12:00:01.500Z","etag":"${etag}"}`
  assert.ok(json.length <= 100)
  assert.equal(
    response.text,
    `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"vitrine","version":"0.2.0"}},"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${json}}}`,
  )
  const uuid = JSON.stringify('0192d3c4-7a5e-7b1f-9c2d-3e4f5a6b7c8d')
  assert.ok(response.body.length + uuid.length - '1'.length < 440, `${response.body.length} bytes with the id 1`)
})

test('after a change, even of a row that is no longer listed, the full result is returned', async (t) => {
  const { list, callTool, addTasks } = await startModernTools(t)
  await addTasks([{ id: 'a' }, { id: 'b' }])
  const { etag } = await list()
  assert.deepEqual(Object.keys(structuredIn(await callTool('list_tasks', { ifNoneMatch: etag })) as object), [
    'unchanged',
    'asOf',
    'etag',
  ])
  await addTasks([{ id: 'b', status: 'completed' }])
  const changed = await list({ ifNoneMatch: etag })
  assert.deepEqual(
    changed.tasks.map(({ id }) => id),
    ['a'],
  )
  assert.notEqual(changed.etag, etag)
})

test('an etag belongs to its query, and equivalent arguments are the same query', async (t) => {
  const { list, addTasks } = await startModernTools(t)
  await addTasks([
    { id: 'a', bookKey: 'shoes', assigneeEmail: 'priya@acme.example', dueAt: '2026-11-16T09:00:00.000Z' },
  ])
  const etag = async (args: object) => (await list(args)).etag
  const asked = [
    {},
    { limit: 5 },
    { bookKey: 'shoes' },
    { assigneeEmail: 'priya@acme.example' },
    { dueBefore: '2026-11-20' },
    { dueBefore: '2026-11-20T00:00:00Z' },
    { dueAfter: '2026-11-10' },
    { fields: ['dueAt'] },
    { fields: [] },
  ]
  const tags = await Promise.all(asked.map(etag))
  assert.equal(new Set(tags).size, asked.length, 'though most return the same task')
  assert.equal(await etag({ limit: 100 }), tags[0])
  assert.equal(await etag({ fields: ['title', 'dueAt', 'dueAt'] }), tags[7])
  const named = { fields: Object.keys((await list()).tasks[0] ?? {}) }
  assert.notEqual(await etag(named), tags[0], 'texts that are named are whole')
  assert.equal(await etag({ assigneeEmail: 'PRIYA@acme.example' }), tags[3])
  assert.equal(await etag({ dueBefore: '2026-11-20T01:00:00.000+01:00' }), tags[5])
})

test('an etag of another query, or a foreign one, gets the full result', async (t) => {
  const { list, addTasks } = await startModernTools(t)
  await addTasks([{ id: 'a' }])
  const { etag } = await list({ limit: 5 })
  for (const ifNoneMatch of [etag, `"${etag}"`, '*', '', 'x'.repeat(10_000)])
    assert.equal((await list({ limit: 6, ifNoneMatch })).tasks.length, 1)
})
