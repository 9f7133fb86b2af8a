import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { McpError } from '@modelcontextprotocol/sdk/types.js'
import { type Service, startService } from '../support/service.ts'
import { bearer, textOf } from './fixture.ts'
import { watchWire } from './wire.ts'

for (const path of ['/mcp', '/v1/mcp', '/v2/mcp'])
  suite(`@modelcontextprotocol/sdk 1.x on ${path}`, () => {
    test('its handshake is accepted as is, and its request for a stream declined without an error', async (t) => {
      const { client, transport, wire, errors } = await connect(t, await startService(t), path)
      assert.equal(transport.protocolVersion, '2025-03-26')
      assert.equal(transport.sessionId, undefined)
      assert.equal(client.getServerVersion()?.name, 'vitrine')
      assert.match(client.getServerVersion()?.version ?? '', /^\d+\.\d+\.\d+/)
      assert.deepEqual(client.getServerCapabilities(), { tools: {} })
      assert.match(client.getInstructions() ?? '', /timezone.*currency/)
      assert.deepEqual(await client.ping(), {})
      assert.deepEqual(await wire.posts(), [
        'initialize (no version) 200',
        'notifications/initialized (2025-03-26) 202',
        'ping (2025-03-26) 200',
      ])
      assert.deepEqual(await wire.others(), ['GET (2025-03-26) 405'])
      assert.deepEqual(errors, [])
    })

    test('it may request progress: the token it puts into _meta has no effect', async (t) => {
      const { client } = await connect(t, await startService(t), path)
      const result = await client.callTool({ name: 'list_tasks' }, undefined, { onprogress: () => {} })
      assert.equal(textOf(result), '{"tasks":[]}')
    })

    test('a mistake reaches it as an McpError with the code and how to fix it', async (t) => {
      const { client } = await connect(t, await startService(t), path)
      await rejectsWith(client.callTool({ name: 'delete_task' }), -32602, /No tool has this name/)
      await rejectsWith(client.callTool({ name: 'list_tasks', arguments: { limit: 0 } }), -32602, /limit/, {
        faults: [{ argument: 'limit', problem: 'must be a whole number from 1 to 100' }],
      })
      await rejectsWith(client.callTool({ name: 'get_workspace', arguments: { slug: 'acme' } }), -32602, /slug/)
      await rejectsWith(client.listResources(), -32601, /no such method/)
      assert.deepEqual(await client.ping(), {})
    })

    test('it closes without a request, because there is no session to end', async (t) => {
      const { client, wire } = await connect(t, await startService(t), path)
      await client.ping()
      assert.deepEqual(await wire.others(), ['GET (2025-03-26) 405'])
      await client.close()
      assert.deepEqual(await wire.others(), ['GET (2025-03-26) 405'])
      await assert.rejects(client.ping(), /Not connected/)
    })
  })

async function connect(t: TestContext, service: Service, path: string, token = service.key) {
  const wire = watchWire()
  const requestInit = { headers: bearer(token) }
  const transport = new StreamableHTTPClientTransport(new URL(service.url + path), { requestInit, fetch: wire.fetch })
  const client = new Client({ name: 'test', version: '1.0.0' })
  const errors: Error[] = []
  client.onerror = (error) => errors.push(error)
  t.after(() => client.close())
  await client.connect(transport as Transport)
  return { client, transport, wire, errors }
}

const rejectsWith = (call: Promise<unknown>, code: number, message: RegExp, data?: object) =>
  assert.rejects(call, (error) => {
    assert.ok(error instanceof McpError)
    assert.equal(error.code, code)
    assert.match(error.message, message)
    if (data !== undefined) assert.deepEqual(error.data, data)
    return true
  })
