/**
 * Recorded schemas never change. To change a migration, add another file; to change the table of
 * a resource, raise its version. `npm run contract` then adds a line to frozen.json, and never changes one.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { frozenChecksums, frozenFaults, schemaChecksums } from '../../scripts/schema-checksums.ts'

const current = schemaChecksums()
const frozen = frozenChecksums()

test('something is frozen', () => assert.ok(Object.keys(frozen).length >= 4))

test('every migration and every version of a table is unchanged since it was recorded', () =>
  assert.deepEqual(frozenFaults(current, frozen), []))

test('every migration and table is recorded (`npm run contract` does it)', () =>
  assert.deepEqual(
    Object.keys(current).filter((name) => frozen[name] === undefined),
    [],
  ))

test('a changed schema is reported with the fix; older versions of a table need not exist', () => {
  const recorded = { 'sqlite/notes version 1': 'a', 'sqlite/notes version 2': 'b', 'sqlite/migrations/1.sql': 'c' }
  assert.deepEqual(frozenFaults({ 'sqlite/notes version 2': 'b', 'sqlite/migrations/1.sql': 'c' }, recorded), [])
  assert.deepEqual(frozenFaults({ 'sqlite/notes version 2': 'x', 'sqlite/migrations/1.sql': 'x' }, recorded), [
    'sqlite/notes version 2 was changed: raise the version of notes to 3 in src/resources/notes/contract.ts; if this version was never committed, delete its line in test/database/frozen.json',
    'sqlite/migrations/1.sql was changed or removed: restore it, and write a new migration instead',
  ])
})
