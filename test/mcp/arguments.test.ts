import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createArgumentParser } from '../../src/mcp/arguments.ts'
import type { InvalidArgumentsError } from '../../src/mcp/invalid-arguments.ts'
import { compileDefinition } from '../../src/resources/declared/compile.ts'
import { orders } from '../resources/declared/published-orders.ts'

const fields = {
  ...orders({}).fields,
  buyer: { type: 'email', nullable: true, description: 'Address of the buyer.' },
  orderedOn: { type: 'date', nullable: true, description: 'Business date of the order.' },
} as const

test('an id may be as long as its list allows', () => {
  const id = { type: 'text', maxLength: 500, description: 'Stable order identifier.' } as const
  const { parse } = createArgumentParser(compileDefinition(orders({ fields: { ...fields, id } })))
  const longest = 'x'.repeat(500)
  assert.deepEqual(parse({ ids: [longest] }), { ids: [longest] })
  assert.throws(() => parse({ ids: [`${longest}x`] }))
})

test('a value that cannot match is named with its fix, by kinds of fields', () => {
  const { parse } = createArgumentParser(
    compileDefinition(orders({ filters: ['supplier', 'total', 'status', 'deliveryAt', 'buyer', 'orderedOn'], fields })),
  )
  for (const [args, problem] of [
    [{ deliveryAtAfter: 'tomorrow' }, 'deliveryAtAfter must be a valid date'],
    [{ orderedOn: '2026-02-30' }, 'orderedOn must be a valid date'],
    [{ buyer: 'ann' }, 'buyer must be a whole email address'],
    [{ total: '1,5' }, 'total must be a decimal'],
    [{ status: 'closed' }, 'status must be one of draft, sent'],
    [{ supplier: ' ' }, 'supplier must not be empty'],
    [{ ids: [] }, 'ids must not be empty'],
  ] as const)
    assert.throws(
      () => parse(args),
      ({ faults }: InvalidArgumentsError) =>
        faults
          .map(({ argument, fix }) => `${argument} ${fix}`)
          .join()
          .startsWith(problem),
      problem,
    )
})
