// Run once: a client knows only HTTP.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VersionNegotiationMode } from '@modelcontextprotocol/client'
import { startService } from '../support/service.ts'
import { connect, isProtocolError, isUnauthorized } from './connect-client-2.ts'
import { addFairAndLinen, contractTools, taskIds, textOf } from './fixture.ts'

const initialized = ['initialize (no version) 200', 'notifications/initialized (2025-03-26) 202']

const modes: { title: string; path: string; mode?: VersionNegotiationMode; handshake: string[] }[] = [
  { title: 'as it comes on /mcp', path: '/mcp', handshake: initialized },
  { title: 'as it comes on /v2/mcp', path: '/v2/mcp', handshake: initialized },
  {
    title: 'probing first on /mcp',
    path: '/mcp',
    mode: 'auto',
    handshake: ['server/discover (2026-07-28) 400', ...initialized],
  },
]

for (const { title, path, mode, handshake } of modes)
  suite(`@modelcontextprotocol/client 2.x, ${title}`, () => {
    test('it negotiates 2025-03-26 and reads the server’s name and version', async (t) => {
      const { client, wire, errors } = await connect(t, await startService(t), path, mode)
      assert.equal(client.getNegotiatedProtocolVersion(), '2025-03-26')
      assert.equal(client.getProtocolEra(), 'legacy')
      assert.equal(client.getServerVersion()?.name, 'vitrine')
      assert.deepEqual(client.getServerCapabilities(), { tools: {} })
      assert.match(client.getInstructions() ?? '', /timezone.*currency/)
      assert.deepEqual(await client.ping(), {})
      assert.deepEqual(await wire.posts(), [...handshake, 'ping (2025-03-26) 200'])
      assert.deepEqual(await wire.others(), ['GET (2025-03-26) 405'])
      assert.deepEqual(errors, [])
    })

    test('it lists the tools, and calls them with and without arguments', async (t) => {
      const service = await startService(t)
      await addFairAndLinen(service)
      const { client, errors } = await connect(t, service, path, mode)
      const { tools } = await client.listTools()
      assert.deepEqual(
        tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint]),
        contractTools.map(({ name }) => [name, true]),
      )
      const workspace = await client.callTool({ name: 'get_workspace' })
      assert.equal(textOf(workspace), await (await service.get('/workspace')).text())
      const tasks = await client.callTool({ name: 'list_tasks' })
      assert.equal(textOf(tasks), await (await service.get('/tasks')).text())
      const textiles = await client.callTool({ name: 'list_tasks', arguments: { bookKey: 'home-textiles' } })
      assert.deepEqual(taskIds(textiles), ['task_linen'])
      assert.deepEqual(errors, [])
    })

    test('a mistake reaches it as a ProtocolError with the code and how to fix it', async (t) => {
      const { client } = await connect(t, await startService(t), path, mode)
      await assert.rejects(client.callTool({ name: 'delete_task' }), isProtocolError(-32602, /no tool of this name/))
      const badLimit = client.callTool({ name: 'list_tasks', arguments: { limit: 101 } })
      await assert.rejects(badLimit, isProtocolError(-32602, /limit must be at most 100/))
    })

    test('a revoked key fails its next request, and its next connection, with 401', async (t) => {
      const service = await startService(t)
      const { token, id } = await service.createKey()
      const { client } = await connect(t, service, path, mode, token)
      await service.keys.revoke(id)
      await assert.rejects(client.ping(), isUnauthorized)
      await assert.rejects(connect(t, service, path, mode, token), isUnauthorized)
    })
  })
