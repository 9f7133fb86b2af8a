import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import {
  Client,
  ProtocolError,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client'
import { type Service, startService } from '../support/service.ts'
import { addFairAndLinen, bearer, contractTools, textOf } from './fixture.ts'
import { watchWire } from './wire.ts'

const OLD = '2025-03-26'
const MODERN = '2026-07-28'
const initialized = ['initialize (no version) 200', `notifications/initialized (${OLD}) 202`]
const discovered = [`server/discover (${MODERN}) 200`]

const modes: { title: string; path: string; mode?: VersionNegotiationMode; version: string; handshake: string[] }[] = [
  { title: 'as it comes on /mcp', path: '/mcp', version: OLD, handshake: initialized },
  { title: 'as it comes on /v2/mcp', path: '/v2/mcp', version: OLD, handshake: initialized },
  {
    title: 'probing first on /mcp',
    path: '/mcp',
    mode: 'auto',
    version: OLD,
    handshake: [`server/discover (${MODERN}) 400`, ...initialized],
  },
  { title: 'probing first on /v2/mcp', path: '/v2/mcp', mode: 'auto', version: MODERN, handshake: discovered },
  { title: 'pinned on /v2/mcp', path: '/v2/mcp', mode: { pin: MODERN }, version: MODERN, handshake: discovered },
]

for (const { title, path, mode, version, handshake } of modes)
  test(`@modelcontextprotocol/client 2.x, ${title}, negotiates ${version} and reads what the server is`, async (t) => {
    const { client, wire, errors } = await connect(t, await startService(t), path, mode)
    assert.equal(client.getNegotiatedProtocolVersion(), version)
    assert.equal(client.getServerVersion()?.name, 'vitrine')
    assert.deepEqual(client.getServerCapabilities(), { tools: {} })
    assert.match(client.getInstructions() ?? '', /timezone/)
    const { tools } = await client.listTools()
    assert.deepEqual(
      tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint]),
      contractTools.map(({ name }) => [name, true]),
    )
    assert.deepEqual(await wire.posts(), [...handshake, `tools/list (${version}) 200`])
    assert.deepEqual(await wire.others(), version === OLD ? [`GET (${OLD}) 405`] : [])
    assert.deepEqual(errors, [])
  })

suite(`@modelcontextprotocol/client 2.x, speaking ${MODERN}`, () => {
  test("it reads structured content that matches the tool's schema", async (t) => {
    const service = await startService(t)
    await addFairAndLinen(service)
    const { client, wire } = await connect(t, service, '/v2/mcp', 'auto')
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
      // The client itself checks it against the tool's outputSchema.
      const result = await client.callTool(params)
      assert.deepEqual(JSON.parse(textOf(result)), result.structuredContent)
    }
    await wire.all()
  })

  test('a bad argument is a tool error that names its fix, an unknown tool a ProtocolError', async (t) => {
    const { client } = await connect(t, await startService(t), '/v2/mcp', 'auto')
    const { isError, content } = await client.callTool({ name: 'list_tasks', arguments: { limit: 101 } })
    assert.equal(isError, true)
    assert.match(JSON.stringify(content), /limit.*100/)
    await assert.rejects(client.callTool({ name: 'delete_task' }), isProtocolError(-32602, /No tool has this name/))
  })
})

/** @modelcontextprotocol/client 2.x, connected. */
async function connect(
  t: TestContext,
  service: Service,
  path: string,
  mode: VersionNegotiationMode | undefined,
  token = service.key,
) {
  const wire = watchWire()
  const requestInit = { headers: bearer(token) }
  const transport = new StreamableHTTPClientTransport(new URL(service.url + path), { requestInit, fetch: wire.fetch })
  const options = mode === undefined ? undefined : { versionNegotiation: { mode } }
  const client = new Client({ name: 'test', version: '1.0.0' }, options)
  const errors: Error[] = []
  client.onerror = (error) => errors.push(error)
  t.after(() => client.close())
  await client.connect(transport)
  return { client, wire, errors }
}

const isProtocolError = (code: number, message: RegExp) => (error: unknown) =>
  error instanceof ProtocolError && error.code === code && message.test(error.message)
