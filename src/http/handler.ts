import type { Logger } from 'pino'
import { DatabaseLost, StoreBusyError } from '../database/errors.ts'
import type { Admission, Quota } from '../database/store.ts'
import { type Admit, carriesToken, type FindCredentials, type Readmit, type RecordUse } from '../keys/admission.ts'
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
import type { EventLoopTicks } from './event-loop-ticks.ts'
import { Exchange } from './exchange.ts'
import { type LoadShedding, retryAfterSeconds } from './load-shedding.ts'
import { requestLog } from './logging.ts'
import type { IncomingRequest, OutgoingResponse } from './node-internals.ts'
import { problemResponse, quotaPolicyLines, quotaWindowLines } from './responses.ts'
import { createHostCheck, createRoutes, type Route, targetPath } from './routing.ts'
import { send } from './send.ts'

interface HandlerOptions {
  operations: readonly Operation[]
  pages: readonly Page[]
  /** Matched after the operations and pages; it handles all methods. */
  privateApp: PrivateApp | undefined
  /** Throws DatabaseLost if the database is gone; for requests that need no admission. */
  checkStore: () => void
  findCredentials: FindCredentials
  admit: Admit
  readmit: Readmit
  recordUse: RecordUse
  reportIncidents: ReportIncidents
  quota: Quota
  lifecycle: Lifecycle
  publicUrl: string
  trustedProxies: number
  log: Logger
  /** While it stops, the server closes connections after their responses. */
  isStopping: () => boolean
  ticks: EventLoopTicks
  load: LoadShedding
  inFlight: BytesInFlight
  /** Called once for every request; undefined if nobody measures. */
  observe?: ObserveRequest | undefined
}

/** Returns a promise only if something has to be awaited. */
export type Handler = (req: IncomingRequest, res: OutgoingResponse) => MaybePromise<void>

