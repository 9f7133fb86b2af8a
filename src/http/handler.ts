import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { type Admit, carriesToken } from '../gate/admit.ts'
import type { Lookout } from '../gate/lookout.ts'
import { isOver, secondsToReset } from '../gate/quota.ts'
import { redactTokens } from '../gate/token.ts'
import { type Lifecycle, lifecycleHeaders } from '../lifecycle.ts'
import type { Answer, Operation, PrivateFace } from '../operation.ts'
import type { ProblemCode } from '../problems/catalogue.ts'
import { ProblemError } from '../problems/problem.ts'
import type { Caller } from '../storage/caller.ts'
import type { Quota } from '../storage/store.ts'
import { ClientGone, readBody } from './body.ts'
import { clientAddress } from './client-address.ts'
import { describeFailure } from './failure-log.ts'
import { headerOf } from './header.ts'
import type { Page } from './page.ts'
import { problemAnswer } from './problem-answer.ts'
import { policyHeaders, windowHeaders } from './rate-limit-headers.ts'
import { requestLog } from './request-log.ts'
import { targetPath, targetQuery } from './target.ts'
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

/** What became known of a request on its way; each step adds to it, and the answer and the log line end it. */
interface Exchange {
  req: IncomingMessage
  res: ServerResponse
  id: string
  startedAt: number
  path: string
  keyId: string | undefined
  refusal: ProblemCode | undefined
  caller: Caller
  /** Sent with whatever answer it gets, names and values in turn. */
  headers: string[]
  problemsNameInstance: boolean
}

/** An operation with what is the same for all its requests. */
interface Route {
  operation: Operation
  allow: string
  lifecycle: readonly string[]
}

export type Handler = (req: IncomingMessage, res: ServerResponse) => Promise<void>

