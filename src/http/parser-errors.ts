import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { bytesOf, type HttpResponse } from '../api/http-message.ts'
import { headerLines } from '../lib/header-lines.ts'
import type { Logger } from '../lib/logger.ts'
import { STATUS_CODES } from '../lib/node-http.ts'
import type { Quota } from '../lib/rate-windows.ts'
import type { ProblemCode } from '../problems/catalogue.ts'
import { ProblemError } from '../problems/problem.ts'
import { currentResponse, isReadingRequest } from './node-internals.ts'
import { type ErrorOptions, errorResponse, lengthOf, quotaPolicyLines } from './responses.ts'
import { encodedPath } from './routing.ts'

type ParserError = Error & { code?: string }

const LINGER_MS = 1000

export interface ParserErrorOptions extends ErrorOptions {
  quota: Quota
  log: Logger
  /** Called for every response to input that is not a valid request. */
  observeParserError?: ((status: number) => void) | undefined
}

/** Responds to malformed request lines, unknown methods, oversize headers and timeouts. */
export function createParserErrorHandler(options: ParserErrorOptions) {
  const { quota, log, observeParserError } = options
  const failedSockets = new WeakSet<Socket>()

  function respond(error: ParserError, socket: Socket): void {
    const current = currentResponse(socket)
    const waiting = current?.waiting
    const { requestId, firstLines } = waiting ?? unadmitted()
    const path = encodedPath(current?.req.url ?? '')
    const [code, detail] = problems[error.code ?? ''] ?? MALFORMED
    const response = errorResponse(new ProblemError(code, detail), options, path)
    const { status, headers, body } = response
    endSocket(socket, rawResponse(status, `${firstLines}${headerLines(headers)}`, body))
    // A client that disconnects looks like one that half-closes its connection, and is recorded as gone.
    if (waiting && error.code !== 'HPE_INVALID_EOF_STATE') waiting.recordFailure(code, response)
    else {
      observeParserError?.(status)
      log.write('info', { requestId, status, fault: error.code })
    }
  }

  function unadmitted() {
    const requestId = randomUUID()
    return { requestId, firstLines: `X-Request-Id: ${requestId}\r\n${quotaPolicyLines(quota)}` }
  }

  function handle(error: ParserError, socket: Socket): void {
    const current = currentResponse(socket)
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy()
    // Responses to earlier, valid requests on this connection go first.
    else if (current?.req.complete) current.once('close', () => handle(error, socket))
    // The response to the broken request was sent before its body arrived, so there is no second one.
    else if (current?.writableEnded || (!current && isReadingRequest(socket))) endSocket(socket)
    else if (current?.headersSent) socket.destroy()
    else respond(error, socket)
  }

  /** Only the first error of a connection counts. */
  return (error: ParserError, stream: Duplex): void => {
    const socket = stream as Socket
    if (failedSockets.has(socket)) return
    failedSockets.add(socket)
    handle(error, socket)
  }
}

function endSocket(socket: Socket, response: Buffer = Buffer.alloc(0)): void {
  socket.end(response)
  // A client that sends garbage may never close its side.
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

const problems: Readonly<Record<string, readonly [code: ProblemCode, detail: string]>> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The request line and headers are over 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The complete request did not arrive in time.'],
  HPE_INVALID_METHOD: ['bad_request', 'The request line does not begin with a known HTTP method.'],
}
const MALFORMED = ['bad_request', 'The request is not well-formed HTTP/1.1.'] as const

function rawResponse(status: number, lines: string, body: HttpResponse['body']): Buffer {
  const first = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nDate: ${new Date().toUTCString()}\r\nConnection: close\r\n`
  return bytesOf([`${first}${lines}Content-Length: ${lengthOf(body)}\r\n\r\n`, ...body])
}
