import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toolFormat } from '../../src/mcp/2025-03-26/tools.ts'
import { createArgumentParser } from '../../src/mcp/arguments.ts'
import { InvalidArgumentsError } from '../../src/mcp/invalid-arguments.ts'
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

test('a filter may be named arguments, and its faults are not those of the arguments as a whole', () => {
  const { fields } = orders({})
  const named = { type: 'text', maxLength: 100, description: 'What the program is started with.' } as const
  const filters = ['arguments']
  const { parse } = createArgumentParser(
    compileDefinition(orders({ fields: { ...fields, arguments: named }, filters })),
  )
  const refuse = (given: unknown) => {
    try {
      parse(given)
    } catch (error) {
      assert.ok(error instanceof InvalidArgumentsError)
      toolFormat.refuse(error, undefined)
    }
  }
  assert.deepEqual(parse({ arguments: '--fast' }), { arguments: '--fast' })
  assert.throws(() => refuse({ arguments: '' }), /Invalid arguments: arguments must not be empty/)
  assert.throws(() => refuse([]), /params\.arguments must be an object/)
})
