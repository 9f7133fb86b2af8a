// On both engines: writers of one chain wait for each other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acmeProgram } from '../support/program.ts'

test('concurrent processes write one chain, without a gap or a fork', async (t) => {
  const vitrine = await acmeProgram(t)
  const before = (await vitrine.jsonLines('audit', '--workspace', 'acme')).length
  const create = (label: string) => vitrine.runApart('key', 'create', '--workspace', 'acme', '--label', label)
  const outcomes = await Promise.all(Array.from({ length: 8 }, (_, i) => create(`key ${i}`)))
  for (const { code, stderr } of outcomes) assert.equal(code, 0, stderr)
  const numbers = (await vitrine.jsonLines('audit', '--workspace', 'acme')).map(({ number }) => number)
  assert.deepEqual(
    numbers.toReversed(),
    Array.from({ length: before + 8 }, (_, i) => i + 1),
  )
  const [{ ok }] = await vitrine.jsonLines('audit', 'verify')
  assert.equal(ok, true)
})
