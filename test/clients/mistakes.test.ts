import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { startService } from '../support/service.ts'
import { bearer } from './fixture.ts'

const UNKNOWN = { name: 'delete_task' }
const BAD = { name: 'list_tasks', arguments: { limit: 0 } }
const info = { name: 'test', version: '1.0.0' }

test('a mistake reaches clients of 2025-03-26 as an error with the code and how to fix it', async (t) => {
  const { url, key } = await startService(t)
  for (const path of ['/mcp', '/v2/mcp']) {
    const client = new Client1(info)
    t.after(() => client.close())
    await client.connect(new Transport1(new URL(url + path), { requestInit: { headers: bearer(key) } }) as Transport)
    await assert.rejects(client.callTool(UNKNOWN), { code: -32602, message: /No tool has this name/ })
    const faults = [{ argument: 'limit', problem: 'must be a whole number from 1 to 100' }]
    await assert.rejects(client.callTool(BAD), { code: -32602, message: /limit/, data: { faults } })
    await assert.rejects(client.listResources(), { code: -32601 })
    assert.deepEqual(await client.ping(), {})
  }
})

test('a bad argument reaches clients of 2026-07-28 as a tool error that names its fix', async (t) => {
  const { url, key } = await startService(t)
  const client = new Client2(info, { versionNegotiation: { mode: 'auto' } })
  t.after(() => client.close())
  await client.connect(new Transport2(new URL(`${url}/v2/mcp`), { requestInit: { headers: bearer(key) } }))
  assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28')
  // The client itself checks structured content against the tool's outputSchema.
  await client.listTools()
  await client.callTool({ name: 'get_workspace' })
  const { isError, content } = await client.callTool(BAD)
  assert.equal(isError, true)
  assert.match(JSON.stringify(content), /limit.*100/)
  await assert.rejects(client.callTool(UNKNOWN), { code: -32602, message: /No tool has this name/ })
})
