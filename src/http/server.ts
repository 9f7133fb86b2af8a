import type { Socket } from 'node:net'
import { Server } from '../lib/node-http.ts'
import { logLine } from '../log-lines.ts'
import { type Connections, stalledReaders } from './connections.ts'
import { Exchange } from './exchange.ts'
import type { Handler } from './handler.ts'
import { throttled } from './logging.ts'
import {
  IncomingRequest,
  OutgoingResponse,
  onResponsesSent,
  respondAfterHalfClose,
  stopParsingWhenDestroyed,
} from './node-internals.ts'
import { createParserErrorHandler, type ParserErrorOptions } from './parser-errors.ts'
import { createPipelining } from './pipelining.ts'

export const defaultLimits = {
  /** An idle connection takes about 15 KB, so they take 150 MB. */
  connections: 10_000,
  /** Requests that are waiting for the database or for their body. */
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

export type ServerStats = HttpServer['stats']

interface ServerOptions extends ParserErrorOptions {
  limits: ServerLimits
  trustedProxies: number
  connections: Connections
  /** While true, each connection may have one pending response. */
  isBusy: () => boolean
  afterTick: (task: () => void) => void
}

/** Never sends Node's own error responses: every error is a problem or an OAuth error. */
export class HttpServer extends Server<typeof IncomingRequest, typeof OutgoingResponse> {
  readonly #handle: Handler
  readonly #options: ServerOptions
  readonly #pipelining: ReturnType<typeof createPipelining>
  #isStopAnnounced = false

  constructor(handle: Handler, options: ServerOptions) {
    const { limits, log } = options
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
      IncomingMessage: IncomingRequest,
      ServerResponse: OutgoingResponse,
    })
    respondAfterHalfClose(this)
    this.#handle = handle
    this.#options = options
    this.#pipelining = createPipelining({
      serve: (req, res) => this.#serve(req, res),
      isBusy: options.isBusy,
      afterTick: options.afterTick,
      onTooMany: throttled((times) => logLine(log, 'pipelinesClosed', { times })),
    })
    const onRequest = (req: IncomingRequest, res: OutgoingResponse) =>
      res.socket === null ? this.#pipelining.schedule(req, res) : this.#serve(req, res)
    this.on('request', onRequest).on('checkContinue', onRequest).on('checkExpectation', onRequest)
    this.on('connect', (req: IncomingRequest, socket: Socket) => this.#onConnect(req, socket))
    this.on('connection', (socket: Socket) => {
      options.connections.add(socket)
      stopParsingWhenDestroyed(socket)
    })
    this.on('clientError', createParserErrorHandler(options))
    this.#closeStalledReaders(limits)
  }

  /** Includes sockets that Node has detached (CONNECT). */
  get openSockets(): ReadonlySet<Socket> {
    return this.#options.connections.open
  }

  get stats() {
    const { occupancy, refused } = this.#options.connections
    return { connections: occupancy, refusedConnections: refused, pipelined: this.#pipelining.occupancy() }
  }

  get isStopping(): boolean {
    return this.#isStopAnnounced || !this.listening
  }

  /** Fails /readyz and closes connections after their responses, so that load balancers switch away in time. */
  announceStop(): void {
    this.#isStopAnnounced = true
  }

  /** Defers a request with a body by a microtask. By then the body is usually complete, or the parser has failed. */
  #serve(req: IncomingRequest, res: OutgoingResponse): void {
    if (!req.hasBody) {
      this.#handleSafely(req, res)
      return
    }
    if (hasAmbiguousLength(req)) res.shouldKeepAlive = false
    Promise.resolve().then(() => req.socket.writableEnded || this.#handleSafely(req, res))
  }

  /** One request's failure must not affect others. */
  #handleSafely(req: IncomingRequest, res: OutgoingResponse): void {
    try {
      const handled = this.#handle(new Exchange(req, res, this.#options.trustedProxies, this.#options.log))
      if (handled instanceof Promise) handled.catch((error) => this.#abort(res, error))
    } catch (error) {
      this.#abort(res, error)
    }
  }

  #abort(res: OutgoingResponse, error: unknown): void {
    logLine(this.#options.log, 'responseFailed', { failure: error })
    res.destroy()
  }

  /** Node detaches the socket on CONNECT, so errors and the response are handled here. */
  #onConnect(req: IncomingRequest, socket: Socket): void {
    socket.on('error', () => socket.destroy())
    // A socket takes one response at a time, so earlier ones go first.
    onResponsesSent(socket, () => {
      if (socket.destroyed) return
      const res = new OutgoingResponse(req)
      res.shouldKeepAlive = false
      res.assignSocket(socket)
      res.on('finish', () => socket.destroySoon())
      this.#serve(req, res)
    })
  }

  #closeStalledReaders({ stallTimeoutMs, checkIntervalMs }: ServerLimits): void {
    const findStalled = stalledReaders(stallTimeoutMs)
    const warn = throttled((times) => logLine(this.#options.log, 'stalledClosed', { times }))
    const timer = setInterval(() => {
      for (const socket of findStalled(this.openSockets, performance.now())) {
        socket.destroy()
        warn()
      }
    }, checkIntervalMs).unref()
    this.once('close', () => clearInterval(timer))
  }
}

/** Prevents request smuggling (RFC 9112, 6.1): a proxy might disagree about where such a body ends. */
function hasAmbiguousLength({ httpVersionMinor, headers }: IncomingRequest): boolean {
  const coding = headers['transfer-encoding']
  return coding !== undefined && (httpVersionMinor === 0 || coding.toLowerCase() !== 'chunked')
}
