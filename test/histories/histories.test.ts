import assert from 'node:assert/strict'
import test from 'node:test'
import { skipWithoutPostgres } from '../support/database.ts'
import { inWords } from './run.ts'
import { faultyReplica, programUnderFaults, replicasUnderFaults } from './scenarios.ts'

test(
  'three replicas under faults: nothing stale, nothing after a revocation, no quota exceeded',
  skipWithoutPostgres(),
  async (t) => {
    const violations = await replicasUnderFaults(t, 1)
    assert.equal(violations.length, 0, inWords(violations))
  },
)

test('one program under faults: nothing stale, nothing after a revocation, no quota exceeded', async (t) => {
  const violations = await programUnderFaults(t, 1)
  assert.equal(violations.length, 0, inWords(violations))
})

const faults: [fault: string, rule: RegExp][] = [
  ['stale', /^a read older than/],
  ['revoked', /^a success after an acknowledged revocation|^a revoked key that gets/],
  ['quota', /^more successes than|^one place in a window/],
]
for (const [fault, rule] of faults)
  test(`a faulty replica is found: ${fault}`, skipWithoutPostgres(), async (t) => {
    const found = await faultyReplica(t, fault, rule)
    assert.ok(
      found.some((violation) => rule.test(violation.rule)),
      inWords(found),
    )
  })
