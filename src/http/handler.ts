import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { type Admit, carriesToken } from '../gate/admit.ts'
import type { Lookout } from '../gate/lookout.ts'
import { isOver, secondsToReset } from '../gate/quota.ts'
import type { Lifecycle } from '../lifecycle.ts'
import type { Answer, Operation, PrivateFace } from '../operation.ts'
import { ProblemError } from '../problems/problem.ts'
import { redactTokens } from '../redact.ts'
import { andThen, type Soon, settle } from '../soon.ts'
import { type Admission, type Quota, StoreBusyError } from '../storage/store.ts'
import { ClientGone } from './body.ts'
import { Exchange } from './exchange.ts'
import type { Page } from './page.ts'
import { problemAnswer } from './problem-answer.ts'
import { addPolicy, addWindow } from './rate-limit-headers.ts'
import { requestLog } from './request-log.ts'
import { makeRoutes, type Route } from './route.ts'
import { send } from './send.ts'
import { targetPath } from './target.ts'
import type { Turns } from './turn.ts'

export interface HandlerParts {
  operations: readonly Operation[]
  pages: readonly Page[]
  /** Asked after the operations; it answers whatever it matches, with any method. */
  privateFace: PrivateFace | undefined
  admit: Admit
  lookout: Lookout
  quota: Quota
  lifecycle: Lifecycle
  publicUrl: string
  trustedProxies: number
  log: Logger
  /** A server that is stopping tells clients not to come back on their connection. */
  isStopping: () => boolean
  turns: Turns
}

/** Gives a promise only of what has to be waited for. */
export type Handler = (req: IncomingMessage, res: ServerResponse) => Soon<void>

/** Every request walks one line: path, method, key, quota, then the operation's own answer. */
export function makeHandler(parts: HandlerParts): Handler {
  const writeLine = requestLog(parts.log)
  const routes = makeRoutes(parts.operations, parts.lifecycle)

  function handle(req: IncomingMessage, res: ServerResponse): Soon<void> {
    const exchange = new Exchange(req, res, parts.trustedProxies, parts.log)
    return settle(
      () => find(exchange),
      (answer) => finish(exchange, answer),
      (error) =>
        error instanceof ClientGone ? logRequest(exchange, 'gone') : finish(exchange, failed(exchange, error)),
    )
  }

  function find(exchange: Exchange): Soon<Answer> {
    const { req } = exchange
    exchange.path = targetPath(req.url ?? '')
    if (req.headers.host === undefined && req.httpVersion === '1.1')
      throw new ProblemError('bad_request', 'The request has no Host header.')
    exchange.route = routes.get(exchange.path)
    if (exchange.route !== undefined) return operate(exchange, exchange.route)
    return leaveApi(exchange)
  }

  function leaveApi(exchange: Exchange): Promise<Answer> {
    const { path } = exchange
    const page = parts.pages.find(({ matches }) => matches(path))
    const face = parts.privateFace?.matches(path) ? parts.privateFace : undefined
    exchange.isForApi = page === undefined && face === undefined
    if (page !== undefined) return show(exchange, page)
    if (face !== undefined) return face.answer(exchange)
    throw new ProblemError('not_found', 'This path is not one of this service.')
  }

  function operate(exchange: Exchange, { operation, allow }: Route): Soon<Answer> {
    const { method } = exchange
    if (!operation.methods.includes(method)) {
      exchange.ownHeaders = ['Allow', allow]
      if (method === 'OPTIONS' && operation.answersOptions) return NO_CONTENT
      throw new ProblemError('method_not_allowed', `Only ${allow} can be used here; this service is read-only.`)
    }
    return andThen(parts.admit(exchange, parts.turns.current()), (admission) => {
      exchange.admission = admission
      if (isOver(admission.quota, admission.window)) throw overQuota(exchange, admission, operation)
      return operation.answer(exchange, admission)
    })
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
    if (exchange.method === 'GET' || exchange.method === 'HEAD') return page.answer(exchange.path, exchange.req)
    exchange.ownHeaders = ['Allow', 'GET, HEAD']
    throw new ProblemError('method_not_allowed', 'Only GET, HEAD can be used here.')
  }

  function failed(exchange: Exchange, error: unknown): Answer {
    const problem =
      error instanceof ProblemError
        ? error
        : error instanceof StoreBusyError
          ? overloaded(exchange)
          : unexpected(exchange, error)
    exchange.refusal = problem.code
    if (problem.code === 'unauthorized') exchange.ownHeaders = challenge(exchange)
    const namesInstance = exchange.route?.operation.problemsNameInstance ?? false
    return problemAnswer(problem, parts.publicUrl, namesInstance ? exchange.requestId : undefined)
  }

  function overloaded(exchange: Exchange): ProblemError {
    exchange.ownHeaders = ['Retry-After', String(RETRY_SECONDS)]
    return new ProblemError('overloaded', 'Too many requests wait for the database already.')
  }

  function unexpected(exchange: Exchange, error: unknown): ProblemError {
    exchange.report(error)
    return new ProblemError('internal_error', `The server failed; the request id is ${exchange.requestId}.`)
  }

  function finish(exchange: Exchange, answer: Answer): void {
    if (parts.isStopping()) exchange.res.shouldKeepAlive = false
    send(exchange, answer, headersOf(exchange))
    logRequest(exchange, answer.status)
    parts.lookout(exchange)
  }

  function headersOf({ admission, isForApi, route, ownHeaders, requestId }: Exchange): string[] {
    const headers = ['X-Request-Id', requestId]
    if (admission !== undefined) addWindow(headers, admission)
    else if (isForApi) addPolicy(headers, parts.quota)
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

/** What waits for the store is done with, or given up on, within seconds. */
const RETRY_SECONDS = 2

const NO_CONTENT: Answer = { status: 204, headers: [], body: [] }

const challenge = (exchange: Exchange) => [
  'WWW-Authenticate',
  carriesToken(exchange.header('authorization'))
    ? 'Bearer realm="vitrine", error="invalid_token"'
    : 'Bearer realm="vitrine"',
]