/** Every request walks one line: path, method, key, quota, then the operation's own answer. */
export function makeHandler(parts: HandlerParts): Handler {
  const defaultPolicy = policyHeaders(parts.quota)
  const writeLine = requestLog(parts.log)
  const routes = new Map<string, Route>(
    parts.operations.map((operation) => [
      operation.path,
      {
        operation,
        allow: operation.methods.join(', '),
        lifecycle: lifecycleHeaders(parts.lifecycle.get(operation.path)),
      },
    ]),
  )

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const exchange: Exchange = {
      req,
      res,
      id: randomUUID(),
      startedAt: performance.now(),
      path: '',
      keyId: undefined,
      refusal: undefined,
      caller: { address: clientAddress(req, parts.trustedProxies), agent: headerOf(req, 'user-agent') },
      headers: [],
      problemsNameInstance: false,
    }
    let answer: Answer
    try {
      answer = await find(exchange)
    } catch (error) {
      if (error instanceof ClientGone) return logRequest(exchange, 'gone')
      answer = failed(exchange, error)
    }
    if (parts.isStopping()) res.shouldKeepAlive = false
    send(exchange, answer)
    logRequest(exchange, answer.status)
    watch(exchange)
  }

  async function find(exchange: Exchange): Promise<Answer> {
    const { req } = exchange
    exchange.headers = defaultPolicy
    exchange.path = targetPath(req.url ?? '')
    if (headerOf(req, 'host') === undefined && req.httpVersion === '1.1')
      throw new ProblemError('bad_request', 'The request has no Host header.')
    const route = routes.get(exchange.path)
    if (route !== undefined) return operate(exchange, route)
    if (parts.privateFace?.matches(exchange.path)) return answerPrivately(exchange, parts.privateFace)
    const page = parts.pages.find(({ matches }) => matches(exchange.path))
    if (page !== undefined) return show(exchange, page)
    throw new ProblemError('not_found', 'This path is not one of this service.')
  }

  async function operate(exchange: Exchange, { operation, allow, lifecycle }: Route): Promise<Answer> {
    const { req, res, id } = exchange
    const method = req.method ?? ''
    exchange.problemsNameInstance = operation.problemsNameInstance
    exchange.headers = [...defaultPolicy, ...lifecycle]
    if (!operation.methods.includes(method)) {
      exchange.headers.push('Allow', allow)
      if (method === 'OPTIONS' && operation.answersOptions) return NO_CONTENT
      throw new ProblemError('method_not_allowed', `Only ${allow} can be used here; this service is read-only.`)
    }
    const admission = await parts.admit(headerOf(req, 'authorization'), parts.turns.current(), exchange.caller)
    exchange.keyId = admission.keyId
    exchange.headers = [...windowHeaders(admission), ...lifecycle]
    if (isOver(admission.quota, admission.window)) {
      const seconds = secondsToReset(admission.window, admission.now)
      exchange.headers.push('Retry-After', String(seconds), ...operation.rateLimitedHeaders)
      throw new ProblemError('rate_limited', `The quota of this key is used up; it is whole again in ${seconds} s.`)
    }
    return operation.answer({
      method,
      header: (name) => headerOf(req, name),
      body: (maxBytes, tooLarge) => readBody(req, res, maxBytes, tooLarge),
      admission,
      requestId: id,
      report: (error) => logFailure(exchange, error),
      noteForbidden: () => {
        exchange.refusal = 'forbidden'
      },
    })
  }

  function answerPrivately(exchange: Exchange, face: PrivateFace): Promise<Answer> {
    const { req, res, id, path, caller } = exchange
    exchange.headers = []
    return face.answer({
      method: req.method ?? '',
      path,
      query: targetQuery(req.url ?? ''),
      header: (name) => headerOf(req, name),
      body: (maxBytes, tooLarge) => readBody(req, res, maxBytes, tooLarge),
      caller,
      requestId: id,
      report: (error) => logFailure(exchange, error),
    })
  }

  function show(exchange: Exchange, page: Page): Promise<Answer> {
    exchange.headers = []
    if (exchange.req.method === 'GET' || exchange.req.method === 'HEAD') return page.answer(exchange.path, exchange.req)
    exchange.headers.push('Allow', 'GET, HEAD')
    throw new ProblemError('method_not_allowed', 'Only GET, HEAD can be used here.')
  }

  function failed(exchange: Exchange, error: unknown): Answer {
    const problem = error instanceof ProblemError ? error : unexpected(exchange, error)
    exchange.refusal = problem.code
    if (problem.code === 'unauthorized') exchange.headers.push(...challenge(exchange.req))
    return problemAnswer(problem, parts.publicUrl, exchange.problemsNameInstance ? exchange.id : undefined)
  }

  function unexpected(exchange: Exchange, error: unknown): ProblemError {
    logFailure(exchange, error)
    return new ProblemError('internal_error', `The server failed; the request id is ${exchange.id}.`)
  }

  function logRequest(exchange: Exchange, status: number | 'gone'): void {
    writeLine({
      requestId: exchange.id,
      method: exchange.req.method ?? '',
      path: redactTokens(exchange.path),
      status,
      keyId: exchange.keyId,
      client: exchange.caller.address ?? '',
      startedAt: exchange.startedAt,
    })
  }

  function watch({ req, keyId, refusal, caller }: Exchange): void {
    parts.lookout({ url: req.url ?? '', header: (name) => headerOf(req, name), keyId, refusal, caller })
  }

  function logFailure(exchange: Exchange, error: unknown): void {
    parts.log.error(
      { requestId: exchange.id, keyId: exchange.keyId, failure: describeFailure(error) },
      'request failed',
    )
  }

  return handle
}

const NO_CONTENT: Answer = { status: 204, headers: [], body: [] }

const challenge = (req: IncomingMessage) => [
  'WWW-Authenticate',
  carriesToken(headerOf(req, 'authorization'))
    ? 'Bearer realm="vitrine", error="invalid_token"'
    : 'Bearer realm="vitrine"',
]

function lengthOf(body: readonly Buffer[]): number {
  let length = 0
  for (const part of body) length += part.length
  return length
}

const SMALL_BYTES = 8192

const hasNoLength = (status: number) => status === 204 || status === 304

function send({ res, id, headers }: Exchange, answer: Answer): void {
  if (res.destroyed) return
  const all = [...answer.headers, ...headers, 'X-Request-Id', id]
  const length = lengthOf(answer.body)
  if (!hasNoLength(answer.status)) all.push('Content-Length', String(length))
  res.writeHead(answer.status, all)
  // Small parts are joined, large ones sent one after the other: each is the cheaper way for its size.
  const parts = length <= SMALL_BYTES && answer.body.length > 1 ? [Buffer.concat(answer.body, length)] : answer.body
  const last = parts.length - 1
  for (let i = 0; i < last; i++) res.write(parts[i])
  res.end(parts[last])
}
