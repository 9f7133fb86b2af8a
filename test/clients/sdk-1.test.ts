import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { McpError } from '@modelcontextprotocol/sdk/types.js'
import { type Service, startService } from '../support/service.ts'
import { addFairAndLinen, bearer, contractTools, taskIds, textOf } from './fixture.ts'
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

    test("it lists the contract's tools, marked as read-only", async (t) => {
      const { client } = await connect(t, await startService(t), path)
      const { tools, nextCursor } = await client.listTools()
      assert.equal(nextCursor, undefined)
      assert.deepEqual(tools, contractTools)
      for (const { annotations } of tools) assert.equal(annotations?.readOnlyHint, true)
    })

    test('it reads the same workspace as REST', async (t) => {
      const service = await startService(t)
      const { client } = await connect(t, service, path)
      const text = textOf(await client.callTool({ name: 'get_workspace' }))
      assert.equal(text, await (await service.get('/workspace')).text())
      assert.match(text, /"name":"Acme Buying","slug":"acme","timezone":"Europe\/London","currencyCode":"GBP"/)
      assert.equal(textOf(await client.callTool({ name: 'get_workspace', arguments: {} })), text)
    })

    test('it reads the same tasks as REST, or those that its arguments select', async (t) => {
      const service = await startService(t)
      await addFairAndLinen(service)
      const { client } = await connect(t, service, path)
      const listTasks = (args: Record<string, unknown>) => client.callTool({ name: 'list_tasks', arguments: args })

      const all = await client.callTool({ name: 'list_tasks' })
      assert.equal(textOf(all), await (await service.get('/tasks')).text())
      assert.deepEqual(taskIds(all), ['task_linen', 'task_fair'])
      assert.match(textOf(all), /“Alvés & Filhos” 🧵/)
      assert.deepEqual(taskIds(await listTasks({ limit: 1 })), ['task_linen'])
      assert.deepEqual(taskIds(await listTasks({ assigneeEmail: 'Priya@ACME.example' })), ['task_linen'])
      assert.deepEqual(taskIds(await listTasks({ bookKey: 'garden' })), [])
      assert.deepEqual(taskIds(await listTasks({ dueBefore: '2026-11-16T17:00:00Z' })), [])
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

    test('a key for only tasks shows it one tool and refuses the other with -32003', async (t) => {
      const service = await startService(t)
      const { token } = await service.createKey({ permissions: ['tasks:read'] })
      const { client } = await connect(t, service, path, token)
      const { tools } = await client.listTools()
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['list_tasks'],
      )
      await rejectsWith(client.callTool({ name: 'get_workspace' }), -32003, /workspace:read/)
    })

    test('a revoked key fails its next request, and its next connection, with 401', async (t) => {
      const service = await startService(t)
      const { token, id } = await service.createKey()
      const { client } = await connect(t, service, path, token)
      await service.keys.revoke(id)
      await assert.rejects(client.ping(), isHttpError(401))
      await assert.rejects(connect(t, service, path, token), isHttpError(401))
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

const isHttpError = (status: number) => (error: unknown) =>
  error instanceof StreamableHTTPError && error.code === status
