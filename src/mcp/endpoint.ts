import { DatabaseLost, StoreBusyError } from '../database/errors.ts'
import type { Admission } from '../database/store.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Answer, Operation, PublicRequest } from '../operation.ts'
import { ProblemError } from '../problems/problem.ts'
import { mcpContract } from './contract.ts'
import { parseRequest, RpcError, type RpcRequest, resultTail } from './json-rpc.ts'
import type { Method } from './methods.ts'
import { type CheckOrigin, checkMediaType, checkProtocolVersion, versionHeaders } from './request-headers.ts'

const MAX_BODY_BYTES = 1024 * 1024
const headers = ['Content-Type', 'application/json', ...versionHeaders]
const ACCEPTED: Answer = { status: 202, headers: versionHeaders, body: [] }

/** The MCP endpoint under each of its paths; all behave alike. */
export function mcpOperations(
  paths: readonly string[],
  methods: ReadonlyMap<string, Method>,
  checkOrigin: CheckOrigin,
): Operation[] {
  function answer(
    request: PublicRequest,
    admission: Admission,
    readmit: () => Promise<Admission>,
  ): MaybePromise<Answer> {
    checkOrigin(request.header('origin'))
    checkMediaType(request.header('content-type'), request.header('content-encoding'))
    const { arrivedComplete } = request
    const body = request.body(MAX_BODY_BYTES, tooLarge)
    if (arrivedComplete && !(body instanceof Promise)) return handle(body, request, admission)
    return (async () => {
      const late = await body
      return handle(late, request, arrivedComplete ? admission : await readmit())
    })()
  }

  function handle(body: Buffer, request: PublicRequest, admission: Admission): MaybePromise<Answer> {
    const rpc = parseRequest(body)
    checkProtocolVersion(request.header('mcp-protocol-version'), rpc.method)
    return rpc.idJson === undefined ? ACCEPTED : respond(rpc, rpc.idJson, request, admission)
  }

  function respond(
    rpc: RpcRequest,
    idJson: string,
    request: PublicRequest,
    admission: Admission,
  ): MaybePromise<Answer> {
    let result: MaybePromise<Buffer>
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

  function fail(idJson: string, request: PublicRequest, error: unknown): Answer {
    // A problem, or a fault of the service rather than of the call: answered as on REST.
    if (error instanceof ProblemError || error instanceof StoreBusyError || error instanceof DatabaseLost) throw error
    return inEnvelope(idJson, 'error', resultTail(toRpcError(error, request)))
  }

  function execute({ method: name, params }: RpcRequest, admission: Admission): MaybePromise<Buffer> {
    const method = methods.get(name)
    if (method === undefined) throw new RpcError('methodNotFound', 'There is no such method here.')
    return method(params, admission)
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

const inEnvelope = (idJson: string, member: 'result' | 'error', tail: Buffer): Answer => ({
  status: 200,
  headers,
  body: [Buffer.from(`{"jsonrpc":"2.0","id":${idJson},"${member}":`), tail],
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
