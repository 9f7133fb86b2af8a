import { type Check, checksOf } from '../check.ts'
import type { Contract } from '../contract.ts'
import { diagnoseStatus } from '../diagnosis.ts'
import { expect } from '../expect.ts'
import { documentChecks } from './document.ts'
import { headerChecks } from './headers.ts'
import { mcpChecks, mcpErrorChecks, modernMcpChecks } from './mcp.ts'
import { pathChecks } from './paths.ts'
import { restChecks, taskOrderCheck } from './rest.ts'
import { transportChecks } from './transport.ts'

export function allChecks(contract: Contract): Check[] {
  const resources = contract.pathsWith('GET')
  const endpoints = contract.pathsWith('POST')
  const [resource = '/'] = resources
  const [endpoint = '/'] = endpoints
  const newest = endpoints.at(-1) ?? '/'
  return [
    ...keyCheck(resource),
    ...documentChecks,
    ...[...resources, ...contract.declared].flatMap(restChecks),
    ...taskOrderCheck,
    ...endpoints.flatMap(mcpChecks),
    ...mcpErrorChecks(endpoint),
    ...modernMcpChecks(newest),
    ...pathChecks(resources.at(-1) ?? '/', newest),
    ...transportChecks(resource, endpoint, newest),
    ...headerChecks,
  ]
}

/** Runs first, because most checks need an accepted key. */
const keyCheck = (path: string): Check[] =>
  checksOf('reach', {
    key: async (client) => {
      const response = await client.read(path)
      if (response.status !== 401) return
      client.state.keyError = 'the key was not accepted: see reach.key'
      expect(false, response, 'any response but 401', diagnoseStatus(response))
    },
  })
