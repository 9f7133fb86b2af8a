import type { Socket } from 'node:net'
import { type IncomingMessage, Server, type ServerResponse } from '../lib/node-http.ts'
import { logLine } from '../log-lines.ts'
import { ProblemError } from '../problems/problem.ts'
import type { Connections } from './connections.ts'
import { discard, messageClasses } from './discarded-requests.ts'
import type { Handler } from './handler.ts'
import { throttled } from './logging.ts'
import { createParserErrorHandler, type ParserErrorOptions } from './parser-errors.ts'
import { HttpRequest } from './request.ts'
import { targetPath } from './request-target.ts'
import type { Router } from './routing.ts'

export const defaultLimits = {
  /** An idle connection takes about 15 KB, so they take 150 MB. */
  connections: 10_000,
  /** Including those that wait for the database or for their body. */
  requestsInProgress: 2000,
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 30_000,
  checkIntervalMs: 5_000,
  /** A client that reads nothing for this long is disconnected. */
  stallTimeoutMs: 30_000,
}

export type ServerLimits = typeof defaultLimits

/** Longer than the usual 60 s of load balancers, so that they close idle connections first. */
const KEEP_ALIVE_MS = 65_000

interface ServerOptions extends ParserErrorOptions {
  limits: ServerLimits
  trustedProxies: number
  connections: Connections
  router: Router
  stopping: AbortController
}

/** Never sends Node's own error responses: every error is a problem or an OAuth error. */
export class HttpServer extends Server {
  readonly #handle: Handler
  readonly #options: ServerOptions

  constructor(handle: Handler, options: ServerOptions) {
    const { limits, connections } = options
    super({
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: limits.checkIntervalMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Node would send an empty 400; our handler sends a problem.
      requireHostHeader: false,
      // Makes two Authorization headers an invalid key, instead of using the first one.
      joinDuplicateHeaders: true,
      // An unneeded body stream would cost a fifth of a small response.
      optimizeEmptyRequests: true,
      ...messageClasses,
    })
    // Otherwise Node closes the connection of a client that half-closes it before its response is ready. Not documented, but public.
    Object.assign(this, { httpAllowHalfOpen: true })
    this.#handle = handle
    this.#options = options
    const parserErrors = createParserErrorHandler(options, connections)
    const onRequest = (req: IncomingMessage, res: ServerResponse) => this.#onRequest(req, res)
    this.on('request', onRequest).on('checkContinue', onRequest).on('checkExpectation', onRequest)
    this.on('connect', ({ url = '' }, socket) => parserErrors.refuseTunnel(socket as Socket, this.#tunnelProblem(url)))
    this.on('connection', (socket: Socket) => connections.add(socket))
    this.on('clientError', (error, socket) => parserErrors.onError(error, socket as Socket))
    this.#closeStalledReaders()
  }

  /** Includes those that Node has detached (CONNECT). */
  get openConnections(): Connections {
    return this.#options.connections
  }

  /** Fails /readyz and closes connections after their responses, so that load balancers switch away in time. */
  announceStop(): void {
    this.#options.stopping.abort()
  }

  #onRequest(req: IncomingMessage, res: ServerResponse): void {
    const { connections, trustedProxies, log } = this.#options
    if (req.socket.destroyed) return
    const request = new HttpRequest(req, res, trustedProxies, log)
    if (!connections.begin(request)) discard(req, res)
    else void this.#handle(request)
  }

  #tunnelProblem(target: string): ProblemError {
    const allow = this.#options.router.methodsAt(targetPath(target) ?? '')
    return allow === undefined
      ? new ProblemError('not_found', 'This service opens no tunnels.')
      : new ProblemError('method_not_allowed', 'This service opens no tunnels.', undefined, ['Allow', allow])
  }

  #closeStalledReaders(): void {
    const { connections, log } = this.#options
    const warn = throttled((times) => logLine(log, 'stalledClosed', { times }))
    this.on('timeout', (socket) => {
      const isStalled = socket.writableLength > 0
      if (isStalled) warn()
      // Any other is idle, unless its response is still being prepared.
      if (isStalled || connections.isIdle(socket)) socket.destroy()
    })
  }
}
