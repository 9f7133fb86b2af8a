import { type Field, integer, object, optional, reference, string } from '../../lib/schema.ts'
import type { VersionContract } from '../protocol-version.ts'
import { embed, errors } from './errors.ts'
import { CAPABILITIES_MEMBER, PROTOCOL_VERSION, SERVER_INFO, VERSION_MEMBER } from './protocol.ts'

const Id: Field = {
  type: ['string', 'integer'],
  description: 'Request identifier. A request without one is a notification.',
}

const anyMembers = { additionalProperties: true }

const McpRequest = object(
  {
    jsonrpc: string({ const: '2.0', description: 'Must be `2.0`.' }),
    id: optional(Id),
    method: string({ description: '`server/discover`, `tools/list` or `tools/call`. As in `Mcp-Method`.' }),
    params: optional(
      object(
        {
          name: optional(string({ description: 'On `tools/call`, the tool. As in `Mcp-Name`.' })),
          arguments: optional(object({}, { ...anyMembers, description: 'On `tools/call`, those of the tool.' })),
          _meta: object(
            {
              [VERSION_MEMBER]: string({ description: 'As in `MCP-Protocol-Version`.' }),
              [CAPABILITIES_MEMBER]: object({}, { ...anyMembers, description: 'May be empty; none is needed here.' }),
              traceparent: optional(string({ description: 'W3C trace context; goes into the request log.' })),
            },
            { ...anyMembers, description: 'The metadata that every request of this version carries.' },
          ),
        },
        anyMembers,
      ),
    ),
  },
  { additionalProperties: false, description: `One request or notification of MCP ${PROTOCOL_VERSION}.` },
)

const McpResult = object(
  {
    jsonrpc: string({ const: '2.0' }),
    id: { ...Id, description: 'Echo of the request id.' },
    result: object({ resultType: string({ const: 'complete' }), _meta: object({}, anyMembers) }, anyMembers),
  },
  { additionalProperties: false, description: `A result of MCP ${PROTOCOL_VERSION}.` },
)

const McpError = object(
  {
    jsonrpc: string({ const: '2.0' }),
    id: optional({ ...Id, description: 'Echo of the request id, unless the request could not be read.' }),
    error: object(
      {
        code: integer({ enum: [...new Set(Object.values(errors).map(({ rpcCode }) => rpcCode))] }),
        message: string(),
        data: reference('Problem'),
      },
      { additionalProperties: false },
    ),
  },
  {
    additionalProperties: false,
    description:
      `An error of MCP ${PROTOCOL_VERSION}; \`error.data\` has the members of the problem and, of ` +
      '`unsupported_protocol_version`, the versions `supported` and the one `requested`.',
  },
)

const requestExample = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'get_workspace', _meta: { [VERSION_MEMBER]: PROTOCOL_VERSION, [CAPABILITIES_MEMBER]: {} } },
}

const responseExample = {
  jsonrpc: '2.0',
  id: 1,
  result: {
    resultType: 'complete',
    supportedVersions: [PROTOCOL_VERSION, '2025-03-26'],
    capabilities: { tools: {} },
    ttlMs: 300_000,
    cacheScope: 'private',
    _meta: SERVER_INFO,
  },
}

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header' as const,
  required: false,
  description,
  schema: { type: 'string' },
  example,
})

export const contract: VersionContract = {
  description:
    `Speaks MCP ${PROTOCOL_VERSION}, stateless and read-only: \`server/discover\`, \`tools/list\` and \`tools/call\`, one ` +
    'request per HTTP request, without a handshake. What fails in the protocol is a JSON-RPC error whose `data` has the ' +
    'members of the problem; what fails below it is a problem. A request is answered by this version if `params._meta` ' +
    `names another version than an older one spoken here, or \`MCP-Protocol-Version\` is ${PROTOCOL_VERSION} or later ` +
    'and the method is not `initialize`.',
  parameters: [
    header(
      'MCP-Protocol-Version',
      `The version that \`params._meta\` names. Required with ${PROTOCOL_VERSION}; without it an older version applies.`,
      PROTOCOL_VERSION,
    ),
    header('Mcp-Method', `The \`method\` of the body. Required with ${PROTOCOL_VERSION}.`, 'tools/call'),
    header(
      'Mcp-Name',
      `The \`params.name\` of the body. Required on \`tools/call\` with ${PROTOCOL_VERSION}. A name that is not plain ASCII ` +
        'goes as `=?base64?…?=`.',
      'get_workspace',
    ),
  ],
  request: { schemas: ['McpRequest'], example: requestExample },
  response: { schemas: ['McpResult', 'McpError'], example: responseExample },
  problems: [],
  embeddedProblems: {
    statuses: Object.fromEntries(Object.entries(errors).map(([code, { status }]) => [code, status])),
    schema: reference('McpError'),
    embed: (problem) => ({ jsonrpc: '2.0', id: 1, error: embed(problem) }),
  },
  schemas: { McpRequest, McpResult, McpError },
}
