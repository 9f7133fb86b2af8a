// On both engines: revisions order concurrent writers.
import assert from 'node:assert/strict'
import { test as plainTest, type TestContext } from 'node:test'
import { type List, listsOf } from '../../src/lists/definition.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { resources } from '../resources/declared/orders.ts'
import { atTime } from '../support/at-time.ts'
import { archiveWorkspace, restoreWorkspace, updateWorkspace } from '../support/changes.ts'
import { testWith } from '../support/database.ts'
import { at, startService } from '../support/service.ts'
import { callTool, type EndpointName, endpoints } from '../support/tool-calls.ts'
import { rowsOf } from '../support/written-lists.ts'
import { type Asking, idsIn, type Payload, startAsking } from './asking.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

async function start(t: TestContext) {
  const service = await startAsking(t)
  const { operator, workspaceId, time } = service
  // The workspace was created by the real clock.
  await service.changeElsewhere('UPDATE revisions SET number = 0')
  const { put, remove } = rowsOf(
    atTime(operator, () => time.now),
    currentTasks,
    workspaceId,
  )
  return { ...service, put, remove }
}
const test = testWith(start)

const told = (payload: Payload) => [idsIn(payload), payload.gone?.join(' ')]

test('by etag: what is new, changed, back from a snooze, and what is gone', async ({
  ways,
  addTasks,
  remove,
  time,
}) => {
  await addTasks([
    { id: 'same', dueAt: at(1) },
    { id: 'edited', dueAt: at(3) },
    { id: 'done', dueAt: at(2) },
    { id: 'deleted' },
    { id: 'sleeps', snoozedUntil: at(60) },
    { id: 'later', snoozedUntil: at(600) },
    { id: 'again' },
  ])
  const before = await Promise.all(ways.map(({ ask }) => ask({ limit: 5 })))
  time.now += 2 * HOUR
  await addTasks([
    { id: 'edited', dueAt: at(3), details: 'now with details' },
    { id: 'done', status: 'completed' },
    { id: 'same', dueAt: at(1) },
    { id: 'new', dueAt: at(0) },
    { id: 'later', snoozedUntil: at(900) },
  ])
  await remove(['deleted', 'again'])
  await addTasks([{ id: 'again' }])
  for (const [i, { where, ask }] of ways.entries()) {
    const changes = await ask({ changedSince: before[i]?.etag })
    const { asOf, etag, tasks, ...rest } = changes
    assert.deepEqual(
      Object.keys(changes).join(' '),
      'asOf localDate timezone etag since total hasMore nextCursor tasks gone',
    )
    assert.equal(idsIn(changes), 'new edited sleeps again', where)
    assert.deepEqual(rest, {
      ...{
        localDate: '2026-11-15',
        timezone: 'Europe/London',
        since: at(0),
        total: 4,
        hasMore: false,
        nextCursor: null,
      },
      gone: ['done', 'deleted'],
    })
    const none = await ask({ changedSince: etag })
    assert.deepEqual([none.since, none.total, none.tasks, none.gone], [asOf, 0, [], []])
    assert.deepEqual(told(await ask({ changedSince: none.etag })), ['', ''])
  }
})

test('by time: an instant, a date, or today', async ({ ways, addTasks, remove, time }) => {
  await addTasks([{ id: 'old' }, { id: 'gone' }, { id: 'sleeps', snoozedUntil: '2026-11-17T00:00:00.000Z' }])
  time.now += 2 * DAY
  await addTasks([{ id: 'noon' }])
  time.now += HOUR
  await remove(['gone'])
  for (const { where, ask } of ways) {
    const since = async (changedSince: string) => {
      const changes = await ask({ changedSince })
      return [changes.since, ...told(changes)]
    }
    assert.deepEqual(await since('today'), ['2026-11-17T00:00:00.000Z', 'sleeps noon', 'gone'], where)
    assert.deepEqual(await since('2026-11-16'), ['2026-11-16T00:00:00.000Z', 'sleeps noon', 'gone'])
    assert.deepEqual(await since('2026-11-15'), ['2026-11-15T00:00:00.000Z', 'old sleeps noon', 'gone'])
    assert.deepEqual(await since('2026-11-17T12:00:00Z'), ['2026-11-17T12:00:00.000Z', 'noon', 'gone'])
    assert.deepEqual(await since('2026-11-17T14:00:00+01:00'), ['2026-11-17T13:00:00.000Z', '', 'gone'])
  }
})

test('a limited key is told only of rows that it could see, and its etags are of its limit', async (service) => {
  const { addTasks, remove, createKey, call } = service
  const hats = { bookKey: 'hats' }
  const { token } = await createKey({ only: { tasks: { bookKey: ['hats'] } } })
  const ask = async (args: object, key?: string) => {
    const { result, error } = await call('list_tasks', args, key)
    return (error === undefined ? JSON.parse(result?.content[0]?.text ?? '') : error) as Payload & { message: string }
  }
  await addTasks([{ id: 'gone', ...hats }, { id: 'leaves', ...hats }, { id: 'other' }, { id: 'secret' }])
  const [limited, whole] = [await ask({ limit: 1 }, token), await ask({ limit: 1 })]
  await remove(['gone', 'secret'])
  await addTasks([{ id: 'leaves' }, { id: 'other', title: 'Other' }, { id: 'comes', ...hats }])
  const { etag: changedSince } = limited
  assert.deepEqual(told(await ask({ changedSince }, token)), ['comes', 'gone leaves'])
  assert.deepEqual(told(await ask({ changedSince: '2026-11-15' }, token)), ['comes', 'gone leaves'])
  for (const [etag, key] of [
    [changedSince, undefined],
    [whole.etag, token],
  ])
    assert.match((await ask({ changedSince: etag }, key)).message, /changedSince must be an etag of this list/)
})

