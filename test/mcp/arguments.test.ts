import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createArgumentParser } from '../../src/mcp/arguments.ts'
import { compileDefinition } from '../../src/resources/declared/compile.ts'
import { orders } from '../resources/declared/published-orders.ts'

test('an id may be as long as its list allows', () => {
  const { fields } = orders({})
  const id = { type: 'text', maxLength: 500, description: 'Stable order identifier.' } as const
  const { parse } = createArgumentParser(compileDefinition(orders({ fields: { ...fields, id } })))
  const longest = 'x'.repeat(500)
  assert.deepEqual(parse({ ids: [longest] }), { ids: [longest] })
  assert.throws(() => parse({ ids: [`${longest}x`] }))
})
