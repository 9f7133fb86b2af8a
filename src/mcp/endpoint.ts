import type { AdmittedRequest, Answer, Operation } from '../operation.ts'
import { ProblemError } from '../problems/problem.ts'
import { mcpContract } from './contract.ts'
import { parseEnvelope, type RpcRequest } from './envelope.ts'
import { checkMediaType } from './media-type.ts'
import type { Method } from './methods.ts'
import type { CheckOrigin } from './origin.ts'
import { checkProtocolVersion, versionHeaders } from './protocol.ts'
import { RpcError } from './rpc-error.ts'

const MAX_BODY_BYTES = 1024 * 1024
const headers = ['Content-Type', 'application/json', ...versionHeaders]
const ACCEPTED: Answer = { status: 202, headers: versionHeaders, body: [] }

/** The MCP endpoint under each of its paths: all behave the same. */
export function mcpOperations(
  paths: readonly string[],
  methods: ReadonlyMap<string, Method>,
  checkOrigin: CheckOrigin,
): Operation[] {
  async function answer(request: AdmittedRequest): Promise<Answer> {
    checkOrigin(request.header('origin'))
    checkMediaType(request.header('content-type'), request.header('content-encoding'))
    const rpc = parseEnvelope(await request.body(MAX_BODY_BYTES, tooLarge))
    checkProtocolVersion(request.header('mcp-protocol-version'), rpc.method)
    if (rpc.idJson === undefined) return ACCEPTED
    return { status: 200, headers, body: await respond(rpc, rpc.idJson, request) }
  }

  async function respond(rpc: RpcRequest, idJson: string, request: AdmittedRequest): Promise<Buffer[]> {
    try {
      const method = methods.get(rpc.method)
      if (method === undefined) throw new RpcError('methodNotFound', 'There is no such method here.')
      const result = await method(rpc.params, request.admission)
      return [Buffer.from(`{"jsonrpc":"2.0","id":${idJson},"result":`), result]
    } catch (error) {
      if (error instanceof RpcError && error.isForbidden) request.noteForbidden()
      const { code, message, data } = error instanceof RpcError ? error : internalError(error, request)
      return [Buffer.from(`{"jsonrpc":"2.0","id":${idJson},"error":${JSON.stringify({ code, message, data })}}`)]
    }
  }

  return paths.map((path) => ({
    path,
    methods: ['POST'],
    answersOptions: false,
    problemsNameInstance: true,
    rateLimitedHeaders: versionHeaders,
    answer,
    contract: mcpContract(path),
  }))
}

const tooLarge = () => new ProblemError('payload_too_large', 'The body is over 1 MiB.')

function internalError(error: unknown, request: AdmittedRequest): RpcError {
  request.report(error)
  return new RpcError('internalError', `The server failed. Try again later; the request id is ${request.requestId}.`)
}
