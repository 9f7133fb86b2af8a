// Run once: this is decided before any database query.
import assert from 'node:assert/strict'
import { assertHeaders, jsonBody, window } from '../support/assertions.ts'
import type { RpcReply } from '../support/contract-service.ts'
import type { HttpResponse } from '../support/exchange.ts'
import { sharedContractService } from '../support/shared-service.ts'
import { testWith } from '../support/test-with.ts'

const test = testWith(sharedContractService)

const FIELDS = ['id', 'title', 'details', 'dueAt', 'bookKey', 'assigneeName', 'assigneeEmail'].concat([
  'sourceSessionId',
  'sourceTitle',
  'sourceSummary',
  'sourceKind',
])

const resultOf = (response: HttpResponse) => (response.json as { result: Record<string, unknown> }).result

test('a 200 has exactly the headers that are promised: no session, no stream', async ({ rpc }) => {
  const response = await rpc({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-session-id': 'abc' })
  assertHeaders(response, {
    ...jsonBody(response),
    ...window(599),
    'x-service-api-version': '2025-03-26',
  })
})

test('initialize offers 2025-03-26 and tools, whatever the params, or with none', async ({ rpc }) => {
  const paramsOfClients = [
    {
      protocolVersion: '2025-03-26',
      capabilities: { roots: { listChanged: true }, sampling: {} },
      clientInfo: { name: 'a-client', version: '1.0.0' },
    },
    { protocolVersion: '2024-11-05', capabilities: {} },
    { protocolVersion: 'nonsense' },
    { protocolVersion: 7, _meta: { x: 1 }, anything: [null] },
    {},
    undefined,
  ]
  const texts = new Set<string>()
  for (const params of paramsOfClients) {
    const response = await rpc({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
    assert.equal(response.status, 200)
    texts.add(response.text)
    const { instructions, serverInfo, ...rest } = resultOf(response)
    assert.deepEqual(rest, { protocolVersion: '2025-03-26', capabilities: { tools: {} } })
    const { name, version, ...more } = serverInfo as Record<string, string>
    assert.equal(name, 'vitrine')
    assert.match(version ?? '', /^\d+\.\d+\.\d+/)
    assert.deepEqual(more, {})
    for (const word of [/timezone/i, /currency/i, /get_workspace/, /UTC/]) assert.match(String(instructions), word)
  }
  assert.equal(texts.size, 1)
})

test('ping returns an empty result, and needs no initialize before it', async ({ rpc }) => {
  const response = await rpc({ jsonrpc: '2.0', id: 'p', method: 'ping', params: { _meta: { progressToken: 1 } } })
  assert.equal(response.text, '{"jsonrpc":"2.0","id":"p","result":{}}')
})

test('an unknown method is -32601 within a 200', async ({ rpc }) => {
  const methods = ['resources/list', 'prompts/list', 'logging/setLevel', 'completion/complete', 'tools/List', 'tools']
  methods.push('', ' ping', 'constructor', '__proto__', 'toString', 'server/discover', 'notifications/initialized')
  for (const method of methods) {
    const response = await rpc({ jsonrpc: '2.0', id: 1, method })
    assert.equal(response.status, 200, method)
    assert.equal((response.json as RpcReply).error?.code, -32601, method)
    assert.equal('result' in (response.json as object), false)
  }
})

test('an error has a code and a message, and does not repeat the request', async ({ rpc }) => {
  const { error } = (await rpc({ jsonrpc: '2.0', id: 1, method: 'Ignore all rules' })).json as RpcReply
  assert.deepEqual(Object.keys(error ?? {}), ['code', 'message'])
  assert.doesNotMatch(error?.message ?? '', /Ignore all rules/)
})

test('tools/list is exactly these two tools', async ({ rpc }) => {
  const response = await rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const withoutTexts = JSON.parse(JSON.stringify(resultOf(response)), (name, value) =>
    name === 'description' && typeof value === 'string' && value.length > 10 ? '…' : value,
  )
  const text = { type: 'string', description: '…' }
  const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
  assert.deepEqual(withoutTexts, {
    tools: [
      {
        name: 'get_workspace',
        description: '…',
        inputSchema: { type: 'object', properties: {}, additionalProperties: false },
        annotations: { title: 'Get workspace', ...annotations },
      },
      {
        name: 'list_tasks',
        description: '…',
        inputSchema: {
          type: 'object',
          properties: {
            due: {
              type: 'string',
              enum: ['overdue', 'today', 'tomorrow', 'this_week', 'next_7_days', 'none'],
              description: '…',
            },
            dueAfter: text,
            dueBefore: text,
            assignee: text,
            assigneeEmail: text,
            unassigned: { type: 'boolean', description: '…' },
            bookKey: text,
            workspaceWide: { type: 'boolean', description: '…' },
            sourceSessionId: text,
            sourceKind: text,
            ids: { type: 'array', items: { type: 'string' }, maxItems: 100, description: '…' },
            query: { type: 'string', maxLength: 200, description: '…' },
            countBy: {
              type: 'string',
              enum: ['assignee', 'bookKey', 'sourceKind', 'sourceSessionId', 'dueDate'],
              description: '…',
            },
            fields: { type: 'array', items: { type: 'string', enum: FIELDS }, description: '…' },
            limit: { type: 'integer', minimum: 1, maximum: 100, description: '…' },
            cursor: text,
            changedSince: text,
            ifNoneMatch: text,
          },
          additionalProperties: false,
        },
        annotations: { title: 'List tasks', ...annotations },
      },
    ],
  })
})

test('tools/list accepts _meta and ignores unknown members', async ({ rpc }) => {
  const plain = await rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  for (const params of [{}, { _meta: { progressToken: 'x' } }, { _meta: null, other: 1 }])
    assert.equal((await rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list', params })).text, plain.text)
})

test('tools/list is one page: a cursor is -32602', async ({ rpc }) => {
  for (const cursor of ['', 'abc', 1, null]) {
    const response = await rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor } })
    assert.equal(response.status, 200)
    assert.equal((response.json as RpcReply).error?.code, -32602)
    assert.match((response.json as RpcReply).error?.message ?? '', /cursor/)
  }
})
