import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { settle } from '../soon.ts'
import type { Quota } from '../storage/store.ts'
import { announcesBody } from './body.ts'
import { describeFailure } from './failure-log.ts'
import type { Handler } from './handler.ts'
import { parserFaultAnswerer } from './parser-faults.ts'
import { whenAnswered } from './served-socket.ts'

export interface ServerLimits {
  headersTimeoutMs: number
  requestTimeoutMs: number
  checkIntervalMs: number
}

export const defaultLimits: ServerLimits = {
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 30_000,
  checkIntervalMs: 5_000,
}

/** Longer than the minute that most load balancers keep an idle connection, so that it is they who close it. */
const KEEP_ALIVE_MS = 65_000

const connections = new WeakMap<Server, ReadonlySet<Socket>>()

/** Every socket that is open, also those that Node has let go of. */
export const connectionsOf = (server: Server): ReadonlySet<Socket> => connections.get(server) ?? new Set()

/** A server, not yet listening, that answers everything with the handler or with a problem, never with Node's own text. */
export function makeServer(
  handle: Handler,
  parts: { publicUrl: string; quota: Quota; log: Logger; limits: ServerLimits },
): Server {
  // A request with a body is looked at when all that came with its head has been parsed: then the parser has had its
  // say, and most often the whole body lies ready.
  function take(req: IncomingMessage, res: ServerResponse): void {
    if (announcesBody(req)) Promise.resolve().then(() => req.socket.writableEnded || safely(req, res))
    else safely(req, res)
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
    whenAnswered(socket, () => {
      if (socket.destroyed) return
      const res = new ServerResponse(req)
      res.shouldKeepAlive = false
      res.assignSocket(socket)
      res.on('finish', () => socket.destroySoon())
      take(req, res)
    })
  })
  const open = new Set<Socket>()
  connections.set(server, open)
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  server.on('clientError', parserFaultAnswerer(parts.publicUrl, parts.quota, parts.log))
  return server
}
