// Run once: a client knows only HTTP.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VersionNegotiationMode } from '@modelcontextprotocol/client'
import { startService } from '../support/service.ts'
import { connect, isProtocolError, isUnauthorized } from './connect-client-2.ts'
import { addFairAndLinen, textOf } from './fixture.ts'

const modern: { title: string; mode: VersionNegotiationMode }[] = [
  { title: 'probing first on /v2/mcp', mode: 'auto' },
  { title: 'pinned to 2026-07-28 on /v2/mcp', mode: { pin: '2026-07-28' } },
]

for (const { title, mode } of modern)
  suite(`@modelcontextprotocol/client 2.x, ${title}`, () => {
    test('it speaks 2026-07-28 without a handshake, and reads the server’s name and version', async (t) => {
      const { client, wire, errors } = await connect(t, await startService(t), '/v2/mcp', mode)
      assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28')
      assert.equal(client.getProtocolEra(), 'modern')
      assert.equal(client.getServerVersion()?.name, 'vitrine')
      assert.deepEqual(client.getServerCapabilities(), { tools: {} })
      assert.match(client.getInstructions() ?? '', /timezone/)
      await client.listTools()
      assert.deepEqual(await wire.posts(), ['server/discover (2026-07-28) 200', 'tools/list (2026-07-28) 200'])
      assert.deepEqual(await wire.others(), [])
      assert.deepEqual(errors, [])
    })

    test('it reads structured content that fits the schema of the tool', async (t) => {
      const service = await startService(t)
      await addFairAndLinen(service)
      const { client, wire } = await connect(t, service, '/v2/mcp', mode)
      const { tools } = await client.listTools()
      assert.deepEqual(
        tools.map(({ name, outputSchema }) => [name, outputSchema?.type]),
        [
          ['get_workspace', 'object'],
          ['list_tasks', 'object'],
        ],
      )
      for (const params of [
        { name: 'get_workspace' },
        { name: 'list_tasks' },
        { name: 'list_tasks', arguments: { limit: 1, fields: ['dueAt'] } },
      ]) {
        // The client itself holds it against the tool's outputSchema.
        const result = await client.callTool(params)
        assert.deepEqual(JSON.parse(textOf(result)), result.structuredContent)
      }
      await wire.all()
    })

    test('it pages through the list, and is told that nothing changed', async (t) => {
      const service = await startService(t)
      await addFairAndLinen(service)
      const { client } = await connect(t, service, '/v2/mcp', mode)
      const list = async (args: object) => {
        const { structuredContent } = await client.callTool({ name: 'list_tasks', arguments: { limit: 1, ...args } })
        return structuredContent as { tasks: { id: string }[]; nextCursor: string | null; etag: string }
      }
      const first = await list({})
      const second = await list({ cursor: first.nextCursor })
      assert.deepEqual(
        [first, second].map(({ tasks }) => tasks.map(({ id }) => id)),
        [['task_linen'], ['task_fair']],
      )
      assert.equal(second.nextCursor, null)
      assert.partialDeepStrictEqual(await list({ ifNoneMatch: first.etag }), { unchanged: true, etag: first.etag })
    })

    test('a bad argument is a tool error that tells its fix, an unknown tool a ProtocolError', async (t) => {
      const { client } = await connect(t, await startService(t), '/v2/mcp', mode)
      const { isError, content } = await client.callTool({ name: 'list_tasks', arguments: { limit: 101 } })
      assert.equal(isError, true)
      assert.match(JSON.stringify(content), /limit.*100/)
      await assert.rejects(client.callTool({ name: 'delete_task' }), isProtocolError(-32602, /no tool of this name/))
    })

    test('a revoked key fails its next request, and its next connection, with 401', async (t) => {
      const service = await startService(t)
      const { token, id } = await service.createKey()
      const { client } = await connect(t, service, '/v2/mcp', mode, token)
      await service.keys.revoke(id)
      await assert.rejects(client.callTool({ name: 'get_workspace' }), isUnauthorized)
      await assert.rejects(connect(t, service, '/v2/mcp', mode, token), isUnauthorized)
    })
  })
