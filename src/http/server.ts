import { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { Quota } from '../database/store.ts'
import type { Occupancy } from '../lib/fair-share.ts'
import { logLine } from '../log-lines.ts'
import { hasBody } from './body.ts'
import { Connections, StalledReaders } from './connections.ts'
import type { Handler } from './handler.ts'
import { describeFailure, throttled } from './logging.ts'
import { IncomingRequest, OutgoingResponse, whenAnswered } from './node-internals.ts'
import { createParserFaultHandler } from './parser-faults.ts'
import { Pipelining } from './pipelining.ts'

export interface ServerLimits {
  headersTimeoutMs: number
  requestTimeoutMs: number
  checkIntervalMs: number
  /** A client that reads nothing of its responses for this long is disconnected. */
  stallTimeoutMs: number
}

export const defaultLimits: ServerLimits = {
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 30_000,
  checkIntervalMs: 5_000,
  stallTimeoutMs: 30_000,
}

/** Longer than the 60 s after which most load balancers close an idle connection, so that they close it first. */
const KEEP_ALIVE_MS = 65_000

export interface ServerFigures {
  connections: Occupancy
  /** Since the start, because too many were open. */
  refusedConnections: number
  /** Requests that wait until those before them on their connection are answered. */
  pipelined: Occupancy
}

interface ServerOptions {
  publicUrl: string
  quota: Quota
  log: Logger
  limits: ServerLimits
  workers: number
  trustedProxies: number
  /** While true, each connection may have one unanswered request. */
  isBusy: () => boolean
  /** Runs a task after the current tick of the event loop. */
  afterTick: (task: () => void) => void
  /** Called for every response to what is not even a request. */
  observeFault?: ((status: number) => void) | undefined
}

/** A server, not yet listening. It never sends Node's own error responses: those are problems, too. */
export class HttpServer extends Server<typeof IncomingRequest, typeof OutgoingResponse> {
  readonly #handle: Handler
  readonly #log: Logger
  readonly #connections: Connections
  readonly #pipelining: Pipelining
  #isStopAnnounced = false

  constructor(handle: Handler, options: ServerOptions) {
    const { limits, log } = options
    super({
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: limits.checkIntervalMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Node would answer 400 with an empty body; the handler answers with a problem.
      requireHostHeader: false,
      // Two Authorization headers make an invalid key, instead of the first one counting.
      joinDuplicateHeaders: true,
      // Without a body no stream is opened, which would be a fifth of what a small response costs.
      optimizeEmptyRequests: true,
      IncomingMessage: IncomingRequest,
      ServerResponse: OutgoingResponse,
    })
    this.#handle = handle
    this.#log = log
    this.#connections = new Connections(options, log)
    this.#pipelining = new Pipelining({
      isBusy: options.isBusy,
      afterTick: options.afterTick,
      onTooMany: throttled((times) => logLine(log, 'pipelinesClosed', { times })),
    })
    const onRequest = (req: IncomingRequest, res: OutgoingResponse) =>
      this.#pipelining.schedule(req.socket, res, () => this.#serve(req, res))
    this.on('request', onRequest).on('checkContinue', onRequest).on('checkExpectation', onRequest)
    this.on('connect', (req: IncomingRequest, socket: Socket) => this.#onConnect(req, socket))
    this.on('connection', (socket: Socket) => this.#connections.add(socket))
    this.on('clientError', createParserFaultHandler(options))
    this.#closeStalledReaders(limits)
  }

  /** Every open socket, including those that Node has detached (CONNECT). */
  get openSockets(): ReadonlySet<Socket> {
    return this.#connections.open
  }

  get figures(): ServerFigures {
    const { open, max, refused } = this.#connections
    return {
      connections: { current: open.size, limit: max },
      refusedConnections: refused,
      pipelined: this.#pipelining.waiting,
    }
  }

  get isStopping(): boolean {
    return this.#isStopAnnounced || !this.listening
  }

  /**
   * From now on /readyz reports that the server will stop, and every response closes its connection; requests are answered as
   * before. A load balancer that checks /readyz sends no more of them, so none meets the moment when the server stops listening.
   */
  announceStop(): void {
    this.#isStopAnnounced = true
  }

  /**
   * A request with a body is handled in a microtask, when all that arrived with its head has been parsed: by then most often
   * the body is complete, or the parser has failed.
   */
  #serve(req: IncomingRequest, res: OutgoingResponse): void {
    if (!hasBody(req)) {
      this.#handleSafely(req, res)
      return
    }
    if (hasAmbiguousLength(req)) res.shouldKeepAlive = false
    Promise.resolve().then(() => req.socket.writableEnded || this.#handleSafely(req, res))
  }

  /** A failure of one request, even while it is answered, must not end the others. */
  #handleSafely(req: IncomingRequest, res: OutgoingResponse): void {
    const abort = (error: unknown) => {
      logLine(this.#log, 'responseFailed', { failure: describeFailure(error) })
      res.destroy()
    }
    try {
      const handled = this.#handle(req, res)
      if (handled instanceof Promise) handled.catch(abort)
    } catch (error) {
      abort(error)
    }
  }

  /** CONNECT, for which Node detaches the socket: its errors and its response are ours to handle. */
  #onConnect(req: IncomingRequest, socket: Socket): void {
    socket.on('error', () => socket.destroy())
    // Earlier requests of the connection are answered first: a socket takes one response at a time.
    whenAnswered(socket, () => {
      if (socket.destroyed) return
      const res = new OutgoingResponse(req)
      res.shouldKeepAlive = false
      res.assignSocket(socket)
      res.on('finish', () => socket.destroySoon())
      this.#serve(req, res)
    })
  }

  #closeStalledReaders({ stallTimeoutMs, checkIntervalMs }: ServerLimits): void {
    const stalled = new StalledReaders(stallTimeoutMs)
    const warn = throttled((times) => logLine(this.#log, 'stalledClosed', { times }))
    const timer = setInterval(() => {
      for (const socket of stalled.find(this.openSockets, performance.now())) {
        socket.destroy()
        warn()
      }
    }, checkIntervalMs).unref()
    this.once('close', () => clearInterval(timer))
  }
}

/**
 * HTTP/1.0 has no chunked coding, and no other coding is decoded here: a proxy in front may see the end of the body elsewhere,
 * and another request behind it (request smuggling; RFC 9112, 6.1). The connection is closed after the response.
 */
function hasAmbiguousLength({ httpVersionMinor, headers }: IncomingRequest): boolean {
  const coding = headers['transfer-encoding']
  return coding !== undefined && (httpVersionMinor === 0 || coding.toLowerCase() !== 'chunked')
}
