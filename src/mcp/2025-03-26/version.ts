import { ProblemError } from '../../problems/problem.ts'
import type { Resource } from '../../resources/define.ts'
import type { ResponseCache } from '../../resources/response-cache.ts'
import { version } from '../../version.ts'
import { instructionsFor } from '../instructions.ts'
import { idAsWritten, invalidRequest, requestIn } from '../json-rpc.ts'
import { createVersion, isSameOrLater, type ProtocolVersion } from '../protocol-version.ts'
import { toResultBytes } from '../result-bytes.ts'
import { byPermissions, toolMethods } from '../tools.ts'
import { contract, PROTOCOL_VERSION } from './contract.ts'
import { rpcError } from './errors.ts'
import { toolFormat } from './tools.ts'

/** A handshake, and JSON-RPC errors inside a 200. It claims every request that reaches it. */
export function createVersion20250326(resources: readonly Resource[], cache: ResponseCache): ProtocolVersion {
  const initializedFor = byPermissions(resources, (allowed) => ({
    protocolVersion: PROTOCOL_VERSION,
    capabilities: { tools: {} },
    serverInfo: { name: 'vitrine', version },
    instructions: instructionsFor(allowed),
  }))
  return createVersion({
    version: PROTOCOL_VERSION,
    claims: () => true,
    contract,
    methods: {
      initialize: (_, { permissions }) => initializedFor(permissions),
      ping: () => EMPTY,
      ...toolMethods(resources, cache, toolFormat),
    },
    read: requestIn,
    idJsonOf,
    check: ({ method }, request) => checkProtocolVersion(request.header('mcp-protocol-version'), method),
    noMethod: () => rpcError('methodNotFound', 'This server has no such method.'),
    internalError: (requestId) =>
      rpcError('internalError', `The server failed. Try again later; the request id is ${requestId}.`),
  })
}

/** Negotiates newer versions down on `initialize` only. Clients that probe with other methods rely on the refusal. */
function checkProtocolVersion(version: string | undefined, method: string): void {
  if (version === undefined || version === PROTOCOL_VERSION) return
  if (method === 'initialize' && isSameOrLater(version, PROTOCOL_VERSION)) return
  throw new ProblemError(
    'unsupported_protocol_version',
    `The only supported MCP protocol version is ${PROTOCOL_VERSION}; the request asks for another.`,
    `Send MCP-Protocol-Version: ${PROTOCOL_VERSION}, or leave the header out.`,
  )
}

const EMPTY = toResultBytes({})

function idJsonOf(id: unknown, text: string): string {
  if (id !== null && typeof id !== 'string' && typeof id !== 'number')
    throw invalidRequest('"id" must be a string, a number or null.')
  return idAsWritten(id, text)
}
