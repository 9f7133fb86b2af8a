import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { Quota } from '../database/store.ts'
import { settle } from '../lib/maybe-promise.ts'
import { announcesBody } from './body.ts'
import { type ConnectionLimits, limitConnections } from './connection-limits.ts'
import type { Handler } from './handler.ts'
import { describeFailure, throttled } from './logging.ts'
import { parserFaultAnswerer } from './parser-faults.ts'
import { Pipelining, type PipeliningOptions } from './pipelining.ts'
import { whenAnswered } from './served-socket.ts'
import { StalledReaders } from './stalled-readers.ts'

export interface ServerLimits {
  headersTimeoutMs: number
  requestTimeoutMs: number
  checkIntervalMs: number
  /** A client that takes nothing of the answers that wait for it is left after so long. */
  stallTimeoutMs: number
}

export const defaultLimits: ServerLimits = {
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 30_000,
  checkIntervalMs: 5_000,
  stallTimeoutMs: 30_000,
}

/** Longer than the minute that most load balancers keep an idle connection, so that it is they who close it. */
const KEEP_ALIVE_MS = 65_000

const connections = new WeakMap<Server, ReadonlySet<Socket>>()

/** Every socket that is open, also those that Node has let go of. */
export const connectionsOf = (server: Server): ReadonlySet<Socket> => connections.get(server) ?? new Set()

/**
 * HTTP/1.0 knows no chunks, and codings other than chunks are not undone here: whoever passed the request on may see
 * another end of its body, and a request behind it (RFC 9112, 6.1). The connection is closed after the answer.
 */
function hasDoubtfulEnd({ httpVersionMinor, headers }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding']
  return coding !== undefined && (httpVersionMinor === 0 || coding.toLowerCase() !== 'chunked')
}

interface ServerParts extends Omit<PipeliningOptions, 'onTooMany'> {
  publicUrl: string
  quota: Quota
  log: Logger
  limits: ServerLimits
  connections: ConnectionLimits
}

/** A server, not yet listening, that answers everything with the handler or with a problem, never with Node's own text. */
export function createHttpServer(handle: Handler, parts: ServerParts): Server {
  // A request with a body is looked at when all that came with its head has been parsed: then the parser has had its
  // say, and most often the whole body lies ready.
  function take(req: IncomingMessage, res: ServerResponse): void {
    if (hasDoubtfulEnd(req)) res.shouldKeepAlive = false
    if (announcesBody(req)) Promise.resolve().then(() => req.socket.writableEnded || safely(req, res))
    else safely(req, res)
  }
  function takeLast(req: IncomingMessage, socket: Socket): void {
    if (socket.destroyed) return
    const res = new ServerResponse(req)
    res.shouldKeepAlive = false
    res.assignSocket(socket)
    res.on('finish', () => socket.destroySoon())
    take(req, res)
  }
  // Whatever goes wrong with one request, even in answering it, is no reason to end the others.
  function safely(req: IncomingMessage, res: ServerResponse): void {
    void settle(
      () => handle(req, res),
      () => {},
      (error) => giveUp(res, error),
    )
  }
  function giveUp(res: ServerResponse, error: unknown): void {
    parts.log.error({ failure: describeFailure(error) }, 'an answer could not be sent')
    res.destroy()
  }
  const server = createServer(
    {
      headersTimeout: parts.limits.headersTimeoutMs,
      requestTimeout: parts.limits.requestTimeoutMs,
      connectionsCheckingInterval: parts.limits.checkIntervalMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Node would answer 400 with an empty body; the handler answers with a problem.
      requireHostHeader: false,
      // Two keys in one request are none, and not the first of them.
      joinDuplicateHeaders: true,
      // A request without a body is spared the life of a stream, which is a fifth of what a small answer costs.
      optimizeEmptyRequests: true,
    },
    take,
  )
  server.on('checkContinue', take)
  server.on('checkExpectation', take)
  server.on('connect', (req: IncomingMessage, socket: Socket) => {
    // Node has let go of this socket: what it does for others is up to us.
    socket.on('error', () => socket.destroy())
    // Requests before it on the connection may not be answered yet, and a socket takes one response at a time.
    pipelining.inTurn(socket, () => whenAnswered(socket, () => takeLast(req, socket)))
  })
  const pipelining = new Pipelining({
    isBusy: parts.isBusy,
    later: parts.later,
    onTooMany: throttled((times) =>
      parts.log.warn({ times }, 'closed connections that sent too many requests at once'),
    ),
  })
  const open = new Set<Socket>()
  connections.set(server, open)
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    pipelining.watch(socket)
  })
  limitConnections(server, parts.connections, parts.log)
  closeStalled(server, open, parts)
  const answerFault = parserFaultAnswerer(parts.publicUrl, parts.quota, parts.log)
  server.on('clientError', (error, socket) =>
    pipelining.fail(socket as Socket, () => answerFault(error, socket as Socket)),
  )
  return server
}

function closeStalled(server: Server, open: ReadonlySet<Socket>, { limits, log }: ServerParts): void {
  const stalled = new StalledReaders(limits.stallTimeoutMs)
  const warn = throttled((times) => log.warn({ times }, 'closed connections whose client did not read its answers'))
  const timer = setInterval(() => {
    for (const socket of stalled.find(open, performance.now())) {
      socket.destroy()
      warn()
    }
  }, limits.checkIntervalMs).unref()
  server.once('close', () => clearInterval(timer))
}
