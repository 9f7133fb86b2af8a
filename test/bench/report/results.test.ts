import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseCores } from '../../../bench/harness/machine.ts'

const read = (file: string) => readFileSync(join(import.meta.dirname, '../../..', file), 'utf8')

test('every figure on the results page is in the tables of the last run, or in the lab book', () => {
  const [, results = ''] = /^## Results\n([\s\S]*?)^REST, MCP/m.exec(read('docs/performance.md')) ?? []
  const ratios = results.match(/\*\*[\d.]+\*\* \([\d.]+–[\d.]+\)/g) ?? []
  const times = [...results.matchAll(/(?<= )\d+(?:\.\d+)?(?= (?:ms|s|MiB)\b)/g)].map(([figure]) => figure)
  assert.ok(ratios.length > 10 && times.length > 5)
  const published = read('bench/results.md') + read('docs/decisions/0020-how-speed-is-measured.md')
  for (const figure of [...ratios, ...times]) assert.ok(published.includes(figure), figure)
})

test('a list of cores is parsed as taskset writes it', () => {
  assert.deepEqual(parseCores('0,1'), [0, 1])
  assert.deepEqual(parseCores('0,2-4,7'), [0, 2, 3, 4, 7])
})
