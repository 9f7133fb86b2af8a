/**
 * Migrations never change. To change the schema, add another file. `npm run contract` then adds a line to frozen.json, and never changes
 * one.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { frozenChecksums, frozenFaults, schemaChecksums } from '../../scripts/schema-checksums.ts'

const current = schemaChecksums()
const frozen = frozenChecksums()

test('something is frozen', () => assert.ok(Object.keys(frozen).length >= 4))

test('every migration is unchanged since it was recorded', () => assert.deepEqual(frozenFaults(current, frozen), []))

test('every migration is recorded (`npm run contract` does it)', () =>
  assert.deepEqual(
    Object.keys(current).filter((name) => frozen[name] === undefined),
    [],
  ))

test('a changed or missing migration is reported with the fix', () => {
  const recorded = { 'sqlite/migrations/1.sql': 'a', 'sqlite/migrations/2.sql': 'b' }
  assert.deepEqual(frozenFaults(recorded, recorded), [])
  assert.deepEqual(frozenFaults({ 'sqlite/migrations/1.sql': 'x' }, recorded), [
    'sqlite/migrations/1.sql was changed or removed: restore it, and write a new migration instead',
    'sqlite/migrations/2.sql was changed or removed: restore it, and write a new migration instead',
  ])
})
