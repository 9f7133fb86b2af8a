import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { argumentsOf } from '../../../src/mcp/arguments.ts'
import { definitionFaults } from '../../../src/resources/declared/check.ts'
import { compileDefinition } from '../../../src/resources/declared/compile.ts'
import { MAX_FIELDS } from '../../../src/resources/declared/definition.ts'
import { changed, orders } from './orders.ts'

const text = (maxLength: number, more = {}) => ({ type: 'text', maxLength, description: 'A text.', ...more })
const field = (type: string, more = {}) => ({ type, description: 'A field.', ...more })

test("the documentation's example has no fault, and neither the program nor the published schema finds one", () => {
  assert.deepEqual(definitionFaults(orders), [])
  assert.ok(fitsPublished(orders))
})

type Problem = string | RegExp

/** Each with the members that change, and the faults that follow: of the first of those members, or by member. */
const faulty: [what: string, changes: Record<string, unknown>, faults: Problem | Record<string, Problem>][] = [
  ['an unknown member', { order_by: [] }, 'is not a known field'],
  ['no state', { state: undefined }, 'is required'],
  ['no id', { 'fields.id': undefined }, 'is required'],
  ['a nullable id', { 'fields.id.nullable': true }, { 'fields.id': 'must be a text that is not nullable' }],
  ['a counted id', { 'fields.id': field('integer') }, 'must be a text that is not nullable'],
  ['a long id', { 'fields.id': text(501) }, { 'fields.id.maxLength': 'must be at most 500 for the id' }],
  ['a plural with a capital', { name: 'Orders' }, /^must be at most 24 lower-case letters and digits/],
  ['a long plural', { name: 'o'.repeat(25) }, /^must be at most 24 lower-case letters and digits/],
  ['a singular with a space', { singular: 'an order' }, /^must be lower-case letters and digits/],
  [
    'a name of the service',
    { name: 'members' },
    'is the name of something that the service already has; choose another',
  ],
  ['snake case', { 'fields.due_at': field('instant') }, 'must be camelCase, of letters and digits only'],
  ['a long field', { [`fields.${'x'.repeat(36)}`]: field('instant') }, /^must be at most 35 characters long/],
  ...['source', 'deleted', 'truncated', 'constructor', 'valueOf'].map((name): (typeof faulty)[number] => [
    `the field ${name}`,
    { [`fields.${name}`]: field('instant') },
    'is a reserved name; choose another',
  ]),
  ['an unknown type', { 'fields.total.type': 'float' }, /^must be one of text, email/],
  ['no description', { 'fields.total.description': '' }, 'must not be empty'],
  ['two lines', { description: 'One\ntwo' }, 'must be on one line, without control characters or spaces around it'],
  ['a text without a length', { 'fields.supplier.maxLength': undefined }, 'is required for text'],
  [
    'a choice without values',
    { 'fields.status.values': undefined },
    {
      'fields.status.values': 'is required for choice',
      'current.status.0': /^must be one of/,
      'current.status.1': /./,
      'current.status.2': /./,
    },
  ],
  ['an empty choice', { 'fields.status.values': [] }, 'must have at least 1 item'],
  ['a value twice', { 'fields.status.values': ['sent', 'sent'] }, { 'fields.status.values.1': 'is listed twice' }],
  ['a length of a boolean', { 'fields.urgent.maxLength': 5 }, 'does not belong to the type boolean; remove it'],
  [
    'a default of an instant',
    { 'fields.seenAt': field('instant', { default: '2026-01-01T00:00:00.000Z' }) },
    { 'fields.seenAt.default': 'does not belong to the type instant; remove it' },
  ],
  ['a default of a nullable field', { 'fields.total.default': '1' }, /cannot be combined with nullable/],
  ['a default of another type', { 'fields.urgent.default': 'no' }, 'must be a boolean'],
  [
    'a default that is not a choice',
    { 'fields.status.default': 'gone' },
    'must be one of draft, sent, received, closed',
  ],
  ['a default that is no date', { 'fields.orderedOn.default': '2026-02-30' }, /valid date/],
  [
    'a default that is too long',
    { 'fields.supplier': text(3, { default: 'abcd' }) },
    { 'fields.supplier.default': /at most 3/, 'example.supplier': /at most 3/ },
  ],
  [
    'a minimum above the maximum',
    { 'fields.n': field('integer', { minimum: 2, maximum: 1 }) },
    { 'fields.n.minimum': 'must not be greater than maximum' },
  ],
  [
    'an unknown field in the order',
    { order: ['deliverdAt'] },
    { 'order.0': '"deliverdAt" is not one of the fields; did you mean deliveryAt?' },
  ],
  ['the prototype in the order', { order: ['__proto__'] }, { 'order.0': /is not one of the fields/ }],
  ['a field twice', { filters: ['status', 'status'] }, { 'filters.1': 'is listed twice' }],
  [
    'a list of texts that is sorted, filtered, searched and shown',
    {
      'fields.tags': field('texts', { maxLength: 9 }),
      order: ['tags'],
      filters: ['tags'],
      search: ['tags'],
      label: 'tags',
    },
    {
      'order.0': /cannot be sorted by/,
      'filters.0': /cannot be filtered by/,
      'search.0': /can be searched/,
      label: /can be the label/,
    },
  ],
  ['the id as a label', { label: 'id' }, /must not be id/],
  ['a search for a choice', { search: ['status'] }, { 'search.0': /^status is of the type choice/ }],
  [
    'a filter named as a range',
    { 'fields.deliveryAtAfter': field('boolean'), filters: ['deliveryAtAfter'] },
    { 'filters.0': 'deliveryAtAfter is the argument for a range of deliveryAt; rename the field' },
  ],
  ['current rows of an unknown field', { current: { sent: 'past' } }, { 'current.sent': /is not one of the fields/ }],
  [
    'current rows of a date',
    { current: { orderedOn: 'past' } },
    { 'current.orderedOn': 'can only be "past" for an instant, not for date' },
  ],
  ['current rows of a text', { current: { supplier: ['x'] } }, { 'current.supplier': /only a choice or a boolean/ }],
  ['current rows of another value', { current: { status: ['gone'] } }, { 'current.status.0': /^must be one of draft/ }],
  [
    'current rows of a boolean as text',
    { current: { urgent: ['true'] } },
    { 'current.urgent.0': 'must be true or false' },
  ],
  [
    'another word for current',
    { current: { deliveryAt: 'future' } },
    { 'current.deliveryAt': 'must be "past", or a list of values' },
  ],
  [
    'two instants that hide rows',
    {
      'fields.endAt': field('instant'),
      'example.endAt': '2026-01-01T00:00:00.000Z',
      current: { deliveryAt: 'past', endAt: 'past' },
    },
    { current: 'can have "past" for only one instant, not for deliveryAt and endAt' },
  ],
  [
    'a long text in the order',
    { 'fields.supplier.maxLength': 601, filters: [] },
    { order: /^sorts by deliveryAt, supplier.*lower the maxLength of supplier$/ },
  ],
  [
    'a response that is too large',
    { 'fields.notes': field('texts', { maxLength: 10_000, maxItems: 100 }), 'example.notes': [] },
    {
      'fields.notes':
        'a response could be 601 MB, and at most 32 MB is allowed; shorten it, or lower the limit of 100 rows',
    },
  ],
  [
    'an example that does not fit',
    {
      example: {
        id: '',
        supplier: 'x',
        total: 1240.5,
        deliveryAt: '2026-11-16T10:00:00Z',
        urgent: null,
        status: 'gone',
        more: 1,
      },
    },
    {
      'example.more': 'is not a known field',
      'example.id': 'must not be empty',
      'example.total': 'must be a string or null',
      'example.orderedOn': 'is required',
      'example.urgent': 'must be a boolean',
      'example.status': /^must be one of/,
      'example.deliveryAt': 'must be in the form that clients see: 2026-11-16T10:00:00.000Z',
    },
  ],
  [
    '101 fields',
    {
      fields: Object.fromEntries(Array.from({ length: MAX_FIELDS + 1 }, (_, i) => [i === 0 ? 'id' : `f${i}`, text(9)])),
    },
    'must have at most 100 members, and has 101',
  ],
]

