/**
 * src/http turns bytes on a socket into requests, passes each request through one function, and sends the response.
 *
 * A request passes through these files in order:
 *   server.ts        Node's HTTP server with our limits; one request's failure never affects another
 *   pipelining.ts    if earlier responses are still to be sent: at most 16 requests per connection are in progress; the rest wait,
 *                    one per tick of the event loop
 *   exchange.ts      one request and its response, which it writes in as few writes as possible; request-record.ts is what the log,
 *                    the metrics and the use records show of it
 *   handler.ts       this file: host and path, method, load, key, quota, operation, response, log line
 *   rest.ts          a resource's operation; the MCP operations are in src/mcp
 *   responses.ts     the parts of a response: headers, body, errors
 * Also: pages.ts (health, OpenAPI and problems as JSON), openapi.ts (the OpenAPI document), parser-errors.ts (input that is not
 * valid HTTP).
 *
 * Invariants:
 * - Checks run in the published order: path and method, load, key, quota, permission, request. The body is not read before the
 *   key is admitted, and if it arrives after the head, the key is checked again.
 * - Every 4xx and 5xx is a problem, or an OAuth error (responses.ts). An unexpected failure reveals only the request id.
 * - A request that waits for nothing creates no promise: MaybePromise exists because promises cost 5 % of a small request.
 * - Header lines that bypass Node's checks (`firstLines`) contain only constants, numbers and our own ids.
 *
 * Limits, and what happens beyond them (docs/reliability.md lists them all):
 * - connections.ts      connections in total and per network: closed on arrival; clients that stop reading: closed
 * - pipelining.ts       waiting requests in total and per network: the connection is closed
 * - load-shedding.ts    requests that wait for the database or a body, and ticks that take too long: 503
 * - bytes-in-flight.ts  responses that clients have not read: 503, except for small ones
 * All four enforce fair shares (lib/fair-share.ts), so that no client can starve others.
 *
 * Risks: Node's internals change with the runtime. All that we use are in node-internals.ts, and its test reports any that are
 * missing. Work scheduled between ticks must not reuse a tick's check for changes: see event-loop-ticks.ts.
 */

import type { HttpResponse } from '../api/http-message.ts'
import type { ObserveRequest, Operation, Page } from '../api/operation.ts'
import type { Lifecycle } from '../api/path-lifecycle.ts'
import { isServedBy } from '../api/reserved-paths.ts'
import type { Admission } from '../database/admission.ts'
import { DatabaseLost, StoreBusyError } from '../database/errors.ts'
import type { PublicStore } from '../database/store.ts'
import { carriesToken, type KeyGate } from '../keys/admission.ts'
import { isOver, secondsToReset } from '../keys/quota.ts'
import type { RecordRequest } from '../keys/record-requests.ts'
import { acceptsHtml } from '../lib/http-headers.ts'
import type { Logger } from '../lib/logger.ts'
import { type MaybePromise, whenReady } from '../lib/maybe-promise.ts'
import { networkOf } from '../lib/network.ts'
import type { Quota } from '../lib/rate-windows.ts'
import { ProblemError } from '../problems/problem.ts'
import { ClientGone } from './body.ts'
import type { BytesInFlight } from './bytes-in-flight.ts'
import type { EventLoopTicks } from './event-loop-ticks.ts'
import type { Exchange } from './exchange.ts'
import { type LoadShedding, retryAfterSeconds } from './load-shedding.ts'
import { requestLog } from './logging.ts'
import { type ErrorOptions, errorResponse, quotaPolicyLines, quotaWindowLines } from './responses.ts'
import { createHostCheck, createRoutes, type Route, targetPath } from './routing.ts'

interface HandlerOptions extends ErrorOptions {
  operations: readonly Operation[]
  /** Matched in this order, after the operations. */
  pages: readonly Page[]
  /** Undefined for the usual hint. */
  notFoundHint: (path: string) => string | undefined
  store: Pick<PublicStore, 'check'>
  gate: KeyGate
  recordRequest: RecordRequest
  quota: Quota
  lifecycle: Lifecycle
  log: Logger
  isStopping: () => boolean
  ticks: EventLoopTicks
  load: LoadShedding
  inFlight: BytesInFlight
  observe?: ObserveRequest | undefined
  logHealth: boolean
}

