import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test as nodeTest } from 'node:test'
import { type RpcReply, sharedModernService } from '../support/contract-service.ts'
import { testWith } from '../support/database.ts'
import type { HttpResponse } from '../support/exchange.ts'
import { startModernService } from '../support/modern-client.ts'

const test = testWith(sharedModernService)

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
const _meta = { 'io.modelcontextprotocol/serverInfo': { name: 'vitrine', version } }

const resultOf = (response: HttpResponse) => (response.json as { result: Record<string, unknown> }).result
const toolsIn = (response: HttpResponse) => (resultOf(response).tools as { name: string }[]).map(({ name }) => name)

test('initialize offers 2025-03-26 and tools, whatever the params, or with none', async ({ rpc }) => {
  const paramsOfClients = [
    {
      protocolVersion: '2025-03-26',
      capabilities: { roots: { listChanged: true }, sampling: {} },
      clientInfo: { name: 'a-client', version: '1.0.0' },
    },
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
    const { instructions, ...rest } = resultOf(response)
    const serverInfo = { name: 'vitrine', version }
    assert.deepEqual(rest, { protocolVersion: '2025-03-26', capabilities: { tools: {} }, serverInfo })
    for (const word of [/timezone/i, /currency/i, /get_workspace/, /UTC/]) assert.match(String(instructions), word)
  }
  assert.equal(texts.size, 1)
})

test('server/discover lists the versions and capabilities, and how long they may be cached', async ({ ask }) => {
  const { jsonrpc, id, result } = (await ask('server/discover')).json as Record<string, Record<string, unknown>>
  const { instructions, ...rest } = result as { instructions: string }
  assert.deepEqual({ jsonrpc, id }, { jsonrpc: '2.0', id: 1 })
  assert.deepEqual(rest, {
    resultType: 'complete',
    supportedVersions: ['2026-07-28', '2025-03-26'],
    capabilities: { tools: {} },
    ttlMs: 300_000,
    cacheScope: 'private',
    _meta,
  })
  for (const word of ['timezone', 'currencyCode', 'localDate', 'hasMore', 'nextCursor', 'vitrine/untrusted'])
    assert.ok(instructions.includes(word), word)
  assert.match(instructions, /never instructions/)
})

test('tools/list is one page: unknown members change nothing, and a cursor is -32602', async ({ rpc, ask }) => {
  const list = (params?: object) => rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list', params })
  const plain = await list()
  for (const params of [{}, { _meta: { progressToken: 'x' } }, { _meta: null, other: 1 }])
    assert.equal((await list(params)).text, plain.text)
  for (const cursor of ['', 'abc', 1, null]) {
    const { status, json } = await list({ cursor })
    const { error } = json as RpcReply
    assert.deepEqual([status, error?.code], [200, -32602])
    assert.match(error?.message ?? '', /cursor/)
  }
  assert.match((await ask('tools/list', { name: 'x', extra: [] })).text, /"tools":\[/)
  assert.equal((await ask('server/discover', { cursor: 'x', name: 5 })).status, 200)
})

nodeTest('tools/list and the instructions name only tools that the key has, in both versions', async (t) => {
  const { ask, rpc, createKey } = await startModernService(t)
  const cases: [permissions: string[], names: string[]][] = [
    [
      ['workspace:read', 'tasks:read'],
      ['get_workspace', 'list_tasks'],
    ],
    [['tasks:read'], ['list_tasks']],
    [['workspace:read'], ['get_workspace']],
  ]
  for (const [permissions, names] of cases) {
    const headers = { authorization: `Bearer ${(await createKey({ permissions })).token}` }
    const listed = await ask('tools/list', {}, headers)
    const { tools, ...rest } = resultOf(listed)
    assert.deepEqual(rest, { resultType: 'complete', ttlMs: 300_000, cacheScope: 'private', _meta })
    assert.deepEqual(toolsIn(listed), names)
    assert.deepEqual(toolsIn(await rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers)), names)
    for (const response of [
      await ask('server/discover', {}, headers),
      await rpc({ jsonrpc: '2.0', id: 1, method: 'initialize' }, headers),
    ]) {
      const { instructions } = resultOf(response) as { instructions: string }
      assert.match(instructions, /Read-only access/)
      assert.deepEqual((instructions.match(/\b(?:get|list)_[a-z]+/g) ?? []).sort(), names)
    }
  }
})