plainTest('a declared list has it too, and a key limited by a choice is told only of its rows', async (t) => {
  const { url, operator, workspaceId, createKey } = await startService(t, { resources })
  const [, orders] = listsOf(resources) as [List, List]
  const { put, remove } = rowsOf(operator, orders, workspaceId)
  const order = (id: string, status = 'sent', total = '1') => ({ id, supplier: 'Zen', total, orderedOn: at(0), status })
  const permissions = ['orders:read']
  const keys = [
    await createKey({ permissions }),
    await createKey({ permissions, only: { orders: { status: ['sent'] } } }),
  ]
  for (const endpoint of Object.keys(endpoints) as EndpointName[]) {
    const ask = async (key: string, args: object) =>
      JSON.parse((await callTool({ url, key }, endpoint, 'list_orders', args)).text) as Payload & {
        orders: { id: string }[]
      }
    await put([
      order('same'),
      order('paid'),
      order('draft', 'draft'),
      order('leaves'),
      order('deleted'),
      order('secret', 'draft'),
    ])
    const etags = await Promise.all(keys.map(async ({ token }) => (await ask(token, { limit: 1 })).etag))
    await put([order('paid', 'sent', '2'), order('draft', 'draft', '2'), order('leaves', 'draft')])
    await remove(['deleted', 'secret'])
    const told = keys.map(async ({ token }, i) => {
      const { orders: changed, gone, total } = await ask(token, { changedSince: etags[i] })
      return [changed.map(({ id }) => id).join(' '), gone?.join(' '), total]
    })
    assert.deepEqual(await Promise.all(told), [
      ['paid draft leaves', 'deleted secret', 3],
      ['paid', 'leaves deleted', 1],
    ])
  }
})

test('at most a thousand ids are named as gone', async ({ ways, addTasks, remove }) => {
  const ids = Array.from({ length: 1001 }, (_, i) => `t${String(i).padStart(4, '0')}`)
  await addTasks([...ids.map((id) => ({ id })), { id: 'stays' }])
  const [{ ask }] = ways
  const { etag: changedSince } = await ask({ limit: 1 })
  assert.equal((await ask({ changedSince })).total, 0, 'not that of the whole list')
  await remove(ids.slice(1))
  const all = await ask({ changedSince })
  assert.deepEqual([all.gone, all.goneIsPartial], [ids.slice(1), undefined])
  await remove(ids.slice(0, 1))
  const some = await ask({ changedSince })
  assert.deepEqual([some.gone?.length, some.goneIsPartial], [1000, true])
})

test('what cannot be told is an error that names the fix', async (service) => {
  const { ways, addTasks, operator, time } = service
  await addTasks([{ id: 'a' }])
  const asked = (args: object) => (ways[0] as Asking).ask(args)
  const { etag } = await asked({ limit: 1 })
  const notSince =
    /changedSince must be an etag of this list, exactly as it was returned, or an instant, a date or today; leave it out/
  for (const { where, ask, fault } of ways) {
    const altered = [etag.slice(1), etag.slice(0, 24), `${etag[0] === 'A' ? 'B' : 'A'}${etag.slice(1)}`, `${etag}A`]
    for (const changedSince of [...altered, '', 7, 'x', 'yesterday', '2026-02-30', 'A'.repeat(32)])
      assert.match(await fault({ changedSince }), notSince, `${where}: ${changedSince}`)
    assert.match(
      await fault({ changedSince: '2026-11-16' }),
      /changedSince must not be later than now.*\s?Today is 2026-11-15/s,
    )
    assert.match(
      await fault({ changedSince: '2026-10-01' }),
      /older than the recorded changes; ask from 2026-10-16T12:00:00.000Z on, or leave/,
    )
    for (const other of [{ countBy: 'bookKey' }, { ifNoneMatch: etag }, { ids: ['a'] }])
      assert.match(await fault({ changedSince: etag, ...other }), /cannot be combined with/)
    await ask({ changedSince: etag })
  }
  const refused = async (fix: RegExp, given = etag) => {
    for (const { where, fault } of ways) assert.match(await fault({ changedSince: given }), fix, where)
  }
  await updateWorkspace(operator, 'acme', { timezone: 'Asia/Tokyo' }, 'test')
  await refused(notSince)
  const { etag: newer } = await asked({ limit: 1 })
  await archiveWorkspace(operator, 'acme', 'test')
  const archived = await asked({ limit: 1 })
  await refused(/older than the recorded changes; leave it out/, newer)
  await restoreWorkspace(operator, 'acme', 'test')
  assert.equal((await asked({ changedSince: newer })).total, 0)
  await refused(/must be an etag|older than the recorded changes/, archived.etag)
  time.now += 31 * DAY
  await refused(/older than the recorded changes; ask from 2026-11-16T12:00:00.000Z on/, newer)
  // As after a crash of a disk: the database does not know what the etag knows.
  await service.changeElsewhere('UPDATE revisions SET number = 1')
  await refused(notSince, newer)
})