for (const [what, changes, problems] of faulty)
  test(`a definition is refused: ${what}`, () => {
    const isOne = typeof problems === 'string' || problems instanceof RegExp
    const expected: Record<string, Problem> = isOne ? { [Object.keys(changes)[0] ?? '']: problems } : problems
    const faults = definitionFaults(changed(changes))
    assert.deepEqual(faults.map(({ field: member }) => member).sort(), Object.keys(expected).sort())
    for (const { field: member, problem } of faults) {
      const message = expected[member] ?? ''
      if (typeof message === 'string') assert.equal(problem, message)
      else assert.match(problem, message)
    }
  })

const published = JSON.parse(readFileSync(new URL('../../../contract/resource.schema.json', import.meta.url), 'utf8'))
// An editor's own keyword.
const ajv = new Ajv2020({ keywords: ['patternErrorMessage'], allowUnionTypes: true })
const fitsPublished = ajv.compile(published)

test('the published schema finds the same formal faults as the program', () => {
  const form = faulty.filter(([, changes]) => {
    const value = changed(changes)
    const [first] = definitionFaults(value)
    return first !== undefined && !fitsPublished(value)
  })
  assert.ok(form.length > 12, `${form.length}`)
  for (const state of ['draft', 'published'])
    assert.ok(fitsPublished(changed({ state })), ajv.errorsText(fitsPublished.errors))
})

test("every tool argument is rejected as a filter's name, unless it is that filter", () => {
  const names = argumentsOf(compileDefinition(orders)).map(({ name }) => name)
  for (const name of names) {
    if ((orders.filters as readonly string[]).includes(name)) continue
    const value = changed({ [`fields.${name}`]: field('boolean'), [`example.${name}`]: true, filters: [name] })
    assert.match(definitionFaults(value)[0]?.problem ?? '', /rename the field/, name)
  }
})
