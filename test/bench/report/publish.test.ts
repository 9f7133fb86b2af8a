import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseCores } from '../../../bench/harness/machine.ts'
import { replaceResults } from '../../../bench/report/publish.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/performance.md'), 'utf8')

test('new results take the place of the last ones on the page, and nothing else changes', () => {
  const once = replaceResults(page, 'FIRST')
  const twice = replaceResults(once, 'SECOND')
  assert.ok(once.includes('FIRST') && !twice.includes('FIRST') && twice.includes('SECOND'))
  assert.equal(replaceResults(twice, 'FIRST'), once)
  assert.throws(() => replaceResults('a page without markers', 'x'), /markers/)
})

test('a list of cores is read as taskset writes it', () => {
  assert.deepEqual(parseCores('0,1'), [0, 1])
  assert.deepEqual(parseCores('0,2-4,7'), [0, 2, 3, 4, 7])
})
