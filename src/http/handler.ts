/**
 * src/http turns bytes on a socket into requests, passes each request through one list of checks, and sends the response.
 *
 * A request passes through these files in order:
 *   server.ts        Node's HTTP server with our limits; one request's failure never affects another
 *   connections.ts   bounds on connections, and on the requests that one of them pipelines
 *   request.ts       a request as the rest of the service sees it; its body is in body.ts
 *   handler.ts       this file: the checks in their published order, then the operation
 *   rest.ts          a resource's operation; the MCP operations are in src/mcp
 *   responses.ts     errors, quota headers, and how a response is sent
 *   request-record.ts   what the log, the metrics and the use records show of a request
 * Also: routing.ts (what a path is for), request-target.ts (paths, queries and hosts), pages.ts (health, OpenAPI and problems as
 * JSON), parser-errors.ts (input that is not valid HTTP).
 *
 * Invariants:
 * - The body is not read before the key is admitted, and if it arrives after the head, the key is checked again.
 * - Every 4xx and 5xx is a problem, or an OAuth error. An unexpected failure reveals only the request id.
 * - Only Node's documented API is used, and one public property besides it (server.ts).
 * - Nothing waits between reading a request and admitting it, because requests that are read in one tick of the event loop share a
 *   check for changes (event-loop-ticks.ts).
 *
 * Limits, and what happens beyond them (docs/reliability.md lists them all):
 * - connections.ts      connections in total and per network, and requests per connection: closed
 * - server.ts           clients that stop reading: closed
 * - handler.ts          requests in progress, in total and per caller: 503
 * - handler.ts          bytes that clients have not read, in total and per workspace: 503, except for small responses
 */

import type { HttpResponse } from '../api/http-message.ts'
import type { ObserveRequest } from '../api/operation.ts'
import type { Admission } from '../database/admission.ts'
import { StoreBusyError } from '../database/errors.ts'
import type { PublicStore } from '../database/store.ts'
import { carriesToken, type KeyGate, KeyRefusedError, type SentKey } from '../keys/admission.ts'
import { isOver, secondsToReset } from '../keys/quota.ts'
import type { RecordRequest } from '../keys/record-requests.ts'
import type { FairShare } from '../lib/fair-share.ts'
import type { Logger } from '../lib/logger.ts'
import { networkOf } from '../lib/network.ts'
import type { Quota } from '../lib/rate-windows.ts'
import { SourceUnavailable } from '../lists/in-place/unavailable.ts'
import { logLine } from '../log-lines.ts'
import type { ProblemCode } from '../problems/catalogue.ts'
import { ProblemError } from '../problems/problem.ts'
import { ClientGone, hasBody } from './body.ts'
import type { EventLoopTicks } from './event-loop-ticks.ts'
import { logRequest } from './logging.ts'
import type { HttpRequest } from './request.ts'
import { type Completion, recordOf } from './request-record.ts'
import {
  type ErrorOptions,
  errorResponse,
  isCopied,
  lengthOf,
  pushQuotaWindow,
  quotaPolicyHeaders,
  send,
  sendLast,
  sendStream,
  sentBody,
} from './responses.ts'
import {
  checkHostHeader,
  checkPath,
  isRead,
  type NonApiRoute,
  type OperationRoute,
  READ_METHODS,
  type Route,
  type Router,
} from './routing.ts'

interface HandlerOptions extends ErrorOptions {
  router: Router
  /** Undefined for the usual hint. */
  notFoundHint: (path: string) => string | undefined
  store: Pick<PublicStore, 'admit'>
  gate: KeyGate
  recordRequest: RecordRequest
  quota: Quota
  log: Logger
  stopping: AbortSignal
  ticks: EventLoopTicks
  /** The requests in progress, held by the key last admitted on the connection, or else by network. */
  inProgress: FairShare
  /** Response bytes that clients have not read, held by workspace, or by network for requests without a key. */
  unread: FairShare
  observe?: ObserveRequest | undefined
  /** A client that reads nothing for this long is disconnected. */
  stallTimeoutMs: number
}

/** Never rejects. */
export type Handler = (request: HttpRequest) => Promise<void>

