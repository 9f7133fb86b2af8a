import type { Admission } from '../../database/store.ts'
import { prepared } from '../../lib/header-lines.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { HttpResponse, PublicRequest } from '../../operation.ts'
import { ProblemError } from '../../problems/problem.ts'
import type { Resource } from '../../resources/define.ts'
import type { ResponseCache } from '../../resources/response-cache.ts'
import { version } from '../../version.ts'
import {
  envelopeStart,
  idAsWritten,
  invalidRequest,
  type Message,
  type RpcRequest,
  requestIn,
  resultTail,
  tailText,
} from '../json-rpc.ts'
import {
  COMMON_INSTRUCTIONS,
  isBelowProtocol,
  isSameOrLater,
  type ProtocolVersion,
  versionHeaders,
} from '../protocol-version.ts'
import { createTools, type Method, type Parts, type Tools, toolMethods, UNKNOWN } from '../tools.ts'
import { contract, PROTOCOL_VERSION } from './contract.ts'
import { invalidParams, RpcError } from './errors.ts'
import { form } from './tools.ts'

const ownHeaders = versionHeaders(PROTOCOL_VERSION)
const headers = prepared(['Content-Type', 'application/json', ...ownHeaders])
const ACCEPTED: HttpResponse = { status: 202, headers: ownHeaders, body: [] }
const NO_PARAMS = {}

/** A handshake, and JSON-RPC errors inside a 200. It claims every request that reaches it. */
export function createVersion20250326(resources: readonly Resource[], cache: ResponseCache): ProtocolVersion {
  const methods = createMethods(createTools(resources, cache, form))

  function respond(message: Message, request: PublicRequest, admission: Admission): MaybePromise<HttpResponse> {
    const rpc = requestIn(message)
    const idJson = idJsonOf(rpc.id, message.text)
    checkProtocolVersion(request.header('mcp-protocol-version'), rpc.method)
    if (idJson !== undefined) return call(rpc, idJson, request, admission)
    request.noteMethod('notification')
    return ACCEPTED
  }

  function call(
    rpc: RpcRequest,
    idJson: string,
    request: PublicRequest,
    admission: Admission,
  ): MaybePromise<HttpResponse> {
    try {
      const method = methods.get(rpc.method)
      request.noteMethod(method === undefined ? UNKNOWN : rpc.method)
      if (method === undefined) throw new RpcError('methodNotFound', 'There is no such method here.')
      const result = method(rpc.params ?? NO_PARAMS, admission, request)
      if (!(result instanceof Promise)) return inEnvelope(idJson, 'result', result)
      return result.then(
        (ready) => inEnvelope(idJson, 'result', ready),
        (error) => fail(idJson, request, error),
      )
    } catch (error) {
      return fail(idJson, request, error)
    }
  }

  return { version: PROTOCOL_VERSION, claims: () => true, respond, contract }
}

/** Negotiates newer versions down on `initialize` only. Clients that probe with other methods rely on the refusal. */
function checkProtocolVersion(version: string | undefined, method: string): void {
  if (version === undefined || version === PROTOCOL_VERSION) return
  if (method === 'initialize' && isSameOrLater(version, PROTOCOL_VERSION)) return
  throw new ProblemError(
    'unsupported_protocol_version',
    `The only MCP protocol version spoken here is ${PROTOCOL_VERSION}; the request asks for another.`,
    `Send MCP-Protocol-Version: ${PROTOCOL_VERSION}, or leave the header out.`,
  )
}

const INITIALIZE = [
  tailText({
    protocolVersion: PROTOCOL_VERSION,
    capabilities: { tools: {} },
    serverInfo: { name: 'vitrine', version },
    instructions: COMMON_INSTRUCTIONS,
  }),
]

const EMPTY = [tailText({})]

const createMethods = (tools: Tools): ReadonlyMap<string, Method> =>
  new Map<string, Method>([
    ['initialize', () => INITIALIZE],
    ['ping', () => EMPTY],
    ...toolMethods(tools, {
      cursor: () =>
        invalidParams('There is only one page of tools; leave params.cursor out.', [
          { argument: 'params.cursor', problem: 'must be left out; there is only one page of tools' },
        ]),
      name: () =>
        invalidParams('params.name must be the name of a tool.', [
          { argument: 'params.name', problem: 'must be the name of a tool' },
        ]),
    }),
  ])

function idJsonOf(id: unknown, text: string): string | undefined {
  if (id === undefined) return undefined
  if (id !== null && typeof id !== 'string' && typeof id !== 'number')
    throw invalidRequest('"id" must be a string, a number or null.')
  return idAsWritten(id, text)
}

function fail(idJson: string, request: PublicRequest, error: unknown): HttpResponse {
  if (isBelowProtocol(error)) throw error
  const { code, message, data, isForbidden } = error instanceof RpcError ? error : internalError(error, request)
  request.noteError({ rpcCode: code, isForbidden })
  return inEnvelope(idJson, 'error', [resultTail({ code, message, data })])
}

const inEnvelope = (idJson: string, member: 'result' | 'error', parts: Parts): HttpResponse => ({
  status: 200,
  headers,
  body: [envelopeStart(idJson, member), ...parts],
})

function internalError(error: unknown, request: PublicRequest): RpcError {
  request.report(error)
  return new RpcError('internalError', `The server failed. Try again later; the request id is ${request.requestId}.`)
}
