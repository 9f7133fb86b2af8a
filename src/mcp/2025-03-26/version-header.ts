import { ProblemError } from '../../problems/problem.ts'
import { isSameOrLater } from '../protocol-version.ts'

export const PROTOCOL_VERSION = '2025-03-26'

/**
 * Refuses any other version, with one exception: on `initialize` a newer one is negotiated down, because widely used
 * clients send their newest there. Clients that probe with another method rely on the refusal to fall back.
 */
export function checkProtocolVersion(version: string | undefined, method: string): void {
  if (version === undefined || version === PROTOCOL_VERSION) return
  if (method === 'initialize' && isSameOrLater(version, PROTOCOL_VERSION)) return
  throw new ProblemError(
    'unsupported_protocol_version',
    `The only MCP protocol version spoken here is ${PROTOCOL_VERSION}; the request asks for another.`,
    `Send MCP-Protocol-Version: ${PROTOCOL_VERSION}, or leave the header out.`,
  )
}
