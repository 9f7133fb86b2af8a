import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { Quota } from '../storage/store.ts'
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

/** A server, not yet listening, that answers everything with the handler or with a problem, never with Node's own text. */
export function makeServer(
  handle: Handler,
  parts: { publicUrl: string; quota: Quota; log: Logger; limits: ServerLimits },
): Server {
  const server = createServer(
    {
      headersTimeout: parts.limits.headersTimeoutMs,
      requestTimeout: parts.limits.requestTimeoutMs,
      connectionsCheckingInterval: parts.limits.checkIntervalMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Node would answer 400 with an empty body; the handler answers with a problem.
      requireHostHeader: false,
    },
    handle,
  )
  server.on('checkContinue', handle)
  server.on('checkExpectation', handle)
  server.on('connect', (req: IncomingMessage, socket: Socket) => {
    const res = new ServerResponse(req)
    res.shouldKeepAlive = false
    res.assignSocket(socket)
    res.on('finish', () => socket.end())
    void handle(req, res)
  })
  server.on('clientError', parserFaultAnswerer(parts.publicUrl, parts.quota, parts.log))
  return server
}