/** The pipeline of every request: route, admit, read, respond. */
export function createHandler(options: HandlerOptions): Handler {
  const writeLogLine = requestLog(options.log)
  const routes = createRoutes(options.operations, options.lifecycle)
  const checkHost = createHostCheck()

  function handle(req: IncomingRequest, res: OutgoingResponse): MaybePromise<void> {
    const exchange = new Exchange(req, res, options.trustedProxies, options.log)
    let response: MaybePromise<HttpResponse>
    try {
      response = route(exchange)
    } catch (error) {
      return fail(exchange, error)
    }
    if (!(response instanceof Promise)) return respond(exchange, response)
    return response.then(
      (ready) => respond(exchange, ready),
      (error) => fail(exchange, error),
    )
  }

  function fail(exchange: Exchange, error: unknown): void {
    if (error instanceof ClientGone) {
      logRequest(exchange, 'gone')
      options.observe?.(exchange, 'gone')
      recordUse(exchange)
    } else respond(exchange, toProblemResponse(exchange, error))
  }

  function route(exchange: Exchange): MaybePromise<HttpResponse> {
    const { req } = exchange
    exchange.path = targetPath(req.url ?? '')
    checkHost(req.headers.host, req.httpVersion)
    exchange.route = routes.get(exchange.path)
    if (exchange.route !== undefined) return admit(exchange, exchange.route)
    return routeBesideApi(exchange)
  }

  function routeBesideApi(exchange: Exchange): Promise<HttpResponse> {
    const { path } = exchange
    const accept = exchange.header('accept')
    const page = options.pages.find(({ paths, isFor }) => isServedBy(paths, path) && (isFor?.(path, accept) ?? true))
    const app = options.privateApp && isServedBy(options.privateApp.paths, path) ? options.privateApp : undefined
    exchange.isForApi = page === undefined && app === undefined
    exchange.besideApi = page?.kind ?? (app === undefined ? 'not_found' : 'settings')
    if (page !== undefined) return servePage(exchange, page)
    if (app !== undefined) return callPrivateApp(exchange, app)
    throw new ProblemError('not_found', 'This path is not one of this service.')
  }

  function admit(exchange: Exchange, { operation, allow }: Route): MaybePromise<HttpResponse> {
    const { method } = exchange
    if (!operation.methods.includes(method)) {
      exchange.ownHeaders = ['Allow', allow]
      if (method === 'OPTIONS' && operation.handlesOptions) return NO_CONTENT
      throw new ProblemError('method_not_allowed', `Only ${allow} can be used here; this service is read-only.`)
    }
    const credentials = options.findCredentials(exchange)
    // The key last admitted on this connection; admission may replace it.
    const admittedKeyId = credentials?.keyId
    if (options.load.shouldShed(exchange, admittedKeyId)) throw overloaded(exchange, TOO_MANY)
    const admitted = options.admit(exchange, options.ticks.current(), credentials)
    const response =
      admitted instanceof Promise
        ? admitted.then((admission) => read(exchange, operation, admission))
        : read(exchange, operation, admitted)
    if (response instanceof Promise) options.load.track(exchange, admittedKeyId, response)
    return response
  }

  function read(exchange: Exchange, operation: Operation, admission: Admission): MaybePromise<HttpResponse> {
    exchange.admission = admission
    exchange.counted = admission
    if (isOver(admission.quota, admission.window)) throw overQuota(exchange, admission, operation)
    if (options.inFlight.hasFullShare(admission.workspaceId)) throw overloaded(exchange, UNREAD)
    return operation.respond(exchange, admission, () => readmit(exchange, admission))
  }

  async function readmit(exchange: Exchange, admission: Admission): Promise<Admission> {
    // A key that has ended meanwhile is answered like any invalid key.
    exchange.admission = undefined
    exchange.admission = await options.readmit(exchange, admission)
    return exchange.admission
  }

  function overloaded(exchange: Exchange, detail: string): ProblemError {
    exchange.ownHeaders = ['Retry-After', String(retryAfterSeconds())]
    return new ProblemError('overloaded', detail)
  }

  function callPrivateApp(exchange: Exchange, app: PrivateApp): Promise<HttpResponse> {
    if (options.load.shouldShed(exchange, undefined)) throw overloaded(exchange, TOO_MANY)
    options.checkStore()
    const response = app.respond(exchange)
    options.load.track(exchange, undefined, response)
    return response
  }

  function overQuota(exchange: Exchange, { quota, window, now }: Admission, operation: Operation): ProblemError {
    const seconds = secondsToReset(quota, window, now)
    exchange.ownHeaders = ['Retry-After', String(seconds), ...operation.rateLimitedHeaders(exchange)]
    return new ProblemError('rate_limited', `The quota of this key is used up; it is whole again in ${seconds} s.`)
  }

  function servePage(exchange: Exchange, page: Page): Promise<HttpResponse> {
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD') {
      exchange.ownHeaders = ['Allow', 'GET, HEAD']
      throw new ProblemError('method_not_allowed', 'Only GET, HEAD can be used here.')
    }
    if (!page.isShed) return page.respond(exchange)
    if (options.load.shouldShed(exchange, undefined)) throw overloaded(exchange, TOO_MANY)
    const response = page.respond(exchange)
    options.load.track(exchange, undefined, response)
    return response
  }

  function toProblemResponse(exchange: Exchange, error: unknown): HttpResponse {
    const problem =
      error instanceof ProblemError
        ? error
        : error instanceof StoreBusyError
          ? overloaded(exchange, WAITING)
          : unexpected(exchange, error)
    exchange.refusal = problem.code
    if (problem.code === 'unauthorized') exchange.ownHeaders = challenge(exchange)
    const namesInstance = exchange.route?.operation.problemsNameInstance ?? false
    return problemResponse(problem, options.publicUrl, namesInstance ? exchange.requestId : undefined)
  }

  function unexpected(exchange: Exchange, error: unknown): ProblemError {
    // Logged once when it happens, not with every request.
    if (!(error instanceof DatabaseLost)) exchange.report(error)
    return new ProblemError('internal_error', `The server failed; the request id is ${exchange.requestId}.`)
  }

  function respond(exchange: Exchange, ready: HttpResponse): void {
    if (options.isStopping()) exchange.res.shouldKeepAlive = false
    // Other answers may have filled the memory while this one was read.
    const isShed = options.inFlight.shouldShed(() => holderOf(exchange), ready.body)
    const response = isShed ? toProblemResponse(exchange, overloaded(exchange, UNREAD)) : ready
    send(exchange, response, firstLinesOf(exchange))
    if (exchange.res.writableLength > 0) options.inFlight.add(exchange.req.socket, holderOf(exchange), response.body)
    logRequest(exchange, response.status)
    options.observe?.(exchange, response.status)
    recordUse(exchange)
    options.reportIncidents(exchange)
  }

  /** Only now is it known whether the request was refused. */
  function recordUse(exchange: Exchange): void {
    if (exchange.counted !== undefined) options.recordUse(exchange, exchange.counted)
  }

  function firstLinesOf({ admission, isForApi, route, requestId }: Exchange): string {
    let lines = `X-Request-Id: ${requestId}\r\n`
    if (admission !== undefined) lines += quotaWindowLines(admission)
    else if (isForApi) lines += quotaPolicyLines(options.quota)
    return route === undefined ? lines : lines + route.lifecycle
  }

  function logRequest(exchange: Exchange, status: number | 'gone'): void {
    writeLogLine({
      requestId: exchange.requestId,
      method: exchange.method,
      // The path of an operation is constant and cannot contain a key.
      path: exchange.route === undefined ? redactTokens(exchange.path) : exchange.path,
      status,
      keyId: exchange.keyId,
      client: exchange.caller.address ?? '',
      startedAt: exchange.startedAt,
      traceparent: exchange.traceparent,
    })
  }

  return handle
}

const TOO_MANY = 'More requests come in than can be answered in time.'
const UNREAD = 'Too much of what was answered before has not been read yet.'
const WAITING = 'Too many requests wait for the database already.'

/** By workspace, because one can have any number of keys. */
const holderOf = ({ admission, caller }: Exchange) => admission?.workspaceId ?? networkOf(caller.address ?? '')

const NO_CONTENT: HttpResponse = { status: 204, headers: [], body: [] }

const challenge = (exchange: Exchange) => [
  'WWW-Authenticate',
  carriesToken(exchange.header('authorization'))
    ? 'Bearer realm="vitrine", error="invalid_token"'
    : 'Bearer realm="vitrine"',
]
