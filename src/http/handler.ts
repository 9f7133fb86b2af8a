import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { DatabaseLost, StoreBusyError } from '../database/errors.ts'
import type { Admission, Quota } from '../database/store.ts'
import { type Admit, carriesToken, type FindCredentials, type Readmit } from '../keys/admission.ts'
import type { ReportIncidents } from '../keys/incidents.ts'
import { isOver, secondsToReset } from '../keys/quota.ts'
import { chain, type MaybePromise, settle } from '../lib/maybe-promise.ts'
import { networkOf } from '../lib/network.ts'
import { redactTokens } from '../lib/redact.ts'
import type { Lifecycle } from '../lifecycle.ts'
import type { Answer, Operation, Page, PrivateApp } from '../operation.ts'
import { ProblemError } from '../problems/problem.ts'
import { addQuotaPolicy, addQuotaWindow, problemAnswer } from './answers.ts'
import { ClientGone } from './body.ts'
import type { BytesInFlight } from './bytes-in-flight.ts'
import type { EventLoopTicks } from './event-loop-ticks.ts'
import { Exchange } from './exchange.ts'
import { createHostCheck } from './host.ts'
import { type LoadShedding, retryAfterSeconds } from './load-shedding.ts'
import { requestLog } from './logging.ts'
import { createRoutes, type Route, targetPath } from './routing.ts'
import { send } from './send.ts'

export interface HandlerParts {
  operations: readonly Operation[]
  pages: readonly Page[]
  /** Asked after the operations; it answers whatever it matches, with any method. */
  privateApp: PrivateApp | undefined
  /** Throws DatabaseLost if the database is gone; for what is answered without being admitted. */
  checkStore: () => void
  findCredentials: FindCredentials
  admit: Admit
  readmit: Readmit
  reportIncidents: ReportIncidents
  quota: Quota
  lifecycle: Lifecycle
  publicUrl: string
  trustedProxies: number
  log: Logger
  /** A server that is stopping tells clients not to come back on their connection. */
  isStopping: () => boolean
  ticks: EventLoopTicks
  load: LoadShedding
  inFlight: BytesInFlight
}

/** Gives a promise only of what has to be waited for. */
export type Handler = (req: IncomingMessage, res: ServerResponse) => MaybePromise<void>