export function createHandler(options: HandlerOptions): Handler {
  const { router, gate, store, ticks, inProgress, unread, log } = options

  return async (request) => {
    const lastKey = gate.lastKey(request)
    const caller = lastKey?.keyId ?? networkOf(request.caller.address ?? '')
    const isOverloaded = inProgress.isRefused(caller)
    inProgress.take(caller, 1)
    try {
      const completion = await respond(request, router.findRoute(request), lastKey, isOverloaded)
      finish(request, limitUnread(request, completion))
    } catch (failure) {
      // One request's failure must not affect others.
      logLine(log, 'responseFailed', { failure })
      request.res.destroy()
    } finally {
      inProgress.release(caller, 1)
    }
  }

  /** The checks in their published order. */
  async function respond(
    request: HttpRequest,
    route: Route,
    lastKey: SentKey | undefined,
    isOverloaded: boolean,
  ): Promise<Completion> {
    let admission: Admission | undefined
    try {
      const hasArrived = !hasBody(request.req) || (await request.hasArrived())
      checkPath(request)
      checkHostHeader(request)
      if (route.operation === undefined) return { route, response: await respondWithPage(request, route, isOverloaded) }
      if (isOptions(request, route)) return { route, response: allowedMethods(route) }
      checkMethod(request, route)
      checkLoad(isOverloaded)
      const key = lastKey ?? gate.readKey(request)
      admission = gate.admit(key, await store.admit(key.hash, request.caller.address, ticks.current()))
      checkQuota(request, route, admission)
      checkUnread(admission)
      const readmit = hasArrived ? undefined : gate.readmission(request, key, admission)
      return { route, admission, response: await route.operation.respond(request, admission, readmit) }
    } catch (error) {
      return failure(request, route, admission, error)
    }
  }

  async function respondWithPage(
    request: HttpRequest,
    { page }: NonApiRoute,
    isOverloaded: boolean,
  ): Promise<HttpResponse> {
    if (page === undefined)
      throw new ProblemError('not_found', 'This service has no such path.', options.notFoundHint(request.path))
    if (!isRead(request.method) && page.kind !== 'settings') {
      const detail = 'Only GET and HEAD are allowed here.'
      throw new ProblemError('method_not_allowed', detail, undefined, ['Allow', READ_METHODS])
    }
    if (page.isSheddable) checkLoad(isOverloaded)
    return page.respond(request)
  }

  function checkUnread({ workspaceId }: Admission): void {
    if (unread.hasFullShare(workspaceId)) throw overloaded(UNREAD)
  }

  function failure(request: HttpRequest, route: Route, admission: Admission | undefined, error: unknown): Completion {
    if (error instanceof ClientGone) return { route, admission, response: undefined }
    const problem = toProblemError(request, admission, error)
    // The faults of a body are those of the HTTP parser, whose problems are the same at every path.
    const hasInstance = route.operation?.problemsHaveInstance && error !== request.bodyFailure
    const requestId = hasInstance ? request.requestId : undefined
    const response = errorResponse(problem, options, request.path, requestId)
    const problemCode = problem.code
    if (!(error instanceof KeyRefusedError))
      return { route, admission, problemCode, response: withHeaders(response, problem.headers) }
    // Refused after its body arrived, the key has no quota headers any more, but the request was counted.
    const { refusal } = error
    return {
      route,
      counted: admission,
      refusal,
      problemCode,
      response: withHeaders(response, challenge(request, route)),
    }
  }

  /** Other responses may have filled the memory while this one was being prepared. */
  function limitUnread(request: HttpRequest, completion: Completion): Completion {
    const { route, admission, response } = completion
    if (response === undefined) return completion
    const isSmall = sentBody(request, response).every(isCopied)
    if (isSmall || unread.total === 0 || !unread.isRefused(holderOf(request, admission))) return completion
    return failure(request, route, admission, overloaded(UNREAD))
  }

  function finish(request: HttpRequest, completion: Completion): void {
    const { response, admission } = completion
    if (response === undefined) request.res.destroy()
    else if (!request.res.destroyed) {
      const headers = headersOf(request, completion, response)
      if (request.bodyFailure !== undefined) sendLast(request.res, response, headers)
      else if (response.stream !== undefined && request.method !== 'HEAD')
        sendStream(request.res, response, response.stream, headers).catch((error) => request.logFailure(error))
      else send(request.res, response, headers)
      if (request.res.writableLength > 0) {
        countUnread(request, holderOf(request, admission), lengthOf(sentBody(request, response)))
        request.req.socket.setTimeout(options.stallTimeoutMs)
      }
    }
    const record = recordOf(request, completion)
    if (record.target !== 'health') logRequest(log, record)
    options.observe?.(record)
    options.recordRequest(record)
  }

  function countUnread(request: HttpRequest, holder: string, bodyBytes: number): void {
    const bytes = OVERHEAD_BYTES + bodyBytes
    unread.take(holder, bytes)
    request.onResponseSent(() => unread.release(holder, bytes))
  }

  /** Node adds only Date, Connection and Keep-Alive. */
  function headersOf(request: HttpRequest, { route, admission }: Completion, response: HttpResponse): string[] {
    const headers = ['X-Request-Id', request.requestId]
    if (admission !== undefined) pushQuotaWindow(headers, admission)
    else if (route.isForApi) headers.push(...quotaPolicyHeaders(options.quota))
    headers.push(...route.headers, ...response.headers)
    if (hasLength(response)) headers.push('Content-Length', String(lengthOf(response.body)))
    if (request.mustClose || options.stopping.aborted) headers.push('Connection', 'close')
    return headers
  }
}

