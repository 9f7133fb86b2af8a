import assert from 'node:assert/strict'
import { test } from 'node:test'
import { arrayOf, object, optional, reference, string } from '../../src/lib/schema.ts'
import { defineResource } from '../../src/resources/define.ts'
import { resources } from '../../src/resources/index.ts'
import { startService } from '../support/service.ts'

const Supplier = object({ id: string(), name: string() })

/** All that a new resource takes. */
const suppliers = defineResource({
  name: 'suppliers',
  path: '/suppliers',
  permission: 'suppliers:read',
  summary: 'List suppliers',
  description: 'Returns the suppliers.',
  body: object({ suppliers: arrayOf(reference('Supplier')) }),
  schemas: { Supplier },
  example: { suppliers: [{ id: 's1', name: 'Müller' }] },
  tool: {
    name: 'list_suppliers',
    title: 'List suppliers',
    description: 'List the suppliers.',
    arguments: object({ startingWith: optional(string()) }, { additionalProperties: false }),
  },
  async read(_store, _viewpoint, { startingWith = '' }) {
    const all = [{ id: 's1', name: 'Müller' }].filter(({ name }) => name.startsWith(startingWith))
    return { body: Buffer.from(JSON.stringify({ suppliers: all })), until: Number.POSITIVE_INFINITY }
  },
})

test('one definition makes the route, the tool, the permission and the OpenAPI operation', async (t) => {
  const service = await startService(t, { resources: [...resources, suppliers] })
  const { token } = await service.createKey({ permissions: ['suppliers:read'] })
  const authorization = `Bearer ${token}`

  const rest = await service.get('/suppliers', { authorization })
  assert.equal(rest.status, 200)
  assert.equal(await rest.text(), '{"suppliers":[{"id":"s1","name":"Müller"}]}')
  assert.equal(
    (await service.get('/suppliers', { authorization, 'if-none-match': rest.headers.get('etag') ?? '' })).status,
    304,
  )
  assert.equal((await service.get('/suppliers')).status, 403)

  const listed = await service.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { authorization })
  const { result } = (await listed.json()) as { result: { tools: { name: string; inputSchema: unknown }[] } }
  assert.deepEqual(
    result.tools.map(({ name }) => name),
    ['list_suppliers'],
  )

  const call = (args: unknown) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'list_suppliers', arguments: args },
  })
  assert.deepEqual(await (await service.rpc(call({ startingWith: 'X' }), { authorization })).json(), {
    jsonrpc: '2.0',
    id: 1,
    result: { content: [{ type: 'text', text: '{"suppliers":[]}' }] },
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
  assert.equal(document.paths['/suppliers']?.get?.operationId, 'readSuppliers')
  assert.ok(document.components.schemas.Supplier)
})
