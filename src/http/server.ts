import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { Quota } from '../storage/store.ts'
import { describeFailure } from './failure-log.ts'
import type { Handler } from './handler.ts'
import { parserFaultAnswerer } from './parser-faults.ts'

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
  // Whatever goes wrong with one request, even in answering it, is no reason to end the others.
  function safely(req: IncomingMessage, res: ServerResponse): void {
    handle(req, res).catch((error) => {
      parts.log.error({ failure: describeFailure(error) }, 'an answer could not be sent')
      res.destroy()
    })
  }
  const server = createServer(
    {
      headersTimeout: parts.limits.headersTimeoutMs,
      requestTimeout: parts.limits.requestTimeoutMs,
      connectionsCheckingInterval: parts.limits.checkIntervalMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Node would answer 400 with an empty body; the handler answers with a problem.
      requireHostHeader: false,
    },
    safely,
  )
  server.on('checkContinue', safely)
  server.on('checkExpectation', safely)
  server.on('connect', (req: IncomingMessage, socket: Socket) => {
    // Node has let go of this socket: what it does for others is up to us.
    socket.on('error', () => socket.destroy())
    const res = new ServerResponse(req)
    res.shouldKeepAlive = false
    res.assignSocket(socket)
    res.on('finish', () => socket.destroySoon())
    safely(req, res)
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
