import assert from 'node:assert/strict'
import { archiveWorkspace, updateWorkspace } from '../support/changes.ts'
import { testWith } from '../support/database.ts'
import { startModernTools } from '../support/modern-client.ts'
import { taskFields } from '../support/written-lists.ts'

const test = testWith(startModernTools)

/** The start of every result: ASCII, without white space. */
const head = (untrusted: string) =>
  `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"vitrine","version":"1.0.0"}${untrusted}},"content":[{"type":"text","text":`
const UNTRUSTED_TASKS = `,"vitrine/untrusted":${JSON.stringify({ tasks: taskFields.filter((field) => field !== 'dueAt') })}`

test('get_workspace returns the current time, the date in the timezone, and the workspace', async (service) => {
  const { callTool, get, time } = service
  time.now = Date.parse('2026-07-01T23:30:00.000Z')
  const { workspace } = (await get('/workspace')).json as { workspace: { id: string } }
  const response = await callTool('get_workspace')
  assert.equal(response.status, 200)
  assert.equal(response.headers['content-type'], 'application/json')
  assert.equal(response.headers['x-service-api-version'], '2026-07-28')
  const json = `{"asOf":"2026-07-01T23:30:00.000Z","localDate":"2026-07-02","workspace":{"id":"${workspace.id}","name":"Acme Buying","slug":"acme","timezone":"Europe/London","currencyCode":"GBP","countryCode":"GB"}}`
  assert.equal(
    response.text,
    `${head(',"vitrine/untrusted":{"workspace":["id","name","slug","timezone","currencyCode","countryCode"]}')}${JSON.stringify(json)}}],"structuredContent":${json}}}`,
  )
})

test('list_tasks returns the time, the timezone, an etag, whether there is more, and the tasks', async (service) => {
  const { callTool, addTasks } = service
  await addTasks([{ id: 'a', title: 'Order <linen>', dueAt: '2026-11-16T09:00:00.000Z', bookKey: '\u202Ehats' }])
  const response = await callTool('list_tasks', { fields: ['dueAt', 'bookKey'] })
  const { etag } = (response.json as { result: { structuredContent: { etag: string } } }).result.structuredContent
  assert.match(etag, /^[\w-]{32}$/)
  const json = String.raw`{"asOf":"2026-11-15T12:00:00.000Z","localDate":"2026-11-15","timezone":"Europe/London","etag":"${etag}","total":1,"hasMore":false,"nextCursor":null,"tasks":[{"id":"a","title":"Order \u003clinen\u003e","dueAt":"2026-11-16T09:00:00.000Z","bookKey":"\u202ehats"}]}`
  assert.equal(response.text, `${head(UNTRUSTED_TASKS)}${JSON.stringify(json)}}],"structuredContent":${json}}}`)
})

test('the next request sees a change, even of the timezone', async ({ list, ids, addTasks, operator }) => {
  const at = '2026-06-19T23:30:00.000Z'
  await addTasks([{ id: 'a', dueAt: at }])
  assert.equal(await ids({ dueBefore: '2026-06-20' }), '', 'it is half past midnight in London')
  await updateWorkspace(operator, 'acme', { timezone: 'UTC' }, 'test')
  assert.equal(await ids({ dueBefore: '2026-06-20' }), 'a')
  await addTasks([{ id: 'b', dueAt: at }])
  assert.equal(await ids({ dueBefore: '2026-06-20' }), 'a b')
  await updateWorkspace(operator, 'acme', { timezone: null }, 'test')
  assert.equal((await list({ dueBefore: '2026-06-20' })).timezone, null)
  assert.equal(await ids({ dueBefore: '2026-06-20' }), 'a b', 'UTC where there is none')
})

test('for an unavailable workspace, get_workspace is an error and a list is empty', async (service) => {
  const { callTool, fault, addTasks, operator } = service
  await addTasks([{ id: 'a' }])
  await archiveWorkspace(operator, 'acme', 'test')
  assert.equal(await fault({}, 'get_workspace'), 'The workspace is not available: it was archived or deleted.')
  const response = await callTool('list_tasks', { dueBefore: '2026-11-20' })
  const { structuredContent } = (response.json as { result: { structuredContent: { etag: string } } }).result
  const { etag, ...rest } = structuredContent
  assert.match(etag, /^[\w-]{32}$/)
  const read = { asOf: '2026-11-15T12:00:00.000Z', localDate: '2026-11-15', timezone: null }
  assert.deepEqual(rest, { ...read, total: 0, hasMore: false, nextCursor: null, tasks: [] })
  assert.match(await fault({ dueBefore: 'soon' }), /Today is 2026-11-15/)
})
