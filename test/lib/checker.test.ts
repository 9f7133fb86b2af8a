import assert from 'node:assert/strict'
import test from 'node:test'
import { checker } from '../../src/lib/checker.ts'
import { arrayOf, boolean, integer, mapOf, nullableString, object, optional, string } from '../../src/lib/schema.ts'

const check = checker(
  object({ name: string({ minLength: 1, maxLength: 3 }), size: optional(integer({ minimum: 1, maximum: 9 })) }),
)

test('only valid values have no faults', () => {
  assert.deepEqual(check({ name: 'a' }), [])
  assert.deepEqual(check({ name: '🎈🎈🎈', size: 9 }), [])
  const faults = (value: unknown) => check(value).map(({ field, problem }) => `${field} ${problem}`)
  assert.deepEqual(faults({}), ['name is required'])
  assert.deepEqual(faults({ name: '', size: 0 }), ['name must not be empty', 'size must be at least 1'])
  assert.deepEqual(faults({ name: 'abcd', size: 1.5 }), [
    'name must be at most 3 characters, and has 4',
    'size must be an integer',
  ])
  assert.deepEqual(faults({ name: null, size: null }), ['name must be a string', 'size must be an integer'])
  assert.deepEqual(faults(JSON.parse('{"name":"a","__proto__":1,"toString":2}')), [
    '__proto__ is not a known field',
    'toString is not a known field',
  ])
  for (const value of [null, [], 'a', 7]) assert.deepEqual(faults(value), [' must be an object'])
})

test('an enumeration error lists the allowed values', () => {
  const one = checker(object({ state: nullableString({ enum: ['on', 'off', null] }) }))
  assert.deepEqual(one({ state: null }), [])
  assert.deepEqual(one({ state: 'of' }), [{ field: 'state', problem: 'must be one of on, off' }])
})

test('arrays, maps and objects are checked inside, and faults have their path', () => {
  const nested = checker(
    object({
      tags: optional(arrayOf(string({ minLength: 1 }), { maxItems: 2 })),
      people: optional(mapOf(object({ name: string(), isAway: optional(boolean()) }))),
    }),
  )
  assert.deepEqual(nested({ tags: ['a'], people: { x: { name: 'X', isAway: true } } }), [])
  assert.deepEqual(nested({ tags: ['a', ''], people: JSON.parse('{"__proto__":{"name":1,"age":2},"y":7}') }), [
    { field: 'tags.1', problem: 'must not be empty' },
    { field: 'people.__proto__.age', problem: 'is not a known field' },
    { field: 'people.__proto__.name', problem: 'must be a string' },
    { field: 'people.y', problem: 'must be an object' },
  ])
  assert.deepEqual(nested({ tags: ['a', 'b', 'c'] }), [
    { field: 'tags', problem: 'must have at most 2 items, and has 3' },
  ])
  assert.deepEqual(nested({ tags: 'a', people: [] }), [
    { field: 'tags', problem: 'must be an array' },
    { field: 'people', problem: 'must be an object' },
  ])
})

test('a schema that cannot be checked is rejected when the checker is created', () => {
  assert.throws(() => checker(object({ anything: {} })), /cannot be checked/)
  assert.throws(() => checker(object({ fixed: string({ const: 'a' }) })), /cannot be checked/)
})
