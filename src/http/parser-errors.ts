import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { pairsOf } from '../lib/http-headers.ts'
import type { Logger } from '../lib/logger.ts'
import { STATUS_CODES } from '../lib/node-http.ts'
import type { Quota } from '../lib/rate-windows.ts'
import type { ProblemCode } from '../problems/catalogue.ts'
import { ProblemError } from '../problems/problem.ts'
import { ClientGone } from './body.ts'
import type { Connections } from './connections.ts'
import { type ErrorOptions, endSocket, errorResponse, lengthOf, quotaPolicyHeaders } from './responses.ts'

type ParserError = Error & { code?: string }

export interface ParserErrorOptions extends ErrorOptions {
  quota: Quota
  log: Logger
  /** Called for every response to input that is not a valid request. */
  observeParserError?: ((status: number) => void) | undefined
}

/** Responds to malformed request lines, unknown methods, oversize headers, timeouts and CONNECT, for which Node has no response object. */
export function createParserErrorHandler(options: ParserErrorOptions, connections: Connections) {
  const { quota, log, observeParserError } = options
  const failedSockets = new WeakSet<Socket>()

  function respond(socket: Socket, problem: ProblemError, fault: string | undefined): void {
    const requestId = randomUUID()
    const { status, headers, body } = errorResponse(problem, options, '')
    const all = [
      ...['Date', new Date().toUTCString(), 'Connection', 'close', 'X-Request-Id', requestId],
      ...[...quotaPolicyHeaders(quota), ...problem.headers, ...headers, 'Content-Length', String(lengthOf(body))],
    ]
    const lines = pairsOf(all).map(([name, value]) => `${name}: ${value}\r\n`)
    const head = Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`)
    endSocket(socket, Buffer.concat([head, ...body]))
    observeParserError?.(status)
    log.write('info', { requestId, status, fault })
  }

  return {
    /** Only the first error of a connection counts. */
    onError(error: ParserError, socket: Socket): void {
      if (failedSockets.has(socket)) return
      failedSockets.add(socket)
      const [code, detail] = problems[error.code ?? ''] ?? MALFORMED
      const problem = new ProblemError(code, detail)
      const latest = connections.latestRequest(socket)
      if (!socket.writable || error.code === 'ECONNRESET') socket.destroy()
      else if (latest === undefined || latest.req.complete)
        connections.afterResponses(socket, () => respond(socket, problem, error.code))
      else {
        // The error is in the body. A client that disconnects looks like one that half-closes its connection.
        latest.failBody(error.code === 'HPE_INVALID_EOF_STATE' ? new ClientGone(error.message) : problem)
        connections.afterResponses(socket, () => endSocket(socket))
      }
    },

    /** Waits for the responses to earlier requests. */
    refuseTunnel(socket: Socket, problem: ProblemError): void {
      socket.on('error', () => socket.destroy())
      connections.afterResponses(socket, () => respond(socket, problem, 'CONNECT'))
    },
  }
}

const problems: Readonly<Record<string, readonly [code: ProblemCode, detail: string]>> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The request line and headers are over 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The complete request did not arrive in time.'],
  HPE_INVALID_METHOD: ['bad_request', 'The request line does not begin with a known HTTP method.'],
}
const MALFORMED = ['bad_request', 'The request is not well-formed HTTP/1.1.'] as const
