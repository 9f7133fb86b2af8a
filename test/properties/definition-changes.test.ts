/** A definition that extends another keeps everything that clients of the other one can read and ask for. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { definitionFaults } from '../../src/resources/declared/check.ts'
import { breachesOf } from '../../src/resources/declared/compatibility.ts'
import { compileDefinition } from '../../src/resources/declared/compile.ts'
import type { Definition, FieldDefinition } from '../../src/resources/declared/definition.ts'
import { alwaysIncluded, type Resource } from '../../src/resources/define.ts'
import { orders, withNotes } from '../resources/declared/published-orders.ts'

const base: Definition = orders({})

/** Small changes, so that many of them are additive and many are not. */
const fieldChange: fc.Arbitrary<Partial<FieldDefinition>> = fc.oneof(
  fc.record({ nullable: fc.boolean() }),
  fc.record({ maxLength: fc.constantFrom(50, 199, 200, 201, 2048, 3000) }),
  fc.record({ minimum: fc.constantFrom(0, 1, 2) }),
  fc.record({ maximum: fc.constantFrom(10, 1000) }),
  fc.record({ values: fc.subarray(['draft', 'sent', 'closed', 'lost'], { minLength: 1 }) }),
  fc.record({ description: fc.constant('Other words.') }),
)
type Step = (definition: Definition) => Definition
const names = Object.keys(base.fields)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.constantFrom(...names), fieldChange).map(
    ([name, change]): Step =>
      (old) => {
        const field = old.fields[name]
        return field === undefined ? old : { ...old, fields: { ...old.fields, [name]: { ...field, ...change } } }
      },
  ),
  fc.constantFrom('link', 'pieces', 'total').map(
    (name): Step =>
      (old) => {
        const { [name]: _, ...fields } = old.fields
        return { ...old, fields }
      },
  ),
  fc.constantFrom('note', 'remark').map(
    (name): Step =>
      (old) =>
        withNotes(old, name),
  ),
  fc.subarray(['supplier', 'status', 'pieces', 'deliveryAt'], { minLength: 1 }).map(
    (filters): Step =>
      (old) => ({
        ...old,
        filters,
      }),
  ),
  fc.subarray(['supplier', 'link']).map(
    (search): Step =>
      (old) => ({ ...old, search }),
  ),
  fc.constantFrom(49, 50, 100).map(
    (limit): Step =>
      (old) => ({ ...old, limit }),
  ),
  fc.constantFrom(['deliveryAt', 'supplier'], ['supplier']).map(
    (order): Step =>
      (old) => ({ ...old, order: [...order] }),
  ),
  fc.constantFrom('supplier', 'status').map(
    (label): Step =>
      (old) => ({ ...old, label }),
  ),
)

/** Undefined for a definition that has faults. */
const compiled = (definition: Definition): Resource | undefined =>
  definitionFaults(definition).length === 0 ? compileDefinition(definition) : undefined

interface Shape {
  type?: unknown
  format?: unknown
  enum?: readonly unknown[]
  minimum?: number
  maximum?: number
  maxLength?: number
}

function assertKept(old: Resource, next: Resource): void {
  for (const member of ['name', 'path', 'permission'] as const) assert.equal(next[member], old[member])
  assert.equal(next.tool.name, old.tool.name)
  const fieldsOf = ({ schemas }: Resource) =>
    Object.values(schemas)[0] as unknown as { properties: Record<string, Shape>; required: string[] }
  const [before, after] = [fieldsOf(old), fieldsOf(next)]
  for (const [name, { type, format }] of Object.entries(before.properties)) {
    const { type: nextType, format: nextFormat } = after.properties[name] ?? assert.fail(`${name} is gone`)
    assert.deepEqual({ type: nextType, format: nextFormat }, { type, format }, name)
  }
  for (const name of before.required) assert.ok(after.required.includes(name), name)
  for (const [name, argument] of Object.entries(old.tool.filters)) {
    const [was, is] = [argument as Shape, next.tool.filters[name] as Shape | undefined]
    assert.equal(is?.type, was.type, name)
    for (const value of was.enum ?? []) assert.ok(is?.enum?.includes(value), `${name} ${value}`)
    assert.ok((is?.minimum ?? -Infinity) <= (was.minimum ?? -Infinity), name)
    assert.ok((is?.maximum ?? Infinity) >= (was.maximum ?? Infinity), name)
    assert.ok((is?.maxLength ?? Infinity) >= (was.maxLength ?? Infinity), name)
  }
  for (const member of ['countBy', 'suggests'] as const)
    for (const name of Object.keys(old.list?.[member] ?? {})) assert.ok(next.list?.[member][name], `${member} ${name}`)
  for (const name of old.list?.contains.query ?? []) assert.ok(next.list?.contains.query?.includes(name), name)
  assert.ok((next.table?.listing.limit ?? 0) >= (old.table?.listing.limit ?? 0))
  const [always, nextAlways] = [old, next].map(({ table }) => alwaysIncluded(table ?? assert.fail()))
  for (const field of always ?? []) assert.ok(nextAlways?.includes(field), field)
}

test('an extension keeps every field, argument, value, count and row limit', () => {
  const counts = { extended: 0, refused: 0 }
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 4 }), (steps) => {
      const next = steps.reduce((definition, change) => change(definition), base)
      const [old, resource] = [compiled(base), compiled(next)]
      if (old === undefined || resource === undefined) return
      const isExtension = breachesOf(base, next).length === 0
      counts[isExtension ? 'extended' : 'refused']++
      if (isExtension) assertKept(old, resource)
    }),
    { numRuns: 500 },
  )
  assert.ok(counts.extended > 50 && counts.refused > 50, JSON.stringify(counts))
})

test('extensions can be chained: an extension of an extension extends the first', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 3 }), fc.array(step, { maxLength: 3 }), (first, second) => {
      const middle = first.reduce((definition, change) => change(definition), base)
      const last = second.reduce((definition, change) => change(definition), middle)
      if (breachesOf(base, middle).length > 0 || breachesOf(middle, last).length > 0) return
      assert.deepEqual(breachesOf(base, last), [])
    }),
    { numRuns: 500 },
  )
})
