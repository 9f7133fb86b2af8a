import assert from 'node:assert/strict'
import test from 'node:test'
import { startContractService } from '../support/contract-service.ts'
import { faults } from './linters.ts'
import { skipWithoutPrograms } from './programs.ts'

const options = skipWithoutPrograms()

test('the document is clean under the strict rules of Redocly and all of Spectral', options, async (t) => {
  const { send } = await startContractService(t)
  assert.deepEqual(await faults(t, (await send('/openapi.json')).text), [])
})
