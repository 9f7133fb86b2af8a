import { type Field, object, optional, string } from '../../lib/schema.ts'
import type { VersionContract } from '../protocol-version.ts'
import { PROTOCOL_VERSION } from './protocol.ts'

const Id: Field = { type: ['string', 'integer'], description: 'Without one it is a notification.' }

const McpRequest = object(
  {
    jsonrpc: string({ const: '2.0' }),
    id: optional(Id),
    method: string({ description: '`server/discover`, `tools/list` or `tools/call`.' }),
    params: optional(
      object(
        {
          _meta: object(
            {
              'io.modelcontextprotocol/protocolVersion': string({ description: 'As in MCP-Protocol-Version.' }),
              'io.modelcontextprotocol/clientCapabilities': object({}, { additionalProperties: true }),
            },
            { additionalProperties: true },
          ),
        },
        { additionalProperties: true },
      ),
    ),
  },
  { additionalProperties: false, description: `One request or notification of MCP ${PROTOCOL_VERSION}.` },
)

const McpResponse = object(
  {
    jsonrpc: string({ const: '2.0' }),
    id: Id,
    result: object({ resultType: string() }, { additionalProperties: true }),
  },
  { description: `A result of MCP ${PROTOCOL_VERSION}.` },
)

const requestExample = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'get_workspace',
    _meta: {
      'io.modelcontextprotocol/protocolVersion': PROTOCOL_VERSION,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
}
const responseExample = { jsonrpc: '2.0', id: 1, result: { resultType: 'complete' } }

export const contract: VersionContract = {
  description: `MCP ${PROTOCOL_VERSION}, stateless and read-only: \`server/discover\`, \`tools/list\` and \`tools/call\`.`,
  parameters: [],
  request: { schema: 'McpRequest', example: requestExample },
  response: { schema: 'McpResponse', example: responseExample },
  problems: [],
  schemas: { McpRequest, McpResponse },
}
