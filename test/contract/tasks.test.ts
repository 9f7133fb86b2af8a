import assert from 'node:assert/strict'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { startContractService } from '../support/contract-service.ts'
import { changeElsewhere } from '../support/database.ts'
import { testWith } from '../support/test-with.ts'
import { createBareWorkspace, setArchived } from '../support/workspaces.ts'
import { rowsOf } from '../support/written-lists.ts'

const test = testWith(startContractService)

test('a workspace without tasks has an empty list', async ({ get }) => {
  const response = await get('/tasks')
  assert.equal(response.status, 200)
  assert.equal(response.text, '{"tasks":[]}')
})

test('a task has all eleven fields and nothing else, whatever else is stored', async ({ get, addTasks }) => {
  const task = {
    id: 'task_1',
    title: 'Confirm the "spring" order — Ünal, 日本, 👜',
    details: 'Line one\nline two\\ and a tab\t.',
    dueAt: '2026-11-16T17:00:00.000Z',
    bookKey: 'home-textiles',
    assigneeName: 'Priya Raman',
    assigneeEmail: 'priya@acme.example',
    sourceSessionId: 'session_88',
    sourceTitle: 'Supplier call',
    sourceSummary: 'Price agreed, quantity open.',
    sourceKind: 'a-kind-nobody-heard-of',
  }
  const [snoozedUntil, createdAt] = ['2026-11-01T00:00:00.000Z', '2026-10-01T00:00:00.000Z']
  await addTasks([{ ...task, status: 'open', snoozedUntil, createdAt }])
  const response = await get('/tasks')
  assert.equal(response.status, 200)
  assert.deepEqual(response.json, { tasks: [task] })
})

test('missing values are null, never left out', async ({ get, addTasks }) => {
  await addTasks([{ id: 'task_2', title: 'Tidy up' }])
  assert.equal(
    (await get('/tasks')).text,
    '{"tasks":[{"id":"task_2","title":"Tidy up","details":null,"dueAt":null,"bookKey":null,"assigneeName":null,' +
      '"assigneeEmail":null,"sourceSessionId":null,"sourceTitle":null,"sourceSummary":null,"sourceKind":null}]}',
  )
})

test.once('there are no filters or pages: a query changes nothing', async ({ get, addTasks }) => {
  await addTasks([{ id: 'a', bookKey: 'shoes' }, { id: 'b' }])
  const plain = await get('/tasks')
  const asked = await get('/tasks?limit=1&bookKey=shoes&page=2&cursor=x')
  assert.equal(asked.status, 200)
  assert.equal(asked.text, plain.text)
})

test('the tasks of an archived workspace are 200 with an empty list, and back once it is restored', async (service) => {
  await service.addTasks([{ id: 'a' }])
  const before = await service.get('/tasks')
  await setArchived(service, '2026-11-15T11:00:00.000Z')
  const gone = await service.get('/tasks', { 'if-none-match': before.headers.etag ?? '' })
  assert.equal(gone.status, 200)
  assert.equal(gone.text, '{"tasks":[]}')
  assert.match(gone.headers.etag ?? '', /^".+"$/)
  await setArchived(service, null)
  assert.equal((await service.get('/tasks')).text, before.text)
})

test('the tasks of a deleted workspace are 200 with an empty list', async ({ get, addTasks, databaseUrl }) => {
  await addTasks([{ id: 'a' }])
  assert.match((await get('/tasks')).text, /"id":"a"/)
  await changeElsewhere(databaseUrl, "DELETE FROM workspaces WHERE slug = 'acme'")
  const gone = await get('/tasks')
  assert.equal(gone.status, 200)
  assert.equal(gone.text, '{"tasks":[]}')
})

test("a key sees only its own workspace's tasks", async (service) => {
  await service.addTasks([{ id: 'of-acme' }])
  const { key } = await createBareWorkspace(service)
  assert.equal((await service.get('/tasks', { authorization: `Bearer ${key}` })).text, '{"tasks":[]}')
})

test('X-Total-Count is on every response that does not have all current tasks', async (service) => {
  const { get, send, key, addTasks, time } = service
  const ids = Array.from({ length: 100 }, (_, n) => `task_${n}`)
  await addTasks(ids.map((id) => ({ id })))
  assert.equal((await get('/tasks')).headers['x-total-count'], undefined, 'all of them are there')
  const snoozedUntil = new Date(time.now + 60_000).toISOString()
  await addTasks([{ id: 'next' }, { id: 'done', status: 'completed' }, { id: 'snoozed', snoozedUntil }])
  const { headers } = await get('/tasks')
  assert.equal(headers['x-total-count'], '101')
  // The body stays the same, and the number does not.
  time.now += 60_000
  for (const method of ['GET', 'HEAD']) {
    const sent = { authorization: `Bearer ${key}`, 'if-none-match': headers.etag ?? '' }
    const response = await send('/tasks', { method, headers: sent })
    assert.deepEqual([response.status, response.headers['x-total-count']], [304, '102'], method)
  }
  const head = await send('/tasks', { method: 'HEAD', headers: { authorization: `Bearer ${key}` } })
  assert.deepEqual([head.status, head.headers['x-total-count']], [200, '102'])
  assert.equal((await get('/workspace')).headers['x-total-count'], undefined)
  await rowsOf(service.operator, currentTasks, service.workspaceId).remove(['task_0'])
  assert.equal((await get('/tasks')).headers['x-total-count'], '101')
  // Rows that were stored for another definition are counted too.
  await changeElsewhere(service.databaseUrl, `UPDATE stored_lists SET shape = 'other'`)
  await changeElsewhere(service.databaseUrl, 'UPDATE revisions SET number = number + 1')
  assert.equal((await get('/tasks')).headers['x-total-count'], '101')
})

test('X-Total-Count counts up to 10,000', async ({ get, addTasks }) => {
  await addTasks(Array.from({ length: 10_001 }, (_, n) => ({ id: `task_${n}` })))
  assert.equal((await get('/tasks')).headers['x-total-count'], '10000')
})
