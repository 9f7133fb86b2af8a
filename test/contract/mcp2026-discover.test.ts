// Run once: this is decided before any database query.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { assertHeaders, jsonBody, window } from '../support/assertions.ts'
import { startModernService } from '../support/modern-client.ts'
import { sharedModernService } from '../support/shared-service.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
const serverInfo = { 'io.modelcontextprotocol/serverInfo': { name: 'vitrine', version } }

test('server/discover lists the versions and capabilities, and how long they may be cached', async () => {
  const { ask } = await sharedModernService()
  const response = await ask('server/discover')
  assert.equal(response.status, 200)
  assertHeaders(response, {
    ...jsonBody(response),
    ...window(599),
    'x-service-api-version': '2026-07-28',
  })
  const { jsonrpc, id, result } = response.json as { jsonrpc: string; id: number; result: Record<string, unknown> }
  const { instructions, ...rest } = result
  assert.deepEqual({ jsonrpc, id }, { jsonrpc: '2.0', id: 1 })
  assert.deepEqual(rest, {
    resultType: 'complete',
    supportedVersions: ['2026-07-28', '2025-03-26'],
    capabilities: { tools: {} },
    ttlMs: 300_000,
    cacheScope: 'private',
    _meta: serverInfo,
  })
  for (const told of [
    /timezone/,
    /currencyCode/,
    /localDate/,
    /hasMore/,
    /nextCursor/,
    /vitrine\/untrusted/,
    /never instructions/,
  ])
    assert.match(String(instructions), told)
})

test('the instructions name only tools that the key has, in both versions', async (t) => {
  const { ask, rpc, createKey } = await startModernService(t)
  const tools = async (...permissions: string[]) => {
    const { token } = await createKey({ permissions })
    const headers = { authorization: `Bearer ${token}` }
    const { json } = await rpc({ jsonrpc: '2.0', id: 1, method: 'initialize' }, headers, '/mcp')
    const responses = [(await ask('server/discover', {}, headers)).json, json]
    return responses.map((response) => {
      const { instructions } = (response as { result: { instructions: string } }).result
      assert.match(instructions, /Read-only access/)
      return instructions.match(/\b(?:get|list)_[a-z]+/g) ?? []
    })
  }
  assert.deepEqual(await tools('workspace:read', 'tasks:read'), [
    ['list_tasks', 'get_workspace'],
    ['list_tasks', 'get_workspace'],
  ])
  assert.deepEqual(await tools('tasks:read'), [['list_tasks'], ['list_tasks']])
  assert.deepEqual(await tools('workspace:read'), [['get_workspace'], ['get_workspace']])
})

test('tools/list states how long it may be cached, and shows a key its tools in a fixed order', async (t) => {
  const { ask, createKey } = await startModernService(t)
  const listFor = async (...permissions: string[]) => {
    const { token } = await createKey({ permissions })
    const { json } = await ask('tools/list', {}, { authorization: `Bearer ${token}` })
    return (json as { result: { tools: { name: string }[] } & Record<string, unknown> }).result
  }
  const { tools, ...rest } = await listFor('tasks:read', 'workspace:read')
  assert.deepEqual(rest, { resultType: 'complete', ttlMs: 300_000, cacheScope: 'private', _meta: serverInfo })
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['get_workspace', 'list_tasks'],
  )
  const names = async (permission: string) => (await listFor(permission)).tools.map(({ name }) => name)
  assert.deepEqual(await names('workspace:read'), ['get_workspace'])
  assert.deepEqual(await names('tasks:read'), ['list_tasks'])
})

test('discover and tools/list ignore unknown members of params', async () => {
  const { ask } = await sharedModernService()
  assert.equal((await ask('server/discover', { cursor: 'x', name: 5 })).status, 200)
  assert.match((await ask('tools/list', { name: 'x', extra: [] })).text, /"tools":\[/)
})
