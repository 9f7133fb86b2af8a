import assert from 'node:assert/strict'
import test from 'node:test'
import { startContractService } from '../support/contract-service.ts'
import { redoclyFaults } from './linters.ts'
import { skipWithoutPrograms } from './programs.ts'

const options = skipWithoutPrograms()

/** Spectral, which takes three times as long, is in test/long. */
test("the document passes Redocly's strict rules", options, async (t) => {
  const { send } = await startContractService(t)
  assert.deepEqual(await redoclyFaults(t, (await send('/openapi.json')).text), [])
})