/** Every request walks one line: path, method, key, quota, then the operation's own answer. */
export function createHandler(parts: HandlerParts): Handler {
  const writeLine = requestLog(parts.log)
  const routes = createRoutes(parts.operations, parts.lifecycle)
  const checkHost = createHostCheck()

  function handle(req: IncomingMessage, res: ServerResponse): MaybePromise<void> {
    const exchange = new Exchange(req, res, parts.trustedProxies, parts.log)
    return settle(
      () => find(exchange),
      (answer) => finish(exchange, answer),
      (error) =>
        error instanceof ClientGone ? logRequest(exchange, 'gone') : finish(exchange, failed(exchange, error)),
    )
  }

  function find(exchange: Exchange): MaybePromise<Answer> {
    const { req } = exchange
    exchange.path = targetPath(req.url ?? '')
    checkHost(req.headers.host, req.httpVersion)
    exchange.route = routes.get(exchange.path)
    if (exchange.route !== undefined) return operate(exchange, exchange.route)
    return leaveApi(exchange)
  }

  function leaveApi(exchange: Exchange): Promise<Answer> {
    const { path } = exchange
    const page = parts.pages.find(({ matches }) => matches(path))
    const app = parts.privateApp?.matches(path) ? parts.privateApp : undefined
    exchange.isForApi = page === undefined && app === undefined
    if (page !== undefined) return show(exchange, page)
    if (app !== undefined) return callPrivateApp(exchange, app)
    throw new ProblemError('not_found', 'This path is not one of this service.')
  }

  function operate(exchange: Exchange, { operation, allow }: Route): MaybePromise<Answer> {
    const { method } = exchange
    if (!operation.methods.includes(method)) {
      exchange.ownHeaders = ['Allow', allow]
      if (method === 'OPTIONS' && operation.answersOptions) return NO_CONTENT
      throw new ProblemError('method_not_allowed', `Only ${allow} can be used here; this service is read-only.`)
    }
    const credentials = parts.findCredentials(exchange)
    // As it was before this request: admission may tell it another.
    const admittedKeyId = credentials?.keyId
    if (parts.load.shouldShed(exchange, admittedKeyId)) throw overloaded(exchange, TOO_MANY)
    const admitted = parts.admit(exchange, parts.ticks.current(), credentials)
    // What comes in while this is waited for came later than the head.
    if (admitted instanceof Promise) void exchange.arrivedComplete
    const answer = chain(admitted, (admission) => {
      exchange.admission = admission
      if (isOver(admission.quota, admission.window)) throw overQuota(exchange, admission, operation)
      if (parts.inFlight.hasFullShare(admission.workspaceId)) throw overloaded(exchange, UNREAD)
      return operation.answer(exchange, admission, () => readmit(exchange, admission))
    })
    if (answer instanceof Promise) parts.load.track(exchange, admittedKeyId, answer)
    return answer
  }

  async function readmit(exchange: Exchange, admission: Admission): Promise<Admission> {
    // A key that has ended meanwhile gets the answer of any that is not valid.
    exchange.admission = undefined
    exchange.admission = await parts.readmit(exchange, admission)
    return exchange.admission
  }

  function overloaded(exchange: Exchange, detail: string): ProblemError {
    exchange.ownHeaders = ['Retry-After', String(retryAfterSeconds())]
    return new ProblemError('overloaded', detail)
  }

  function callPrivateApp(exchange: Exchange, app: PrivateApp): Promise<Answer> {
    if (parts.load.shouldShed(exchange, undefined)) throw overloaded(exchange, TOO_MANY)
    parts.checkStore()
    const answer = app.answer(exchange)
    parts.load.track(exchange, undefined, answer)
    return answer
  }

  function overQuota(
    exchange: Exchange,
    { quota, window, now }: Admission,
    { rateLimitedHeaders }: Operation,
  ): ProblemError {
    const seconds = secondsToReset(quota, window, now)
    exchange.ownHeaders = ['Retry-After', String(seconds), ...rateLimitedHeaders]
    return new ProblemError('rate_limited', `The quota of this key is used up; it is whole again in ${seconds} s.`)
  }

  function show(exchange: Exchange, page: Page): Promise<Answer> {
    if (exchange.method === 'GET' || exchange.method === 'HEAD') return page.answer(exchange)
    exchange.ownHeaders = ['Allow', 'GET, HEAD']
    throw new ProblemError('method_not_allowed', 'Only GET, HEAD can be used here.')
  }

  function failed(exchange: Exchange, error: unknown): Answer {
    const problem =
      error instanceof ProblemError
        ? error
        : error instanceof StoreBusyError
          ? overloaded(exchange, WAITING)
          : unexpected(exchange, error)
    exchange.refusal = problem.code
    if (problem.code === 'unauthorized') exchange.ownHeaders = challenge(exchange)
    const namesInstance = exchange.route?.operation.problemsNameInstance ?? false
    return problemAnswer(problem, parts.publicUrl, namesInstance ? exchange.requestId : undefined)
  }

  function unexpected(exchange: Exchange, error: unknown): ProblemError {
    // The log has been told, once and not for every request.
    if (!(error instanceof DatabaseLost)) exchange.report(error)
    return new ProblemError('internal_error', `The server failed; the request id is ${exchange.requestId}.`)
  }

  function finish(exchange: Exchange, ready: Answer): void {
    if (parts.isStopping()) exchange.res.shouldKeepAlive = false
    // Others may have come to hold too much while this one was read.
    const isTooMuch = parts.inFlight.shouldShed(() => holderOf(exchange), ready.body)
    const answer = isTooMuch ? failed(exchange, overloaded(exchange, UNREAD)) : ready
    send(exchange, answer, headersOf(exchange))
    if (exchange.res.writableLength > 0) parts.inFlight.add(exchange.req.socket, holderOf(exchange), answer.body)
    logRequest(exchange, answer.status)
    parts.reportIncidents(exchange)
  }

  function headersOf({ admission, isForApi, route, ownHeaders, requestId }: Exchange): string[] {
    const headers = ['X-Request-Id', requestId]
    if (admission !== undefined) addQuotaWindow(headers, admission)
    else if (isForApi) addQuotaPolicy(headers, parts.quota)
    if (route !== undefined) headers.push(...route.lifecycle)
    headers.push(...ownHeaders)
    return headers
  }

  function logRequest(exchange: Exchange, status: number | 'gone'): void {
    writeLine({
      requestId: exchange.requestId,
      method: exchange.method,
      // A path of an operation is our own text.
      path: exchange.route === undefined ? redactTokens(exchange.path) : exchange.path,
      status,
      keyId: exchange.keyId,
      client: exchange.caller.address ?? '',
      startedAt: exchange.startedAt,
    })
  }

  return handle
}

const TOO_MANY = 'More requests come in than can be answered in time.'
const UNREAD = 'Too much of what was answered before has not been read yet.'
const WAITING = 'Too many requests wait for the database already.'

/** A workspace can make any number of keys: what they hold is held by it. */
const holderOf = ({ admission, caller }: Exchange) => admission?.workspaceId ?? networkOf(caller.address ?? '')

const NO_CONTENT: Answer = { status: 204, headers: [], body: [] }

const challenge = (exchange: Exchange) => [
  'WWW-Authenticate',
  carriesToken(exchange.header('authorization'))
    ? 'Bearer realm="vitrine", error="invalid_token"'
    : 'Bearer realm="vitrine"',
]
