import type { Admission } from '../../database/store.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { BodyPart, HttpResponse, PublicRequest } from '../../operation.ts'
import type { Resource } from '../../resources/define.ts'
import type { ResponseCache } from '../../resources/response-cache.ts'
import {
  envelopeStart,
  idAsWritten,
  invalidRequest,
  type Message,
  type RpcRequest,
  requestIn,
  resultTail,
} from '../json-rpc.ts'
import { isBelowProtocol, type ProtocolVersion, versionHeaders } from '../protocol-version.ts'
import { contract } from './contract.ts'
import { RpcError } from './errors.ts'
import { createMethods } from './methods.ts'
import { Tools } from './tools.ts'
import { checkProtocolVersion, PROTOCOL_VERSION } from './version-header.ts'

const ownHeaders = versionHeaders(PROTOCOL_VERSION)
const headers = ['Content-Type', 'application/json', ...ownHeaders]
const ACCEPTED: HttpResponse = { status: 202, headers: ownHeaders, body: [] }
const NO_PARAMS = {}

/** The protocol of 2025-03-26: a handshake, and JSON-RPC errors inside a 200. It takes every request that comes to it. */
export function createVersion20250326(resources: readonly Resource[], cache: ResponseCache): ProtocolVersion {
  const methods = createMethods(new Tools(resources, cache))

  function respond(message: Message, request: PublicRequest, admission: Admission): MaybePromise<HttpResponse> {
    const rpc = requestIn(message)
    const idJson = idJsonOf(rpc.id, message.text)
    checkProtocolVersion(request.header('mcp-protocol-version'), rpc.method)
    return idJson === undefined ? ACCEPTED : call(rpc, idJson, request, admission)
  }

  function call(
    rpc: RpcRequest,
    idJson: string,
    request: PublicRequest,
    admission: Admission,
  ): MaybePromise<HttpResponse> {
    let result: MaybePromise<BodyPart>
    try {
      result = execute(rpc, admission)
    } catch (error) {
      return fail(idJson, request, error)
    }
    if (!(result instanceof Promise)) return inEnvelope(idJson, 'result', result)
    return result.then(
      (ready) => inEnvelope(idJson, 'result', ready),
      (error) => fail(idJson, request, error),
    )
  }

  function execute({ method: name, params = NO_PARAMS }: RpcRequest, admission: Admission): MaybePromise<BodyPart> {
    const method = methods.get(name)
    if (method === undefined) throw new RpcError('methodNotFound', 'There is no such method here.')
    return method(params, admission)
  }

  return { version: PROTOCOL_VERSION, claims: () => true, respond, contract }
}

function idJsonOf(id: unknown, text: string): string | undefined {
  if (id === undefined) return undefined
  if (id !== null && typeof id !== 'string' && typeof id !== 'number')
    throw invalidRequest('"id" must be a string, a number or null.')
  return idAsWritten(id, text)
}

function fail(idJson: string, request: PublicRequest, error: unknown): HttpResponse {
  if (isBelowProtocol(error)) throw error
  return inEnvelope(idJson, 'error', resultTail(toRpcError(error, request)))
}

const inEnvelope = (idJson: string, member: 'result' | 'error', tail: BodyPart): HttpResponse => ({
  status: 200,
  headers,
  body: [envelopeStart(idJson, member), tail],
})

function toRpcError(error: unknown, request: PublicRequest): { code: number; message: string; data?: unknown } {
  if (!(error instanceof RpcError)) return toRpcError(internalError(error, request), request)
  if (error.isForbidden) request.noteForbidden()
  const { code, message, data } = error
  return { code, message, data }
}

function internalError(error: unknown, request: PublicRequest): RpcError {
  request.report(error)
  return new RpcError('internalError', `The server failed. Try again later; the request id is ${request.requestId}.`)
}
