import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseCores } from '../../../bench/harness/machine.ts'
import { replaceResults } from '../../../bench/report/publish.ts'

const read = (page: string) => readFileSync(join(import.meta.dirname, '../../../docs', page), 'utf8')
const page = read('decisions/0063-lab-book-of-the-bench.md')

test('every figure on the page of results is in the last run', () => {
  const [, results = ''] = /^## Results\n([\s\S]*?)^REST, MCP/m.exec(read('performance.md')) ?? []
  const ratios = results.match(/\*\*[\d.]+\*\* \([\d.]+–[\d.]+\)/g) ?? []
  const times = [...results.matchAll(/(?<= )\d+(?:\.\d+)?(?= (?:ms|s|MiB)\b)/g)].map(([figure]) => figure)
  assert.ok(ratios.length > 10 && times.length > 5)
  for (const figure of [...ratios, ...times]) assert.ok(page.includes(figure), figure)
})

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
