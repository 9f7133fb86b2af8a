// Run once: tools are described from the definitions; mcp2026-tools-call.test.ts calls them on both.
import assert from 'node:assert/strict'
import test from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { startModernTools } from '../support/modern-tools.ts'

const HINTS = '{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}'
const FIELDS =
  '["id","title","details","dueAt","bookKey","assigneeName","assigneeEmail","sourceSessionId","sourceTitle","sourceSummary","sourceKind"]'
const TEXT = '{"type":"string"}'
const NULLABLE = '{"type":["string","null"]}'

const GET_WORKSPACE = `{"name":"get_workspace","title":"Get workspace","description":"Get the workspace's name, timezone, currency and country. Use it for the currency of amounts, or for questions about the workspace itself; other tools do not need it first. Also returns the current time and today's date.","inputSchema":{"type":"object","properties":{},"additionalProperties":false},"outputSchema":{"type":"object","required":["asOf","localDate","workspace"],"properties":{"asOf":${TEXT},"localDate":${TEXT},"workspace":{"type":"object","required":["id","name","slug","timezone","currencyCode","countryCode"]}}},"annotations":${HINTS}}`

const DESCRIPTION = String.raw`Find or count current tasks (open, not snoozed), earliest due first, undated last. Use it for what is due, overdue, someone's or about something; filters combine. For \"how many\", use countBy, or limit 1 and read total. It cannot show completed, cancelled or snoozed tasks, or who changed what. Times are UTC; localDate and days are the workspace's. Example: {\"due\":\"today\",\"assignee\":\"ann\"}. In a task, truncated lists texts that were cut.`
const INPUT = [
  '"due":{"type":"string","enum":["overdue","today","tomorrow","this_week","next_7_days","none"],"description":"overdue: before now. this_week: Monday to Sunday, past days too. next_7_days: from now. none: undated."}',
  '"dueAfter":{"type":"string","description":"Due at or after: 2026-11-20T09:00:00Z, or a local date, 2026-11-20."}',
  '"dueBefore":{"type":"string","description":"Due before this; same forms."}',
  '"assignee":{"type":"string","description":"Part of any name, or one whole email address."}',
  '"assigneeEmail":{"type":"string","description":"Exact email address."}',
  '"unassigned":{"type":"boolean","description":"true: tasks of nobody."}',
  '"bookKey":{"type":"string","description":"Exact key of a buying remit."}',
  '"workspaceWide":{"type":"boolean","description":"true: tasks without a bookKey."}',
  '"sourceSessionId":{"type":"string","description":"Exact session id."}',
  '"sourceKind":{"type":"string","description":"Exact kind of source."}',
  `"ids":{"type":"array","items":${TEXT},"maxItems":100,"description":"Task ids; notFound lists unknown ones."}`,
  '"query":{"type":"string","maxLength":200,"description":"Words that must all occur, even within words, in title, details, bookKey, assigneeName, sourceTitle or sourceSummary; \\"in quotes\\" a phrase."}',
  '"countBy":{"type":"string","enum":["assignee","bookKey","sourceKind","sourceSessionId","dueDate"],"description":"Count matches per value instead of listing them."}',
  `"fields":{"type":"array","items":{"type":"string","enum":${FIELDS}},"description":"Only these besides id and title, uncut; saves tokens."}`,
  '"limit":{"type":"integer","minimum":1,"maximum":100,"description":"Default 100."}',
  '"cursor":{"type":"string","description":"nextCursor of the page before; same filters."}',
  '"changedSince":{"type":"string","description":"An earlier etag, an instant, a date or today: only what changed since, and gone ids."}',
  '"ifNoneMatch":{"type":"string","description":"etag of an earlier result; returns only unchanged if nothing changed."}',
]
const OUTPUT = `{"type":"object","required":["asOf","etag"],"properties":{"asOf":${TEXT},"etag":${TEXT},"unchanged":{"type":"boolean"},"localDate":${TEXT},"timezone":${NULLABLE},"since":${TEXT},"total":{"type":"integer"},"totalIsMinimum":{"type":"boolean"},"hasMore":{"type":"boolean"},"nextCursor":${NULLABLE},"suggestions":{"type":"object"},"notFound":{"type":"array","items":${TEXT}},"tasks":{"type":"array","items":{"type":"object","required":["id","title"],"properties":{"truncated":{"type":"array","items":${TEXT}}}}},"gone":{"type":"array","items":${TEXT}},"goneIsPartial":{"type":"boolean"},"overdue":{"type":"integer"},"counts":{"type":"array","items":{"type":"object"}},"more":{"type":"integer"}}}`
const LIST_TASKS = `{"name":"list_tasks","title":"List tasks","description":"${DESCRIPTION}","inputSchema":{"type":"object","properties":{${INPUT.join()}},"additionalProperties":false},"outputSchema":${OUTPUT},"annotations":${HINTS}}`

test('tools/list describes both tools', async (t) => {
  const { ask } = await startModernTools(t)
  assert.equal(
    (await ask('tools/list')).text,
    `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[${GET_WORKSPACE},${LIST_TASKS}],"ttlMs":300000,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"vitrine","version":"0.2.0"}}}}`,
  )
})

test("every response matches its tool's schema, and every argument can be given as the schema describes", async (t) => {
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
    ['list_tasks', { changedSince: etag }],
    ['list_tasks', { changedSince: 'today', due: 'today' }],
    ['list_tasks', { dueBefore: '2026-11-20', dueAfter: '2026-11-01T00:00:00Z', assigneeEmail: 'x@y', limit: 5 }],
    ['list_tasks', { due: 'today', unassigned: true, query: 'x', ids: ['a'], sourceSessionId: 's' }],
    ['list_tasks', { assignee: 'x', countBy: 'dueDate' }],
    ['list_tasks', { countBy: 'assignee' }],
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
