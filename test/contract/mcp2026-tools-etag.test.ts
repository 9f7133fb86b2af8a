import assert from 'node:assert/strict'
import test from 'node:test'
import { startModernTools, structuredIn } from '../support/modern-tools.ts'

test('an answer that did not change is told in a hundred bytes, within 400', async (t) => {
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
  assert.ok(response.body.length + uuid.length - '1'.length < 400, `${response.body.length} bytes with the id 1`)
})

test('a change, even of what is not answered any more, is told whole again', async (t) => {
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

test('a tag belongs to its question, and arguments that ask for the same are the same question', async (t) => {
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
  assert.equal(new Set(tags).size, asked.length, 'though most answer the same task')
  assert.equal(await etag({ limit: 100 }), tags[0])
  assert.equal(await etag({ fields: ['title', 'dueAt', 'dueAt'] }), tags[7])
  const named = { fields: Object.keys((await list()).tasks[0] ?? {}) }
  assert.notEqual(await etag(named), tags[0], 'texts that are named are whole')
  assert.equal(await etag({ assigneeEmail: 'PRIYA@acme.example' }), tags[3])
  assert.equal(await etag({ dueBefore: '2026-11-20T01:00:00.000+01:00' }), tags[5])
})

test('a tag of another question, or none of ours, is answered in full', async (t) => {
  const { list, addTasks } = await startModernTools(t)
  await addTasks([{ id: 'a' }])
  const { etag } = await list({ limit: 5 })
  for (const ifNoneMatch of [etag, `"${etag}"`, '*', '', 'x'.repeat(10_000)])
    assert.equal((await list({ limit: 6, ifNoneMatch })).tasks.length, 1)
})
