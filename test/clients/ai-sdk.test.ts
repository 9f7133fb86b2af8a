import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { createMCPClient, MCPClientError } from '@ai-sdk/mcp'
import { type Service, startService } from '../support/service.ts'
import { addFairAndLinen, bearer, taskIds, textOf } from './fixture.ts'
import { watchWire } from './wire.ts'

const initialized = ['initialize (2025-11-25) 200', 'notifications/initialized (2025-03-26) 202']

/** The client itself reports the refusal of its probe, and then continues; there must be no other report. */
const modes = [
  {
    title: 'as it comes on /mcp',
    path: '/mcp',
    discovery: true,
    handshake: ['server/discover (2026-07-28) 400', ...initialized],
    reports: [400],
  },
  { title: 'without its probe on /mcp', path: '/mcp', discovery: false, handshake: initialized, reports: [] },
  { title: 'without its probe on /v2/mcp', path: '/v2/mcp', discovery: false, handshake: initialized, reports: [] },
]

for (const { title, path, discovery, handshake, reports } of modes)
  suite(`@ai-sdk/mcp, ${title}`, () => {
    test('it negotiates 2025-03-26 and reads the server’s name and version', async (t) => {
      const { client, wire, reported } = await connect(t, await startService(t), path, discovery)
      assert.equal(client.serverInfo.name, 'vitrine')
      assert.match(client.instructions ?? '', /timezone.*currency/)
      await client.listTools()
      assert.deepEqual(await wire.posts(), [...handshake, 'tools/list (2025-03-26) 200'])
      for (const line of await wire.others()) assert.match(line, /^GET \(.*\) 405$/)
      assert.deepEqual([...reported], reports)
    })

    test('a mistake reaches it as an MCPClientError with the code and how to fix it', async (t) => {
      const { client } = await connect(t, await startService(t), path, discovery)
      const { list_tasks } = await client.tools()
      await assert.rejects(async () => list_tasks?.execute({ dueBefore: 'tomorrow' }), {
        name: 'MCPClientError',
        code: -32602,
        message: /dueBefore must be a valid date/,
      })
    })
  })

suite('@ai-sdk/mcp, as it comes on /v2/mcp', () => {
  test('it uses 2026-07-28 without a handshake, and has nothing to report', async (t) => {
    const { client, wire, reported } = await connect(t, await startService(t), '/v2/mcp', true)
    assert.equal(client.serverInfo.name, 'vitrine')
    assert.match(client.instructions ?? '', /timezone/)
    await client.listTools()
    assert.deepEqual(await wire.posts(), ['server/discover (2026-07-28) 200', 'tools/list (2026-07-28) 200'])
    assert.deepEqual(await wire.others(), [])
    assert.deepEqual([...reported], [])
  })

  test('it creates tools from ours that execute, and shows a model how to fix a bad argument', async (t) => {
    const service = await startService(t)
    await addFairAndLinen(service)
    const { client, wire } = await connect(t, service, '/v2/mcp', true)
    const { get_workspace, list_tasks } = await client.tools()
    assert.equal(get_workspace?.title, 'Get workspace')
    assert.equal(JSON.parse(textOf(await get_workspace?.execute({}))).workspace.name, 'Acme Buying')
    assert.deepEqual(taskIds(await list_tasks?.execute({ limit: 1 })), ['task_linen'])
    assert.match(JSON.stringify(await list_tasks?.execute({ dueBefore: 'tomorrow' })), /dueBefore/)
    await wire.all()
  })
})

async function connect(t: TestContext, service: Service, path: string, discovery: boolean) {
  const wire = watchWire()
  const reported = new Set<unknown>()
  const client = await createMCPClient({
    transport: { type: 'http', url: service.url + path, headers: bearer(service.key), fetch: wire.fetch },
    protocolVersionDiscovery: discovery,
    onUncaughtError: (error) => reported.add(MCPClientError.isInstance(error) ? error.statusCode : error),
  })
  t.after(() => client.close())
  return { client, wire, reported }
}
