import type { ApiRequest } from '../../operation.ts'
import { PROTOCOL_VERSION } from './protocol.ts'
import { CAPABILITIES_MEMBER, VERSION_MEMBER } from './request-metadata.ts'

/** A request as a client of this version sends it. */
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
