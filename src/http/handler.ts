/**
 * src/http turns bytes on a socket into requests, lets each pass through one function, and sends the response.
 *
 * The way of a request, in the order of the files:
 *   server.ts        Node's HTTP server with our limits; a failure of one request never ends another
 *   pipelining.ts    a connection has 16 requests in work at most; the others wait, one per tick of the event loop
 *   handler.ts       this file: host and path, method, load, key, quota, operation, response, log line
 *   exchange.ts      the context of one request, filled in step by step
 *   rest.ts          the operation of a resource; src/mcp has the operations of MCP
 *   responses.ts     head and body into as few writes as possible
 * Beside it: pages.ts (health, OpenAPI, problems for programs), openapi.ts (the document), in-process.ts (the settings pages call
 * the API without a socket), parser-errors.ts (what is not even a request).
 *
 * Invariants:
 * - Checks come in the published order: path and method, load, key, quota, permission, request. Nothing is read from the body
 *   before the key is known, and a body that came later than its head is judged by a second look at the key.
 * - Every 4xx and 5xx is a problem (responses.ts); nothing of an unexpected failure leaves the process but the request id.
 * - A request that needs no waiting creates no promise: MaybePromise is there because promises cost 5 % of a small request.
 * - Header lines written without Node's checks (`firstLines`) hold constants, numbers and our own ids only.
 *
 * Bounds, each with what happens beyond it (docs/reliability.md lists them all):
 * - connections.ts      connections in all and per network: closed when accepted; a client that stops reading: closed
 * - pipelining.ts       waiting requests in all and per network: the connection is closed
 * - load-shedding.ts    requests that wait for the database or a body, and ticks that take too long: 503
 * - bytes-in-flight.ts  responses that clients have not read: 503, except for small ones
 * All four give each caller its share (lib/fair-share.ts), so that no client takes what others need.
 *
 * What may go wrong: Node's internals change with the runtime. All that are used are in node-internals.ts, and its test names
 * what is missing. Work that runs between two ticks must not share a tick's check for changes: see EventLoopTicks in load-shedding.ts.
 */
import type { Logger } from 'pino'
import { DatabaseLost, StoreBusyError } from '../database/errors.ts'
import type { Admission, Quota } from '../database/store.ts'
import { carriesToken, type KeyAdmission } from '../keys/admission.ts'
import type { ReportIncidents } from '../keys/incidents.ts'
import { isOver, secondsToReset } from '../keys/quota.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { networkOf } from '../lib/network.ts'
import { redactTokens } from '../lib/redact.ts'
import type { Lifecycle } from '../lifecycle.ts'
import type { HttpResponse, ObserveRequest, Operation, Page, PrivateApp } from '../operation.ts'
import { isServedBy } from '../own-paths.ts'
import { ProblemError } from '../problems/problem.ts'
import { ClientGone } from './body.ts'
import type { BytesInFlight } from './bytes-in-flight.ts'
import { Exchange } from './exchange.ts'
import { type EventLoopTicks, type LoadShedding, retryAfterSeconds } from './load-shedding.ts'
import { requestLog } from './logging.ts'
import type { IncomingRequest, OutgoingResponse } from './node-internals.ts'
import { problemResponse, quotaPolicyLines, quotaWindowLines, send } from './responses.ts'
import { createHostCheck, createRoutes, type Route, targetPath } from './routing.ts'

interface HandlerOptions {
  operations: readonly Operation[]
  pages: readonly Page[]
  /** Matched after the operations and pages, with all methods. */
  privateApp: PrivateApp | undefined
  /** Throws DatabaseLost. For requests that need no admission. */
  checkStore: () => void
  admission: KeyAdmission
  reportIncidents: ReportIncidents
  quota: Quota
  lifecycle: Lifecycle
  publicUrl: string
  trustedProxies: number
  log: Logger
  isStopping: () => boolean
  ticks: EventLoopTicks
  load: LoadShedding
  inFlight: BytesInFlight
  observe?: ObserveRequest | undefined
}

/** Returns a promise only if something has to be awaited. `sendResponse` is for requests without a connection. */
export type Handler = (req: IncomingRequest, res: OutgoingResponse, sendResponse?: typeof send) => MaybePromise<void>

