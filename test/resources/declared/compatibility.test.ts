import assert from 'node:assert/strict'
import { test } from 'node:test'
import { breachesOf } from '../../../src/resources/declared/compatibility.ts'
import type { Definition, FieldDefinition } from '../../../src/resources/declared/definition.ts'
import { orders } from './published-orders.ts'

const published = orders({})
const withField = (name: string, change: Partial<FieldDefinition>): Definition => {
  const { [name]: old, ...fields } = published.fields
  return { ...published, fields: { ...fields, [name]: { ...old, ...change } as FieldDefinition } }
}
const without = (member: keyof Definition): Definition => {
  const { [member]: _, ...others } = published
  return others as Definition
}
const withoutField = (name: string): Definition => {
  const { [name]: _, ...fields } = published.fields
  return { ...published, fields }
}
const newField = (field: Partial<FieldDefinition>) =>
  withField('note', { type: 'text', maxLength: 100, description: 'A note.', ...field })
const status = published.fields.status?.values ?? []

const breaking: [change: string, next: Definition, members: string[]][] = [
  ['another name', { ...published, name: 'purchases' }, ['name']],
  ['another singular', { ...published, singular: 'purchase' }, ['singular']],
  ['a draft again', { ...published, state: 'draft' }, ['state']],
  ['a field less', withoutField('total'), ['fields.total']],
  ['another type', withField('total', { type: 'decimal' }), ['fields.total.type']],
  ['a field that may be null', withField('supplier', { nullable: true }), ['fields.supplier.nullable']],
  ['a field that may not be null any more', withField('total', { nullable: false }), ['fields.total.nullable']],
  ['no default any more', withField('urgent', { default: undefined } as object), ['fields.urgent.default']],
  ['another default', withField('urgent', { default: true }), ['fields.urgent.default']],
  ['a default where there was none', withField('supplier', { default: 'x' }), ['fields.supplier.default']],
  ['shorter texts', withField('supplier', { maxLength: 199 }), ['fields.supplier.maxLength']],
  ['texts too long to count by', withField('supplier', { maxLength: 201 }), ['fields.supplier.maxLength']],
  ['a shorter url', withField('link', { maxLength: 2047 }), ['fields.link.maxLength']],
  ['fewer items', withField('tags', { maxItems: 19 }), ['fields.tags.maxItems']],
  ['a maximum', withField('pieces', { maximum: 999 }), ['fields.pieces.maximum']],
  ['a higher minimum', withField('pieces', { minimum: 2 }), ['fields.pieces.minimum']],
  ['a value less', withField('status', { values: status.slice(1) }), ['fields.status.values']],
  ['a new field that is required', newField({}), ['fields.note']],
  ['another order', { ...published, order: ['supplier', 'deliveryAt'] }, ['order']],
  ['a longer order', { ...published, order: ['deliveryAt', 'supplier', 'pieces'] }, ['order']],
  ['a filter less', { ...published, filters: ['status'] }, ['filters']],
  ['no filters', without('filters'), ['filters', 'filters']],
  ['a searchable field less', { ...published, search: [] }, ['search']],
  ['a lower limit', { ...published, limit: 49 }, ['limit']],
  ['another label', { ...published, label: 'status' }, ['label']],
  ['a current value less', { ...published, current: { status: ['draft'] } }, ['current.status']],
  ['a value that was hidden', { ...published, current: { status } }, ['current.status']],
  ['no current rows', without('current'), ['current.status']],
  [
    'another condition',
    { ...published, current: { ...published.current, deliveryAt: 'past' } },
    ['current.deliveryAt'],
  ],
]
for (const [change, next, members] of breaking)
  test(`it breaks clients: ${change}`, async () => {
    const found = breachesOf(published, next)
    assert.deepEqual(
      found.map(({ member }) => member),
      members,
    )
    for (const { rule, fix } of found) assert.ok(rule.length > 10 && fix.length > 5, `${rule}: ${fix}`)
  })

const values = [...status, 'lost']
const additive: [change: string, next: Definition][] = [
  ['nothing', structuredClone(published)],
  ['a default that is written out', { ...published, ...withField('tags', { maxItems: 20 }) }],
  ['other words', { ...published, description: 'Other.', tool: { description: 'Other.' } }],
  ['another example', { ...published, example: {} }],
  ['a new nullable field', newField({ nullable: true })],
  ['a new field with a default', newField({ default: 'none' })],
  ['longer texts', withField('link', { maxLength: 4000 })],
  ['more items', withField('tags', { maxItems: 21 })],
  ['a lower minimum', withField('pieces', { minimum: 0 })],
  ['no minimum', withField('pieces', { minimum: undefined } as object)],
  ['another value', withField('status', { values })],
  [
    'another value, which is current',
    { ...withField('status', { values }), current: { status: ['lost', 'sent', 'draft'] } },
  ],
  ['another filter', { ...published, filters: ['pieces', 'status', 'supplier'] }],
  ['another searchable field', { ...published, search: ['supplier', 'link'] }],
  ['a higher limit', { ...published, limit: 51 }],
]
for (const [change, next] of additive)
  test(`it breaks no client: ${change}`, async () => {
    assert.deepEqual(breachesOf(published, next), [])
  })

test('a draft may be published', async () => {
  assert.deepEqual(breachesOf({ ...published, state: 'draft' }, published), [])
})
