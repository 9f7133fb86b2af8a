import type { Admission } from '../../database/store.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import { redactTokens } from '../../lib/redact.ts'
import type { BodyPart, HttpResponse, PublicRequest } from '../../operation.ts'
import { ProblemError } from '../../problems/problem.ts'
import type { Resource } from '../../resources/define.ts'
import type { ResponseCache } from '../../resources/response-cache.ts'
import { envelopeStart, type Message, type RpcRequest, requestIn, resultTail } from '../json-rpc.ts'
import { isBelowProtocol, type ProtocolVersion, versionHeaders } from '../protocol-version.ts'
import { contract } from './contract.ts'
import { isModern } from './era.ts'
import { ProtocolError } from './errors.ts'
import { createMethods } from './methods.ts'
import { PROTOCOL_VERSION } from './protocol.ts'
import { checkHeaders } from './request-headers.ts'
import { idJsonOf } from './request-id.ts'
import { metadataIn, VERSION_MEMBER } from './request-metadata.ts'
import { Tools } from './tools.ts'

const ownHeaders = versionHeaders(PROTOCOL_VERSION)
const headers = ['Content-Type', 'application/json', ...ownHeaders]
const refusedHeaders = ['Content-Type', 'application/json', 'Cache-Control', 'no-store']
const ACCEPTED: HttpResponse = { status: 202, headers: ownHeaders, body: [] }

interface Options {
  publicUrl: string
  /** Older versions that the same URL speaks too. */
  olderVersions: readonly string[]
}

/** The protocol of 2026-07-28: no handshake, metadata in every request, and headers that repeat what the body says. */
export function createVersion20260728(
  resources: readonly Resource[],
  cache: ResponseCache,
  { publicUrl, olderVersions }: Options,
): ProtocolVersion {
  const supported = [PROTOCOL_VERSION, ...olderVersions]
  const methods = createMethods(new Tools(resources, cache), supported)
  const claims = (message: Message, request: PublicRequest) => isModern(message, request, olderVersions)

  function respond(message: Message, request: PublicRequest, admission: Admission): MaybePromise<HttpResponse> {
    let idJson: string | undefined
    try {
      const rpc = validRequest(message)
      noteTraceparent(rpc, request)
      idJson = idJsonOf(rpc.id, message.text)
      return idJson === undefined ? ACCEPTED : call(rpc, idJson, request, admission)
    } catch (error) {
      return fail(idJson, request, error)
    }
  }

  function call(
    rpc: RpcRequest,
    idJson: string,
    request: PublicRequest,
    admission: Admission,
  ): MaybePromise<HttpResponse> {
    const version = metadataIn(rpc.params)[VERSION_MEMBER]
    checkHeaders(request, rpc, version)
    if (version !== PROTOCOL_VERSION) throw unsupported(version)
    const method = methods.get(rpc.method)
    if (method === undefined) throw new ProtocolError('method_not_found', 'There is no such method here.')
    const result = method(rpc.params as Record<string, unknown>, admission)
    if (!(result instanceof Promise)) return inEnvelope(idJson, result)
    return result.then(
      (ready) => inEnvelope(idJson, ready),
      (error) => fail(idJson, request, error),
    )
  }

  const unsupported = (requested: string) =>
    new ProtocolError('unsupported_protocol_version', `The versions spoken here are ${supported.join(' and ')}.`, {
      hint: `Send a version of data.supported, in MCP-Protocol-Version and in params._meta alike.`,
      data: { supported, requested: redactTokens(requested) },
    })

  function fail(idJson: string | undefined, request: PublicRequest, error: unknown): HttpResponse {
    if (isBelowProtocol(error)) throw error
    const refusal = error instanceof ProtocolError ? error : internalError(error, request)
    if (refusal.isForbidden) request.noteForbidden()
    const { status } = refusal
    const id = idJson === undefined ? '' : `"id":${idJson},`
    return {
      status,
      headers: status === 200 ? headers : refusedHeaders,
      body: [Buffer.from(`{"jsonrpc":"2.0",${id}"error":`), resultTail(refusal.toJson(publicUrl))],
    }
  }

  return { version: PROTOCOL_VERSION, claims, respond, contract }
}

/** The same checks as of other versions, answered as this one does. */
function validRequest(message: Message): RpcRequest {
  try {
    return requestIn(message)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    throw new ProtocolError(error.code === 'invalid_json' ? error.code : 'invalid_jsonrpc_request', error.message)
  }
}

/** Of any request, also of one that is refused: whoever looks for it in the log wants to know. */
function noteTraceparent({ params }: RpcRequest, request: PublicRequest): void {
  const traceparent = (params?._meta as { traceparent?: unknown } | null | undefined)?.traceparent
  if (typeof traceparent === 'string') request.noteTraceparent(traceparent)
}

const inEnvelope = (idJson: string, parts: readonly BodyPart[]): HttpResponse => ({
  status: 200,
  headers,
  body: [envelopeStart(idJson, 'result'), ...parts],
})

function internalError(error: unknown, request: PublicRequest): ProtocolError {
  request.report(error)
  return new ProtocolError('internal_error', `The server failed; the request id is ${request.requestId}.`)
}
