import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { redoclyFaults, spectralFaults } from '../openapi/linters.ts'
import { skipWithoutPrograms } from '../openapi/programs.ts'
import { startContractService } from '../support/contract-service.ts'

const options = skipWithoutPrograms()
const faults = async (t: TestContext, document: string) => [
  ...(await redoclyFaults(t, document)),
  ...(await spectralFaults(t, document)),
]

test('the document passes all Spectral rules', options, async (t) => {
  const { send } = await startContractService(t)
  assert.deepEqual(await spectralFaults(t, (await send('/openapi.json')).text), [])
})

test('it also passes with a public URL and a deprecated path', options, async (t) => {
  const LIFECYCLE = JSON.stringify({
    '/v1/mcp': { deprecation: '2026-11-01T00:00:00Z', sunset: '2097-11-01T00:00:00Z', link: 'https://v.example/' },
  })
  const { send } = await startContractService(t, { env: { PUBLIC_URL: 'https://vitrine.example', LIFECYCLE } })
  assert.deepEqual(await faults(t, (await send('/openapi.json')).text), [])
})

test('both find an example that does not match its schema', options, async (t) => {
  const { send } = await startContractService(t)
  const broken = (await send('/openapi.json')).text.replace('"slug":"northwind"', '"slug":7')
  const found = await faults(t, broken)
  assert.ok(found.some((fault) => fault.startsWith('no-invalid-media-type-examples')))
  assert.ok(found.some((fault) => fault.startsWith('oas3-valid-media-example')))
})