/** Returns a promise only if something has to be awaited. */
export type Handler = (exchange: Exchange) => MaybePromise<void>

export function createHandler(options: HandlerOptions): Handler {
  const writeLogLine = requestLog(options.log)
  const routes = createRoutes(options.operations, options.lifecycle)
  const checkHost = createHostCheck()

  const handle: Handler = (exchange) => {
    let response: MaybePromise<HttpResponse>
    try {
      response = route(exchange)
    } catch (error) {
      return fail(exchange, error)
    }
    if (!(response instanceof Promise)) return finish(exchange, response)
    return response.then(
      (ready) => finish(exchange, ready),
      (error) => fail(exchange, error),
    )
  }

  function route(exchange: Exchange): MaybePromise<HttpResponse> {
    const { req } = exchange
    exchange.path = targetPath(req.url ?? '')
    exchange.route = routes.get(exchange.path)
    checkHost(req.headers.host, req.httpVersion)
    return exchange.route === undefined ? routeNonApi(exchange) : callOperation(exchange, exchange.route)
  }

  function routeNonApi(exchange: Exchange): Promise<HttpResponse> {
    const { path, method } = exchange
    const accept = exchange.header('accept')
    const match = options.pages.find(
      ({ paths, accepts }) => isServedBy(paths, path) && (accepts?.(path, accept) ?? true),
    )
    const isRead = method === 'GET' || method === 'HEAD'
    const isNotFound = match === undefined && isRead && acceptsHtml(accept)
    const page = isNotFound ? options.pages.find(({ showsNotFound }) => showsNotFound) : match
    exchange.isForApi = page === undefined
    exchange.nonApiTarget = match?.kind ?? 'not_found'
    if (page === undefined)
      throw new ProblemError('not_found', 'This service has no such path.', options.notFoundHint(path))
    if (!isRead && page.kind !== 'settings') {
      const detail = 'Only GET and HEAD are allowed here.'
      throw new ProblemError('method_not_allowed', detail, undefined, ['Allow', 'GET, HEAD'])
    }
    if (!page.isSheddable) return page.respond(exchange)
    checkLoad(exchange, undefined)
    if (page.kind === 'settings') options.store.check()
    return options.load.track(exchange, undefined, page.respond(exchange))
  }

  function callOperation(exchange: Exchange, { operation, methods, allow }: Route): MaybePromise<HttpResponse> {
    const { method } = exchange
    if (!methods.includes(method)) {
      const headers = ['Allow', allow]
      if (method === 'OPTIONS' && operation.contract.method === 'get') return { status: 204, headers, body: [] }
      const detail = `Only ${allow} can be used here; this service is read-only.`
      throw new ProblemError('method_not_allowed', detail, undefined, headers)
    }
    const credentials = options.gate.findCredentials(exchange)
    // The key last admitted on this connection. Admission may replace it.
    const keyId = credentials?.keyId
    checkLoad(exchange, keyId)
    const admitted = options.gate.admit(exchange, options.ticks.current(), credentials)
    const response = whenReady(admitted, (admission) => callAdmitted(exchange, operation, admission))
    return options.load.track(exchange, keyId, response)
  }

  function callAdmitted(exchange: Exchange, operation: Operation, admission: Admission): MaybePromise<HttpResponse> {
    exchange.admission = admission
    exchange.countedAdmission = admission
    if (isOver(admission.quota, admission.window)) throw overQuota(exchange, admission, operation)
    if (options.inFlight.hasFullShare(admission.workspaceId)) throw overloaded(UNREAD)
    if (!exchange.req.hasArrived)
      exchange.res.waiting = {
        requestId: exchange.requestId,
        firstLines: firstLinesOf(exchange),
        recordFailure(code, response) {
          exchange.problemCode = code
          recordRequest(exchange, response)
        },
      }
    return operation.respond(exchange, admission, async () => {
      // A key that has ended in the meantime gets the same response as any invalid key.
      exchange.admission = undefined
      exchange.admission = await options.gate.readmit(exchange, admission)
      return exchange.admission
    })
  }

  function checkLoad(exchange: Exchange, keyId: string | undefined): void {
    if (options.load.shouldShed(exchange, keyId)) throw overloaded(TOO_MANY)
  }

  function overQuota(exchange: Exchange, { quota, window, now }: Admission, operation: Operation): ProblemError {
    const seconds = secondsToReset(quota, window, now)
    const headers = ['Retry-After', String(seconds), ...(operation.rateLimitedHeaders?.(exchange) ?? [])]
    const detail = `This key's quota is used up; it resets in ${seconds} s.`
    return new ProblemError('rate_limited', detail, undefined, headers)
  }

  function toErrorResponse(exchange: Exchange, error: unknown): HttpResponse {
    const problem = toProblemError(exchange, error)
    exchange.problemCode = problem.code
    const withInstance = exchange.route?.operation.problemsHaveInstance ?? false
    const response = errorResponse(problem, options, exchange.path, withInstance ? exchange.requestId : undefined)
    const own = problem.code === 'unauthorized' ? challenge(exchange) : problem.headers
    return { ...response, headers: [...own, ...response.headers] }
  }

  function fail(exchange: Exchange, error: unknown): void {
    if (!(error instanceof ClientGone)) finish(exchange, toErrorResponse(exchange, error))
    // A body that failed or was too slow has had its response before the connection closed.
    else if (exchange.response === undefined) recordRequest(exchange, undefined)
  }

  function finish(exchange: Exchange, ready: HttpResponse): void {
    // The rest of a body arrived after the response to its failure or delay.
    if (exchange.response !== undefined) return
    if (options.isStopping()) exchange.res.shouldKeepAlive = false
    // Other responses may have filled the memory while this one was being prepared.
    const isShed = options.inFlight.total > 0 && options.inFlight.shouldShed(holderOf(exchange), ready.body)
    const response = isShed ? toErrorResponse(exchange, overloaded(UNREAD)) : ready
    exchange.send(response, firstLinesOf(exchange))
    if (exchange.res.writableLength > 0) options.inFlight.add(exchange.req.socket, holderOf(exchange), response.body)
    recordRequest(exchange, response)
  }

  function firstLinesOf({ admission, isForApi, route, requestId }: Exchange): string {
    let lines = `X-Request-Id: ${requestId}\r\n`
    if (admission !== undefined) lines += quotaWindowLines(admission)
    else if (isForApi) lines += quotaPolicyLines(options.quota)
    return route === undefined ? lines : lines + route.lifecycle
  }

  /** Runs after the response, when it is known whether the request was refused. Without one, the client disconnected. */
  function recordRequest(exchange: Exchange, response: HttpResponse | undefined): void {
    exchange.response = response
    exchange.ms = Math.round((performance.now() - exchange.startedAt) * 1000) / 1000
    if (options.logHealth || exchange.target !== 'health') writeLogLine(exchange)
    options.observe?.(exchange)
    options.recordRequest(exchange)
  }

  return handle
}

function toProblemError(exchange: Exchange, error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  if (error instanceof StoreBusyError) return overloaded(WAITING)
  // Losing the database is logged once, not for every request.
  if (!(error instanceof DatabaseLost)) exchange.logFailure(error)
  return new ProblemError('internal_error', `The server failed; the request id is ${exchange.requestId}.`)
}

const overloaded = (detail: string) =>
  new ProblemError('overloaded', detail, undefined, ['Retry-After', String(retryAfterSeconds())])

const TOO_MANY = 'The server is receiving more requests than it can handle.'
const UNREAD = 'Too many earlier responses have not been read yet.'
const WAITING = 'Too many requests are already waiting for the database.'

/** Counts by workspace, because a workspace can have any number of keys. */
const holderOf = ({ admission, caller }: Exchange) => admission?.workspaceId ?? networkOf(caller.address ?? '')

const challenge = (exchange: Exchange) => [
  'WWW-Authenticate',
  `Bearer realm="vitrine"${exchange.route?.operation.challenge ?? ''}` +
    (carriesToken(exchange.authorization) ? ', error="invalid_token"' : ''),
]
