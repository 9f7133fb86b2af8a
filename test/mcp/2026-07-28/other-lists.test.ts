import assert from 'node:assert/strict'
import { test } from 'node:test'
import { permissionsOf } from '../../../src/resources/define.ts'
import { resources } from '../../../src/resources/index.ts'
import { books } from '../../resources/books/contract.ts'
import { startModernTools } from '../../support/modern-tools.ts'

test("another resource's list has its arguments, its schemas and its untrusted members only from its definition", async (t) => {
  const all = [...resources, books]
  const { callTool, ask, createKey } = await startModernTools(t, { resources: all })
  const { token } = await createKey({ permissions: permissionsOf(all) })
  const headers = { authorization: `Bearer ${token}` }
  const { result } = (await callTool('list_books', {}, headers)).json as { result: { _meta: Record<string, unknown> } }
  assert.deepEqual(result._meta['vitrine/untrusted'], { books: ['id', 'title', 'author'] })
  const { result: listed } = (await ask('tools/list', {}, headers)).json as {
    result: { tools: { name: string; inputSchema: { properties: object }; outputSchema: { properties: object } }[] }
  }
  const tool = listed.tools.find(({ name }) => name === 'list_books')
  assert.deepEqual(Object.keys(tool?.inputSchema.properties ?? {}), [
    'author',
    'ids',
    'query',
    'countBy',
    'fields',
    'limit',
    'cursor',
    'ifNoneMatch',
  ])
  assert.deepEqual(tool?.outputSchema.properties, {
    asOf: { type: 'string' },
    etag: { type: 'string' },
    unchanged: { type: 'boolean' },
    localDate: { type: 'string' },
    timezone: { type: ['string', 'null'] },
    total: { type: 'integer' },
    totalIsMinimum: { type: 'boolean' },
    hasMore: { type: 'boolean' },
    nextCursor: { type: ['string', 'null'] },
    suggestions: { type: 'object' },
    books: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'title'],
        additionalProperties: { type: ['string', 'null', 'integer'] },
      },
    },
    counts: { type: 'array', items: { type: 'object' } },
    more: { type: 'integer' },
  })
})
