import type { Contract } from '../contract.ts'
import type { Check } from '../define.ts'
import { documentChecks } from './document.ts'
import { headerChecks } from './headers.ts'
import { http2Check } from './http2.ts'
import { mcpChecks, mcpErrorChecks, originCheck } from './mcp.ts'
import { modernMcpChecks } from './mcp-2026.ts'
import { pathChecks } from './paths.ts'
import { reachChecks } from './reach.ts'
import { restChecks } from './rest.ts'
import { taskChecks } from './tasks.ts'
import { transportChecks } from './transport.ts'

/** Every check of a contract, in the order in which they are run. */
export function checksOf(contract: Contract): Check[] {
  const resources = contract.pathsWith('GET')
  const endpoints = contract.pathsWith('POST')
  const [endpoint = ''] = endpoints
  const [resource = ''] = resources
  const newest = endpoints.at(-1) ?? endpoint
  return [
    ...reachChecks(resources),
    ...documentChecks,
    ...resources.flatMap(restChecks),
    ...taskChecks,
    ...endpoints.flatMap(mcpChecks),
    ...mcpErrorChecks(endpoint),
    originCheck(endpoint),
    ...modernMcpChecks(newest),
    ...pathChecks(resources),
    ...transportChecks(resource, endpoint),
    http2Check(resource, newest),
    ...headerChecks,
  ]
}
