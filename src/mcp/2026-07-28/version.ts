import type { Admission } from '../../database/store.ts'
import { prepared } from '../../lib/header-lines.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import { redactTokens } from '../../lib/redact.ts'
import type { HttpResponse, PublicRequest } from '../../operation.ts'
import { ProblemError } from '../../problems/problem.ts'
import type { Resource } from '../../resources/define.ts'
import type { ResponseCache } from '../../resources/response-cache.ts'
import { envelopeStart, type Message, type RpcRequest, requestIn, resultTail, tailText } from '../json-rpc.ts'
import { isBelowProtocol, type ProtocolVersion, versionHeaders } from '../protocol-version.ts'
import { createTools, type Method, type Parts, type Tools, toolMethods, UNKNOWN } from '../tools.ts'
import { contract } from './contract.ts'
import { errors, ProtocolError } from './errors.ts'
import { CACHING, INSTRUCTIONS, PROTOCOL_VERSION, SERVER_INFO } from './protocol.ts'
import { checkHeaders, idJsonOf, isModern, versionIn } from './request.ts'
import { form } from './tools.ts'

const ownHeaders = versionHeaders(PROTOCOL_VERSION)
const headers = prepared(['Content-Type', 'application/json', ...ownHeaders])
const refusedHeaders = ['Content-Type', 'application/json', 'Cache-Control', 'no-store']
const ACCEPTED: HttpResponse = { status: 202, headers: ownHeaders, body: [] }

interface Options {
  publicUrl: string
  /** Older versions that share the URL. */
  olderVersions: readonly string[]
}

/** No handshake, metadata in every request, and headers that repeat parts of the body. */
export function createVersion20260728(
  resources: readonly Resource[],
  cache: ResponseCache,
  { publicUrl, olderVersions }: Options,
): ProtocolVersion {
  const supported = [PROTOCOL_VERSION, ...olderVersions]
  const methods = createMethods(createTools(resources, cache, form), supported)
  const claims = (message: Message, request: PublicRequest) => isModern(message, request, olderVersions)

  function respond(message: Message, request: PublicRequest, admission: Admission): MaybePromise<HttpResponse> {
    let idJson: string | undefined
    try {
      const rpc = validRequest(message)
      noteTraceparent(rpc, request)
      idJson = idJsonOf(rpc.id, message.text)
      if (idJson !== undefined) return call(rpc, idJson, request, admission)
      request.noteMethod('notification')
      return ACCEPTED
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
    const method = methods.get(rpc.method)
    request.noteMethod(method === undefined ? UNKNOWN : rpc.method)
    const version = versionIn(rpc.params)
    checkHeaders(request, rpc, version)
    if (version !== PROTOCOL_VERSION) throw unsupported(version)
    if (method === undefined) throw new ProtocolError('method_not_found', 'There is no such method here.')
    const result = method(rpc.params as Record<string, unknown>, admission, request)
    if (!(result instanceof Promise)) return inEnvelope(idJson, result)
    return result.then(
      (ready) => inEnvelope(idJson, ready),
      (error) => fail(idJson, request, error),
    )
  }

  const unsupported = (requested: string) =>
    new ProtocolError('unsupported_protocol_version', `The versions spoken here are ${supported.join(' and ')}.`, {
      hint: `Send one of data.supported in both MCP-Protocol-Version and params._meta.`,
      data: { supported, requested: redactTokens(requested) },
    })

  function fail(idJson: string | undefined, request: PublicRequest, error: unknown): HttpResponse {
    if (isBelowProtocol(error)) throw error
    const refusal = error instanceof ProtocolError ? error : internalError(error, request)
    const { code, options } = refusal
    const { status, rpcCode } = errors[code]
    request.noteError({ code, rpcCode, isForbidden: options.isForbidden ?? false })
    const id = idJson === undefined ? '' : `"id":${idJson},`
    return {
      status,
      headers: status === 200 ? headers : refusedHeaders,
      body: [Buffer.from(`{"jsonrpc":"2.0",${id}"error":`), resultTail(refusal.toJson(publicUrl))],
    }
  }

  return { version: PROTOCOL_VERSION, claims, respond, contract }
}

function createMethods(tools: Tools, supportedVersions: readonly string[]): ReadonlyMap<string, Method> {
  const discovered = [
    tailText({
      resultType: 'complete',
      supportedVersions,
      capabilities: { tools: {} },
      instructions: INSTRUCTIONS,
      ...CACHING,
      _meta: SERVER_INFO,
    }),
  ]
  const invalid = (detail: string) => new ProtocolError('invalid_params', detail)
  return new Map<string, Method>([
    ['server/discover', () => discovered],
    ...toolMethods(tools, {
      cursor: () => invalid('There is only one page of tools; leave params.cursor out.'),
      name: () => invalid('params.name must be the name of a tool, as a string.'),
    }),
  ])
}

function validRequest(message: Message): RpcRequest {
  try {
    return requestIn(message)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    throw new ProtocolError(error.code === 'invalid_json' ? error.code : 'invalid_jsonrpc_request', error.message)
  }
}

/** Also runs for refused requests, because their log line has it. */
function noteTraceparent({ params }: RpcRequest, request: PublicRequest): void {
  const traceparent = (params?._meta as { traceparent?: unknown } | null | undefined)?.traceparent
  if (typeof traceparent === 'string') request.noteTraceparent(traceparent)
}

const inEnvelope = (idJson: string, parts: Parts): HttpResponse => ({
  status: 200,
  headers,
  body: [envelopeStart(idJson, 'result'), ...parts],
})

function internalError(error: unknown, request: PublicRequest): ProtocolError {
  request.report(error)
  return new ProtocolError('internal_error', `The server failed; the request id is ${request.requestId}.`)
}