/** The request, the response object and its head. */
const OVERHEAD_BYTES = 4096

const hasLength = ({ status, stream }: HttpResponse): boolean =>
  status !== 204 && status !== 304 && stream === undefined

const isOptions = ({ method }: HttpRequest, { operation }: OperationRoute): boolean =>
  method === 'OPTIONS' && operation.contract.method === 'get'

const allowedMethods = ({ allow }: OperationRoute): HttpResponse => ({
  status: 204,
  headers: ['Allow', allow],
  body: [],
})

function checkMethod({ method }: HttpRequest, { methods, allow }: OperationRoute): void {
  if (methods.includes(method)) return
  const detail = `Only ${allow} can be used here; this service is read-only.`
  throw new ProblemError('method_not_allowed', detail, undefined, ['Allow', allow])
}

function checkLoad(isOverloaded: boolean): void {
  if (isOverloaded) throw overloaded('The server is receiving more requests than it can handle.')
}

function checkQuota(request: HttpRequest, { operation }: OperationRoute, { quota, window, now }: Admission): void {
  if (!isOver(quota, window)) return
  const seconds = secondsToReset(quota, window, now)
  const headers = ['Retry-After', String(seconds), ...(operation.rateLimitedHeaders?.(request) ?? [])]
  throw new ProblemError('rate_limited', `This key's quota is used up; it resets in ${seconds} s.`, undefined, headers)
}

function toProblemError(request: HttpRequest, admission: Admission | undefined, error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  if (error instanceof SourceUnavailable) {
    request.logFailure(error, admission?.keyId)
    return retryLater('source_unavailable', `The rows of ${error.list} cannot be read at the moment.`)
  }
  if (error instanceof StoreBusyError) return overloaded('Too many requests are already waiting for the database.')
  request.logFailure(error, admission?.keyId)
  return new ProblemError('internal_error', `The server failed; the request id is ${request.requestId}.`)
}

/** Jittered, so that clients do not all retry at once. */
const retryAfterSeconds = (): number => 1 + Math.floor(Math.random() * 3)

const retryLater = (code: ProblemCode, detail: string) =>
  new ProblemError(code, detail, undefined, ['Retry-After', String(retryAfterSeconds())])

const overloaded = (detail: string) => retryLater('overloaded', detail)

const UNREAD = 'Too many earlier responses have not been read yet.'

/** Counts by workspace, because a workspace can have any number of keys. */
const holderOf = ({ caller }: HttpRequest, admission: Admission | undefined) =>
  admission?.workspaceId ?? networkOf(caller.address ?? '')

const withHeaders = (response: HttpResponse, headers: readonly string[]): HttpResponse => ({
  ...response,
  headers: [...headers, ...response.headers],
})

const challenge = ({ authorization }: HttpRequest, { operation }: Route) => [
  'WWW-Authenticate',
  `Bearer realm="vitrine"${operation?.challenge ?? ''}` +
    (carriesToken(authorization) ? ', error="invalid_token"' : ''),
]
