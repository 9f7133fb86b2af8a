import { toBytes } from '../load/load.ts'

/** The id of every request. */
export const ID = 7

const ACCEPT = 'application/json, text/event-stream'

export interface McpRequest {
  path: '/mcp' | '/v2/mcp'
  method: string
  params?: object
}

export type ToBytes = (key: string, request: McpRequest, accept?: string) => Buffer

/** In the protocol of 2025-03-26, as widely used clients send it. */
export const toBytesOf2025: ToBytes = (key, { path, method, params }, accept = ACCEPT) =>
  toBytes({
    method: 'POST',
    path,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept,
      ...(method !== 'initialize' && { 'mcp-protocol-version': '2025-03-26' }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: ID, method, ...(params !== undefined && { params }) }),
  })

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** In that of 2026-07-28, with all that @modelcontextprotocol/client 2.x and the `fetch` of Node.js send, in their order. */
export const toBytesOf2026: ToBytes = (key, { path, method, params }, accept = ACCEPT) =>
  toBytes({
    method: 'POST',
    path,
    headers: {
      connection: 'keep-alive',
      authorization: `Bearer ${key}`,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(params !== undefined && 'name' in params && { 'mcp-name': String(params.name) }),
      'content-type': 'application/json',
      accept,
      'accept-language': '*',
      'sec-fetch-mode': 'cors',
      'user-agent': 'node',
      'accept-encoding': 'gzip, deflate',
    },
    body: JSON.stringify({ method, params: { ...params, _meta: META }, jsonrpc: '2.0', id: ID }),
  })
