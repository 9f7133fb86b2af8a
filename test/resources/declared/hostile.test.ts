import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { definitionFaults } from '../../../src/resources/declared/check.ts'
import { compileDefinition } from '../../../src/resources/declared/compile.ts'
import type { Definition } from '../../../src/resources/declared/definition.ts'
import { changed } from './orders.ts'

const HOSTILE = [
  "'; DROP TABLE workspaces; --",
  '"; DROP TABLE workspaces; --',
  '$$; DROP TABLE vitrine.workspaces; $$',
  '$body1$',
  "it's",
  'a ? b',
  '$1',
  ':now',
  '%s %L %I',
  '\\',
  '\\u0000',
  '\0',
  '\ud800',
  '\u202e',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '--help',
  '-x',
  '',
  ' ',
  '\n',
  'é',
  '😀',
  'a'.repeat(10_001),
]

const places = [
  'name',
  'singular',
  'state',
  'description',
  'label',
  'tool.description',
  'order.0',
  'filters.0',
  'search.0',
  'current.status.0',
  'fields.status.values.0',
  'fields.supplier.default',
  'fields.supplier.description',
  'fields.total.type',
  'example.supplier',
]

test('whatever a definition contains, it is compiled or its faults are named', () => {
  const text = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }))
  fc.assert(
    fc.property(fc.constantFrom(...places), fc.oneof(text, fc.jsonValue()), (place, value) => {
      const definition = changed({ [place]: value })
      const faults = definitionFaults(definition)
      if (faults.length === 0) compileDefinition(definition as Definition)
      for (const { field, problem } of faults) assert.ok(typeof field === 'string' && problem !== '')
    }),
    { numRuns: 500 },
  )
  fc.assert(
    fc.property(text, (name) => {
      const definition = changed({})
      Object.defineProperty(definition.fields, name, {
        ...{
          value: { type: 'boolean', nullable: true, description: 'x' },
          enumerable: true,
          configurable: true,
          writable: true,
        },
      })
      Object.defineProperty(definition.example, name, { value: null, enumerable: true })
      const faults = definitionFaults(definition)
      if (/^[a-z][a-zA-Z0-9]*$/.test(name)) return
      assert.ok(faults.length > 0, name)
    }),
    { numRuns: 300 },
  )
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      assert.ok(definitionFaults(value).length > 0)
    }),
    { numRuns: 300 },
  )
})
