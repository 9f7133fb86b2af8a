import { ProblemError } from '../problems/problem.ts'

export const PROTOCOL_VERSION = '2025-03-26'

/** Sent with 200, 202 and 429, as header name and value in turn. */
export const versionHeaders = ['X-Service-Api-Version', PROTOCOL_VERSION]

/**
 * Refuses a version that is not ours, with one exception: on `initialize` a newer one is negotiated down, because
 * widely used clients send their newest there. Clients that probe with another method fall back on this very refusal.
 */
export function checkProtocolVersion(version: string | undefined, method: string): void {
  if (version === undefined || version === PROTOCOL_VERSION) return
  if (method === 'initialize' && isNewer(version)) return
  throw new ProblemError(
    'unsupported_protocol_version',
    `The only MCP protocol version spoken here is ${PROTOCOL_VERSION}; the request asks for another.`,
  )
}

const isNewer = (version: string) =>
  /^\d{4}-\d{2}-\d{2}$/.test(version) && !Number.isNaN(Date.parse(version)) && version > PROTOCOL_VERSION
