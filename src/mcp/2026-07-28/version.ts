import { redactTokens } from '../../lib/redact.ts'
import { ProblemError } from '../../problems/problem.ts'
import type { Resource } from '../../resources/define.ts'
import type { ResponseCache } from '../../resources/response-cache.ts'
import { type Message, type RpcRequest, requestIn } from '../json-rpc.ts'
import { createVersion, type ProtocolVersion } from '../protocol-version.ts'
import { byPermissions, toolMethods } from '../tools.ts'
import { contractOf } from './contract.ts'
import { protocolError } from './errors.ts'
import { CACHING, discoveryInstructions, PROTOCOL_VERSION, SERVER_INFO } from './protocol.ts'
import { checkHeaders, idJsonOf, isModern, versionIn } from './request.ts'
import { toolFormat } from './tools.ts'

/** No handshake, metadata in every request, and headers that repeat parts of the body. Older versions may share the URL. */
export function createVersion20260728(
  resources: readonly Resource[],
  cache: ResponseCache,
  publicUrl: string,
  olderVersions: readonly string[],
): ProtocolVersion {
  const supported = [PROTOCOL_VERSION, ...olderVersions]
  const discoveredFor = byPermissions(resources, (allowed) => ({
    resultType: 'complete',
    supportedVersions: supported,
    capabilities: { tools: {} },
    instructions: discoveryInstructions(allowed),
    ...CACHING,
    _meta: SERVER_INFO,
  }))
  const unsupported = (requested: string) =>
    protocolError('unsupported_protocol_version', `The supported versions are ${supported.join(' and ')}.`, {
      hint: `Send one of data.supported in both MCP-Protocol-Version and params._meta.`,
      data: { supported, requested: redactTokens(requested) },
    })
  return createVersion({
    version: PROTOCOL_VERSION,
    claims: (message, request) => isModern(message, request, olderVersions),
    contract: contractOf(resources),
    methods: {
      'server/discover': (_, { permissions }) => discoveredFor(permissions),
      ...toolMethods(resources, cache, toolFormat),
    },
    read: readRequest,
    idJsonOf,
    check(rpc, request) {
      const isNotification = rpc.id === undefined
      if (isNotification) return
      const version = versionIn(rpc.params)
      checkHeaders(request, rpc, version)
      if (version !== PROTOCOL_VERSION) throw unsupported(version)
    },
    noMethod: () => protocolError('method_not_found', 'This server has no such method.'),
    internalError: (requestId) => protocolError('internal_error', `The server failed; the request id is ${requestId}.`),
    publicUrl,
  })
}

function readRequest(message: Message): RpcRequest {
  try {
    return requestIn(message)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    throw protocolError(error.code === 'invalid_json' ? error.code : 'invalid_jsonrpc_request', error.message)
  }
}
