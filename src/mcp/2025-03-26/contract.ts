import { type Field, integer, object, optional, string } from '../../lib/schema.ts'
import type { VersionContract } from '../protocol-version.ts'

export const PROTOCOL_VERSION = '2025-03-26'

const Id: Field = {
  type: ['string', 'number', 'null'],
  description: 'Request identifier. A request without one is a notification.',
}

const JsonRpcRequest = object(
  {
    jsonrpc: string({ const: '2.0', description: 'Must be `2.0`.' }),
    id: optional(Id),
    method: string({ description: 'JSON-RPC method name.' }),
    params: optional(object({}, { additionalProperties: true, description: 'Any members allowed.' })),
  },
  { additionalProperties: false, description: 'One JSON-RPC 2.0 request or notification.' },
)

const JsonRpcResponse = object(
  {
    jsonrpc: string({ const: '2.0' }),
    id: optional({ ...Id, description: 'Echo of the request id.' }),
    result: optional({ description: 'Present on success.' }),
    error: optional(
      object(
        {
          code: integer(),
          message: string(),
          data: optional({}),
        },
        { description: 'Present on JSON-RPC failure.' },
      ),
    ),
  },
  { description: 'A JSON-RPC 2.0 response.' },
)

const requestExample = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_workspace' } }
const responseExample = {
  jsonrpc: '2.0',
  id: 1,
  result: { content: [{ type: 'text', text: '{"workspace":{"id":"ws_4f9d2c81a0b3","name":"Northwind Buying"}}' }] },
}

export const contract: VersionContract = {
  description:
    'A stateless, read-only Model Context Protocol server: `initialize`, `ping`, `tools/list` and `tools/call`, one ' +
    'JSON-RPC 2.0 request per HTTP request. `/mcp` and `/v1/mcp` behave identically.',
  parameters: [
    {
      name: 'MCP-Protocol-Version',
      in: 'header',
      required: false,
      description: `The MCP protocol version the client supports. When omitted, ${PROTOCOL_VERSION} applies.`,
      schema: { type: 'string', default: PROTOCOL_VERSION },
      example: PROTOCOL_VERSION,
    },
  ],
  request: { schemas: ['JsonRpcRequest'], example: requestExample },
  response: { schemas: ['JsonRpcResponse'], example: responseExample },
  problems: ['invalid_json', 'invalid_jsonrpc_request', 'unsupported_protocol_version'],
  schemas: { JsonRpcRequest, JsonRpcResponse },
}
