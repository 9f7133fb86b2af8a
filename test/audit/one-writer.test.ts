import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const src = join(import.meta.dirname, '../../src')
const WRITES = /\b(?:insert\s+into|update|delete\s+from|truncate)\s+(?:vitrine\.)?audit(?:_heads)?\b/i

test('the audit log is written in one place, where every entry is chained', () => {
  const writers = globSync('**/*.ts', { cwd: src }).filter((file) => WRITES.test(readFileSync(join(src, file), 'utf8')))
  assert.deepEqual(writers, ['audit/log.ts'])
})
