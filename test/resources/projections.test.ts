// Run once: this is decided before the database is asked anything.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { arrayOf, object, optional, reference, string } from '../../src/lib/schema.ts'
import { defineResource } from '../../src/resources/define.ts'
import { resources } from '../../src/resources/index.ts'
import { startService } from '../support/service.ts'

const Unicorn = object({ id: string(), name: string() })

/** All that a new resource takes. */
const unicorns = defineResource({
  name: 'unicorns',
  path: '/unicorns',
  permission: 'unicorns:read',
  summary: 'List unicorns',
  description: 'Returns the unicorns.',
  body: object({ unicorns: arrayOf(reference('Unicorn')) }),
  schemas: { Unicorn },
  example: { unicorns: [{ id: 's1', name: 'Müller' }] },
  tool: {
    name: 'list_unicorns',
    title: 'List unicorns',
    description: 'List the unicorns.',
    filters: { startingWith: optional(string()) },
  },
  async read(_store, _viewpoint, { startingWith = '' }) {
    const all = [{ id: 's1', name: 'Müller' }].filter(({ name }) => name.startsWith(String(startingWith)))
    return { body: Buffer.from(JSON.stringify({ unicorns: all })), until: Number.POSITIVE_INFINITY }
  },
})

test('one definition makes the route, the tool, the permission and the OpenAPI operation', async (t) => {
  const service = await startService(t, { resources: [...resources, unicorns] })
  const { token } = await service.createKey({ permissions: ['unicorns:read'] })
  const authorization = `Bearer ${token}`

  const rest = await service.get('/unicorns', { authorization })
  assert.equal(rest.status, 200)
  assert.equal(await rest.text(), '{"unicorns":[{"id":"s1","name":"Müller"}]}')
  assert.equal(
    (await service.get('/unicorns', { authorization, 'if-none-match': rest.headers.get('etag') ?? '' })).status,
    304,
  )
  assert.equal((await service.get('/unicorns')).status, 403)

  const listed = await service.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { authorization })
  const { result } = (await listed.json()) as { result: { tools: { name: string; inputSchema: unknown }[] } }
  assert.deepEqual(
    result.tools.map(({ name }) => name),
    ['list_unicorns'],
  )

  const call = (args: unknown) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'list_unicorns', arguments: args },
  })
  assert.deepEqual(await (await service.rpc(call({ startingWith: 'X' }), { authorization })).json(), {
    jsonrpc: '2.0',
    id: 1,
    result: { content: [{ type: 'text', text: '{"unicorns":[]}' }] },
  })
  const wrong = (await (await service.rpc(call({ startingWith: 7 }), { authorization })).json()) as {
    error: { code: number; message: string }
  }
  assert.equal(wrong.error.code, -32602)
  assert.match(wrong.error.message, /startingWith must be a string/)

  const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as {
    paths: Record<string, { get?: { operationId: string } }>
    components: { schemas: Record<string, unknown> }
  }
  assert.equal(document.paths['/unicorns']?.get?.operationId, 'readUnicorns')
  assert.ok(document.components.schemas.Unicorn)
})
