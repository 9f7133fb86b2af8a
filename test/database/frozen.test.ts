/**
 * What databases were created with stays as it is. Whoever would change a migration adds another file; whoever changes the table of
 * a resource raises its version. `npm run contract` then adds a line to frozen.json, and never changes one.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { frozenChecksums, schemaChecksums } from '../../scripts/schema-checksums.ts'

const current = schemaChecksums()
const frozen = frozenChecksums()

test('there is something frozen', () => assert.ok(Object.keys(frozen).length >= 4))

for (const name of new Set([...Object.keys(current), ...Object.keys(frozen)])) {
  const isOlderVersion = / version \d+$/.test(name) && current[name] === undefined
  if (!isOlderVersion) test(`${name} is as it was when it came`, () => assert.equal(current[name], frozen[name]))
}
