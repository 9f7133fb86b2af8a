import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Payload } from '../contract/asking.ts'
import { startService } from '../support/service.ts'
import { callTool, request, type Server } from '../support/tool-calls.ts'

const LINEN = { only: { tasks: { bookKey: ['linen'] } } }

const ask = async (server: Server, args: object) =>
  (await callTool(server, '2026-07-28 on /v2/mcp', 'list_tasks', args)).structuredContent as Payload

const idsIn = ({ tasks }: Pick<Payload, 'tasks'>) => tasks.map(({ id }) => id).join(' ')

test('a limited key sees only its rows from the next request on, and other keys are not affected', async (t) => {
  const { url, key, keys, createKey, addTasks, get } = await startService(t)
  await addTasks([
    { id: 'l1', bookKey: 'linen' },
    { id: 'w1', bookKey: 'wool' },
    { id: 'none', bookKey: null },
    { id: 'l2', bookKey: 'linen' },
  ])
  const { id, token } = await createKey(LINEN)
  const read = async (bearer: string) => {
    const response = await get('/tasks', { authorization: `Bearer ${bearer}` })
    return { etag: response.headers.get('etag') ?? '', ids: idsIn((await response.json()) as Payload) }
  }
  for (let round = 0; round < 2; round++) {
    assert.equal((await read(token)).ids, 'l1 l2')
    assert.equal((await read(key)).ids, 'l1 w1 none l2')
  }
  const { etag } = await read(token)
  await keys.update(id, { only: { tasks: { bookKey: ['linen', 'wool'] } } })
  const changed = await get('/tasks', { authorization: `Bearer ${token}`, 'if-none-match': etag })
  assert.deepEqual([changed.status, idsIn((await changed.json()) as Payload)], [200, 'l1 w1 l2'])
  await keys.update(id, { only: null })
  assert.equal((await read(token)).etag, (await read(key)).etag)
  assert.equal(idsIn(await ask({ url, key: token }, { ids: ['none'] })), 'none')
})

test('a cursor of another limit is refused, and an etag of another limit never means unchanged', async (t) => {
  const { url, keys, createKey, addTasks, get } = await startService(t)
  await addTasks(Array.from({ length: 240 }, (_, n) => ({ id: `t${n}`, bookKey: n % 2 === 0 ? 'linen' : 'wool' })))
  const { id, token } = await createKey(LINEN)
  const two = (args: object) => ask({ url, key: token }, { limit: 2, ...args })
  const first = await two({})
  assert.deepEqual([first.total, idsIn(first)], [120, 't0 t2'])
  const whole = await get('/tasks', { authorization: `Bearer ${token}` })
  assert.equal(whole.headers.get('x-total-count'), '120')
  assert.equal(idsIn(await two({ cursor: first.nextCursor })), 't4 t6')
  assert.equal((await two({ ifNoneMatch: first.etag })).unchanged, true)
  for (const only of [{ tasks: { bookKey: ['wool'] } }, null]) {
    await keys.update(id, { only })
    await assert.rejects(two({ cursor: first.nextCursor }), /belongs to a call with other filters/)
    assert.notEqual((await two({ ifNoneMatch: first.etag })).unchanged, true)
  }
})

test('the description of a tool says which rows a limited key sees, and is unchanged for other keys', async (t) => {
  const { url, key, createKey } = await startService(t)
  const { token } = await createKey(LINEN)
  for (const endpoint of ['2025-03-26 on /mcp', '2026-07-28 on /v2/mcp'] as const) {
    const described = async (bearer: string) =>
      (await request({ url, key: bearer }, endpoint, 'tools/list', {})).tools.map(({ description }) => description)
    const [[workspace, tasks], limited] = [await described(key), await described(token)]
    assert.deepEqual(limited, [workspace, `${tasks} This key sees only tasks whose bookKey is "linen".`])
    assert.deepEqual(await described(key), [workspace, tasks])
  }
})

test('a stored limit that cannot be read shows no rows, however it is asked', async (t) => {
  const { url, createKey, addTasks, changeElsewhere, get } = await startService(t)
  await addTasks([{ id: 't1', bookKey: 'linen' }])
  const { id, token } = await createKey(LINEN)
  for (const text of ['linen', '{"tasks":{"title":["A task"]}}']) {
    await changeElsewhere(`UPDATE api_keys SET only_rows = '${text}' WHERE id = '${id}'`)
    const response = await get('/tasks', { authorization: `Bearer ${token}` })
    assert.deepEqual(await response.json(), { tasks: [] })
    const counted = await ask({ url, key: token }, { countBy: 'bookKey' })
    assert.deepEqual([counted.total, counted.counts], [0, []])
    const found = await ask({ url, key: token }, { bookKey: 'line' })
    assert.deepEqual([found.total, found.suggestions], [0, undefined])
  }
})

test('a limit belongs to lists that the key may read, and a rotation keeps it', async (t) => {
  const { keys, createKey, newestEntries } = await startService(t)
  const unread = /limited to some tasks, which it may not read; add the permission tasks:read/
  await assert.rejects(createKey({ ...LINEN, permissions: ['workspace:read'] }), unread)
  const { id } = await createKey(LINEN)
  assert.equal((await newestEntries(1))[0]?.detail.only, 'tasks.bookKey=linen')
  await assert.rejects(keys.update(id, { permissions: ['workspace:read'] }), unread)
  const { key } = await keys.rotate(id, 0)
  assert.deepEqual(key.only, LINEN.only)
  await keys.update(key.id, { permissions: ['workspace:read'], only: null })
  assert.partialDeepStrictEqual((await newestEntries(1))[0]?.detail, {
    before: { only: 'tasks.bookKey=linen' },
    after: { only: 'everything' },
  })
})
