import assert from 'node:assert/strict'
import test from 'node:test'
import { inWords } from '../histories/run.ts'
import { programUnderFaults, replicasUnderFaults } from '../histories/scenarios.ts'
import { skipWithoutPostgres } from '../support/database.ts'

/** A round of all faults takes some ten seconds. */
const ROUNDS = 20

test(`three replicas through ${ROUNDS} rounds of every fault`, skipWithoutPostgres(), async (t) => {
  const violations = await replicasUnderFaults(t, ROUNDS)
  assert.equal(violations.length, 0, inWords(violations))
})

test(`one program through ${ROUNDS} rounds of every fault`, async (t) => {
  const violations = await programUnderFaults(t, ROUNDS)
  assert.equal(violations.length, 0, inWords(violations))
})
