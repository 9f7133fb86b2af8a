import type { ApiRequest } from '../../api/public-api.ts'
import type { Resource } from '../../resources/define.ts'
import { version } from '../../version.ts'
import { instructionsFor } from '../instructions.ts'

export const PROTOCOL_VERSION = '2026-07-28'

/** Members of a request's `params._meta`. */
export const VERSION_MEMBER = 'io.modelcontextprotocol/protocolVersion'
export const CAPABILITIES_MEMBER = 'io.modelcontextprotocol/clientCapabilities'

/** In `_meta` of every result. */
export const SERVER_INFO = { 'io.modelcontextprotocol/serverInfo': { name: 'vitrine', version } }

/** Private, because the list of tools depends on the key. */
export const CACHING = { ttlMs: 300_000, cacheScope: 'private' }

/** Sent to a client's model once. */
export const discoveryInstructions = (resources: readonly Resource[]): string =>
  `${instructionsFor(resources)} _meta["vitrine/untrusted"] lists those members.`

export function clientRequest(
  path: string,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
): ApiRequest {
  const _meta = { [VERSION_MEMBER]: PROTOCOL_VERSION, [CAPABILITIES_MEMBER]: {} }
  return {
    method: 'POST',
    path,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': PROTOCOL_VERSION,
      'mcp-method': method,
      ...(method === 'tools/call' && { 'mcp-name': String(params.name) }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  }
}
