import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { Quota } from '../database/store.ts'
import type { Occupancy } from '../lib/fair-share.ts'
import { logLine } from '../log-lines.ts'
import { hasBody } from './body.ts'
import { type ConnectionLimits, limitConnections } from './connection-limits.ts'
import type { Handler } from './handler.ts'
import { IncomingRequest } from './incoming-request.ts'
import { describeFailure, throttled } from './logging.ts'
import { OutgoingResponse } from './outgoing-response.ts'
import { createParserFaultHandler } from './parser-faults.ts'
import { Pipelining, type PipeliningOptions } from './pipelining.ts'
import { whenAnswered } from './served-socket.ts'
import { StalledReaders } from './stalled-readers.ts'

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

const connections = new WeakMap<Server, ReadonlySet<Socket>>()
const figures = new WeakMap<Server, () => ServerFigures>()

export interface ServerFigures {
  connections: Occupancy
  /** Since the start, because too many were open. */
  refusedConnections: number
  /** Requests that wait until those before them on their connection are answered. */
  pipelined: Occupancy
}

export function serverFiguresOf(server: Server): ServerFigures {
  const read = figures.get(server)
  if (read === undefined) throw new Error('not a server of createHttpServer')
  return read()
}

/** Every open socket, including those that Node has detached (CONNECT). */
export const connectionsOf = (server: Server): ReadonlySet<Socket> => connections.get(server) ?? new Set()

/**
 * HTTP/1.0 has no chunked coding, and no other coding is decoded here: a proxy in front may see the end of the body elsewhere,
 * and another request behind it (request smuggling; RFC 9112, 6.1). The connection is closed after the response.
 */
function hasAmbiguousLength({ httpVersionMinor, headers }: IncomingRequest): boolean {
  const coding = headers['transfer-encoding']
  return coding !== undefined && (httpVersionMinor === 0 || coding.toLowerCase() !== 'chunked')
}

interface ServerOptions extends Omit<PipeliningOptions, 'onTooMany'> {
  publicUrl: string
  quota: Quota
  log: Logger
  limits: ServerLimits
  connections: ConnectionLimits
  /** Called for every answer to what is not even a request. */
  observeFault?: ((status: number) => void) | undefined
}

/** A server, not yet listening. It never sends Node's own error responses: those are problems, too. */
export function createHttpServer(handle: Handler, options: ServerOptions): Server {
  // A request with a body is handled in a microtask, when all that arrived with its head has been parsed: by then most often
  // the body is complete, or the parser has failed.
  function onRequest(req: IncomingRequest, res: OutgoingResponse): void {
    if (!hasBody(req)) {
      handleSafely(req, res)
      return
    }
    if (hasAmbiguousLength(req)) res.shouldKeepAlive = false
    Promise.resolve().then(() => req.socket.writableEnded || handleSafely(req, res))
  }
  function onConnect(req: IncomingRequest, socket: Socket): void {
    if (socket.destroyed) return
    const res = new OutgoingResponse(req)
    res.shouldKeepAlive = false
    res.assignSocket(socket)
    res.on('finish', () => socket.destroySoon())
    onRequest(req, res)
  }
  // A failure of one request, even while it is answered, must not end the others.
  function handleSafely(req: IncomingRequest, res: OutgoingResponse): void {
    try {
      const handled = handle(req, res)
      if (handled instanceof Promise) handled.catch((error) => abort(res, error))
    } catch (error) {
      abort(res, error)
    }
  }
  function abort(res: OutgoingResponse, error: unknown): void {
    logLine(options.log, 'responseFailed', { failure: describeFailure(error) })
    res.destroy()
  }
  const server = createServer(
    {
      headersTimeout: options.limits.headersTimeoutMs,
      requestTimeout: options.limits.requestTimeoutMs,
      connectionsCheckingInterval: options.limits.checkIntervalMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Node would answer 400 with an empty body; the handler answers with a problem.
      requireHostHeader: false,
      // Two Authorization headers make an invalid key, instead of the first one counting.
      joinDuplicateHeaders: true,
      // Without a body no stream is opened, which would be a fifth of what a small response costs.
      optimizeEmptyRequests: true,
      IncomingMessage: IncomingRequest,
      ServerResponse: OutgoingResponse,
    },
    onRequest,
  )
  server.on('checkContinue', onRequest)
  server.on('checkExpectation', onRequest)
  server.on('connect', (req: IncomingRequest, socket: Socket) => {
    // Node has detached this socket, so its errors are ours to handle.
    socket.on('error', () => socket.destroy())
    // Earlier requests of the connection are answered first: a socket takes one response at a time.
    pipelining.afterEarlier(socket, () => whenAnswered(socket, () => onConnect(req, socket)))
  })
  const pipelining = new Pipelining({
    isBusy: options.isBusy,
    afterTick: options.afterTick,
    onTooMany: throttled((times) => logLine(options.log, 'pipelinesClosed', { times })),
  })
  const open = new Set<Socket>()
  connections.set(server, open)
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    pipelining.watch(socket)
  })
  const refused = limitConnections(server, options.connections, options.log)
  figures.set(server, () => ({
    connections: { current: open.size, limit: options.connections.max },
    refusedConnections: refused.count,
    pipelined: pipelining.waiting,
  }))
  watchStalledReaders(server, open, options)
  const respondToFault = createParserFaultHandler(options.publicUrl, options.quota, options.log, options.observeFault)
  server.on('clientError', (error, socket) =>
    pipelining.fail(socket as Socket, () => respondToFault(error, socket as Socket)),
  )
  return server
}

function watchStalledReaders(server: Server, open: ReadonlySet<Socket>, { limits, log }: ServerOptions): void {
  const stalled = new StalledReaders(limits.stallTimeoutMs)
  const warn = throttled((times) => logLine(log, 'stalledClosed', { times }))
  const timer = setInterval(() => {
    for (const socket of stalled.find(open, performance.now())) {
      socket.destroy()
      warn()
    }
  }, limits.checkIntervalMs).unref()
  server.once('close', () => clearInterval(timer))
}
