import assert from 'node:assert/strict'
import test from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { startModernTools } from '../support/modern-tools.ts'

const HINTS = '{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}'
const FIELDS =
  '["id","title","details","dueAt","bookKey","assigneeName","assigneeEmail","sourceSessionId","sourceTitle","sourceSummary","sourceKind"]'
const TEXT = '{"type":"string"}'
const NULLABLE = '{"type":["string","null"]}'

const GET_WORKSPACE = `{"name":"get_workspace","title":"Get workspace","description":"Get the workspace and its defaults: timezone, currency and country. Use it first, to read dates and money of other tools. Also gives the time now and today's date.","inputSchema":{"type":"object","properties":{},"additionalProperties":false},"outputSchema":{"type":"object","required":["asOf","localDate","workspace"],"properties":{"asOf":${TEXT},"localDate":${TEXT},"workspace":{"type":"object","required":["id","name","slug","timezone","currencyCode","countryCode"],"additionalProperties":${NULLABLE}}}},"annotations":${HINTS}}`

const DESCRIPTION = String.raw`List the current tasks, earliest due first, undated last. Use it to find what is due, overdue, or assigned to somebody. Left out: completed, cancelled and snoozed tasks; undated ones when narrowed by due date. Times are UTC. Example: {\"assigneeEmail\":\"ann@acme.example\",\"limit\":20}. A date such as 2026-11-20 is its beginning in the workspace's timezone.`
const INPUT = [
  '"limit":{"type":"integer","minimum":1,"maximum":100,"description":"100 if left out."}',
  '"cursor":{"type":"string","description":"nextCursor of the page before; same filters."}',
  '"bookKey":{"type":"string","description":"Only tasks of the buying remit with this key."}',
  '"assigneeEmail":{"type":"string","description":"Only tasks of this assignee, in any case."}',
  '"dueBefore":{"type":"string","description":"Only tasks due before this instant, such as 2026-11-20T09:00:00Z."}',
  '"dueAfter":{"type":"string","description":"Only tasks due at this instant or later."}',
  `"fields":{"type":"array","items":{"type":"string","enum":${FIELDS}},"description":"Members to answer beside id and title; all if left out; long texts are then cut."}`,
  '"ifNoneMatch":{"type":"string","description":"etag of an earlier answer; if nothing changed, only that is answered."}',
]
const OUTPUT = `{"type":"object","required":["asOf","etag"],"properties":{"asOf":${TEXT},"etag":${TEXT},"unchanged":{"type":"boolean"},"timezone":${NULLABLE},"hasMore":{"type":"boolean"},"nextCursor":${NULLABLE},"tasks":{"type":"array","items":{"type":"object","required":["id","title"],"properties":{"truncated":{"type":"array","items":${TEXT}}},"additionalProperties":${NULLABLE}}}}}`
const LIST_TASKS = `{"name":"list_tasks","title":"List tasks","description":"${DESCRIPTION}","inputSchema":{"type":"object","properties":{${INPUT.join()}},"additionalProperties":false},"outputSchema":${OUTPUT},"annotations":${HINTS}}`

test('tools/list describes both tools', async (t) => {
  const { ask } = await startModernTools(t)
  assert.equal(
    (await ask('tools/list')).text,
    `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[${GET_WORKSPACE},${LIST_TASKS}],"ttlMs":300000,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"vitrine","version":"0.2.0"}}}}`,
  )
})

test('every answer fits the schema of its tool, and every argument can be given as the schema says', async (t) => {
  const { ask, list, callTool, addTasks } = await startModernTools(t)
  await addTasks([{ id: 'a', dueAt: '2026-11-16T09:00:00.000Z', details: 'x'.repeat(501) }, { id: 'b' }])
  const { tools } = ((await ask('tools/list')).json as { result: { tools: Definition[] } }).result
  const { etag } = await list()
  const calls: [name: string, args: object][] = [
    ['get_workspace', {}],
    ['list_tasks', {}],
    ['list_tasks', { limit: 1 }],
    ['list_tasks', { fields: [] }],
    ['list_tasks', { fields: ['id', 'title', 'dueAt'] }],
    ['list_tasks', { bookKey: 'none' }],
    ['list_tasks', { ifNoneMatch: etag }],
    ['list_tasks', { dueBefore: '2026-11-20', dueAfter: '2026-11-01T00:00:00Z', assigneeEmail: 'x', limit: 5 }],
  ]
  for (const [name, args] of calls) {
    const { inputSchema, outputSchema } = tools.find((tool) => tool.name === name) as Definition
    const { result } = (await callTool(name, args)).json as { result: { structuredContent: unknown } }
    for (const [schema, value] of [
      [inputSchema, args],
      [outputSchema, result.structuredContent],
    ] as const) {
      const ajv = new Ajv2020({ strictTypes: false })
      assert.ok(ajv.validate(schema, value), `${name}: ${ajv.errorsText()} ${JSON.stringify(value)}`)
    }
  }
})

interface Definition {
  name: string
  inputSchema: object
  outputSchema: object
}