export function createHandler(options: HandlerOptions): Handler {
  const writeLogLine = requestLog(options.log)
  const routes = createRoutes(options.operations, options.lifecycle)
  const checkHost = createHostCheck()

  const handle: Handler = (req, res, sendResponse = send) => {
    const exchange = new Exchange(req, res, options.trustedProxies, options.log)
    let response: MaybePromise<HttpResponse>
    try {
      response = route(exchange)
    } catch (error) {
      return fail(exchange, error, sendResponse)
    }
    if (!(response instanceof Promise)) return finish(exchange, response, sendResponse)
    return response.then(
      (ready) => finish(exchange, ready, sendResponse),
      (error) => fail(exchange, error, sendResponse),
    )
  }

  function route(exchange: Exchange): MaybePromise<HttpResponse> {
    const { req } = exchange
    exchange.path = targetPath(req.url ?? '')
    checkHost(req.headers.host, req.httpVersion)
    exchange.route = routes.get(exchange.path)
    return exchange.route === undefined ? routeNonApi(exchange) : callOperation(exchange, exchange.route)
  }

  function routeNonApi(exchange: Exchange): Promise<HttpResponse> {
    const { path } = exchange
    const accept = exchange.header('accept')
    const page = options.pages.find(({ paths, isFor }) => isServedBy(paths, path) && (isFor?.(path, accept) ?? true))
    const app = options.privateApp && isServedBy(options.privateApp.paths, path) ? options.privateApp : undefined
    exchange.isForApi = page === undefined && app === undefined
    exchange.nonApiTarget = page?.kind ?? (app === undefined ? 'not_found' : 'settings')
    if (page !== undefined) return servePage(exchange, page)
    if (app === undefined) throw new ProblemError('not_found', 'This path is not one of this service.')
    checkLoad(exchange, undefined)
    options.checkStore()
    return tracked(exchange, undefined, app.respond(exchange))
  }

  function servePage(exchange: Exchange, page: Page): Promise<HttpResponse> {
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD') {
      exchange.ownHeaders = ['Allow', 'GET, HEAD']
      throw new ProblemError('method_not_allowed', 'Only GET, HEAD can be used here.')
    }
    if (!page.isShed) return page.respond(exchange)
    checkLoad(exchange, undefined)
    return tracked(exchange, undefined, page.respond(exchange))
  }

  function callOperation(exchange: Exchange, { operation, allow }: Route): MaybePromise<HttpResponse> {
    const { method } = exchange
    if (!operation.methods.includes(method)) {
      exchange.ownHeaders = ['Allow', allow]
      if (method === 'OPTIONS' && operation.handlesOptions) return NO_CONTENT
      throw new ProblemError('method_not_allowed', `Only ${allow} can be used here; this service is read-only.`)
    }
    const credentials = options.admission.findCredentials(exchange)
    // The key last admitted on this connection. Admission may replace it.
    const keyId = credentials?.keyId
    checkLoad(exchange, keyId)
    const admitted = options.admission.admit(exchange, options.ticks.current(), credentials)
    if (!(admitted instanceof Promise)) return tracked(exchange, keyId, callAdmitted(exchange, operation, admitted))
    const response = admitted.then((admission) => callAdmitted(exchange, operation, admission))
    return tracked(exchange, keyId, response)
  }

  function callAdmitted(exchange: Exchange, operation: Operation, admission: Admission): MaybePromise<HttpResponse> {
    exchange.admission = admission
    exchange.counted = admission
    if (isOver(admission.quota, admission.window)) throw overQuota(exchange, admission, operation)
    if (options.inFlight.hasFullShare(admission.workspaceId)) throw overloaded(exchange, UNREAD)
    return operation.respond(exchange, admission, async () => {
      // A key that has ended meanwhile gets the same response as any invalid key.
      exchange.admission = undefined
      exchange.admission = await options.admission.readmit(exchange, admission)
      return exchange.admission
    })
  }

  function checkLoad(exchange: Exchange, keyId: string | undefined): void {
    if (options.load.shouldShed(exchange, keyId)) throw overloaded(exchange, TOO_MANY)
  }

  function tracked<Response>(exchange: Exchange, keyId: string | undefined, response: Response): Response {
    if (response instanceof Promise) options.load.track(exchange, keyId, response)
    return response
  }

  function overQuota(exchange: Exchange, { quota, window, now }: Admission, operation: Operation): ProblemError {
    const seconds = secondsToReset(quota, window, now)
    exchange.ownHeaders = ['Retry-After', String(seconds), ...operation.rateLimitedHeaders(exchange)]
    return new ProblemError('rate_limited', `The quota of this key is used up; it is whole again in ${seconds} s.`)
  }

  function toProblemResponse(exchange: Exchange, error: unknown): HttpResponse {
    const problem = toProblemError(exchange, error)
    exchange.refusal = problem.code
    if (problem.code === 'unauthorized') exchange.ownHeaders = challenge(exchange)
    const withInstance = exchange.route?.operation.problemsHaveInstance ?? false
    return problemResponse(problem, options.publicUrl, withInstance ? exchange.requestId : undefined)
  }

  function fail(exchange: Exchange, error: unknown, sendResponse: typeof send): void {
    if (error instanceof ClientGone) report(exchange, 'gone')
    else finish(exchange, toProblemResponse(exchange, error), sendResponse)
  }

  function finish(exchange: Exchange, ready: HttpResponse, sendResponse: typeof send): void {
    if (options.isStopping()) exchange.res.shouldKeepAlive = false
    // Other responses may have filled the memory while this one was read.
    const isShed = options.inFlight.total > 0 && options.inFlight.shouldShed(holderOf(exchange), ready.body)
    const response = isShed ? toProblemResponse(exchange, overloaded(exchange, UNREAD)) : ready
    sendResponse(exchange, response, firstLinesOf(exchange))
    if (exchange.res.writableLength > 0) options.inFlight.add(exchange.req.socket, holderOf(exchange), response.body)
    report(exchange, response.status)
    options.reportIncidents(exchange)
  }

  function firstLinesOf({ admission, isForApi, route, requestId }: Exchange): string {
    let lines = `X-Request-Id: ${requestId}\r\n`
    if (admission !== undefined) lines += quotaWindowLines(admission)
    else if (isForApi) lines += quotaPolicyLines(options.quota)
    return route === undefined ? lines : lines + route.lifecycle
  }

  /** Runs after the response, because only then is it known whether the request was refused. */
  function report(exchange: Exchange, status: number | 'gone'): void {
    writeLogLine({
      requestId: exchange.requestId,
      method: exchange.method,
      // An operation's path is constant and cannot contain a key.
      path: exchange.route === undefined ? redactTokens(exchange.path) : exchange.path,
      status,
      keyId: exchange.keyId,
      client: exchange.caller.address ?? '',
      startedAt: exchange.startedAt,
      traceparent: exchange.traceparent,
    })
    options.observe?.(exchange, status)
    if (exchange.counted !== undefined) options.admission.recordUse(exchange, exchange.counted)
  }

  return handle
}

function toProblemError(exchange: Exchange, error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  if (error instanceof StoreBusyError) return overloaded(exchange, WAITING)
  // The loss of the database is logged once, not with every request.
  if (!(error instanceof DatabaseLost)) exchange.report(error)
  return new ProblemError('internal_error', `The server failed; the request id is ${exchange.requestId}.`)
}

function overloaded(exchange: Exchange, detail: string): ProblemError {
  exchange.ownHeaders = ['Retry-After', String(retryAfterSeconds())]
  return new ProblemError('overloaded', detail)
}

const TOO_MANY = 'More requests come in than can be answered in time.'
const UNREAD = 'Too much of what was answered before has not been read yet.'
const WAITING = 'Too many requests wait for the database already.'

/** Counts by workspace, because one can have any number of keys. */
const holderOf = ({ admission, caller }: Exchange) => admission?.workspaceId ?? networkOf(caller.address ?? '')

const NO_CONTENT: HttpResponse = { status: 204, headers: [], body: [] }

const challenge = (exchange: Exchange) => [
  'WWW-Authenticate',
  carriesToken(exchange.header('authorization'))
    ? 'Bearer realm="vitrine", error="invalid_token"'
    : 'Bearer realm="vitrine"',
]
