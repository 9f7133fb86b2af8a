import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { Quota } from '../database/store.ts'
import type { HttpResponse } from '../operation.ts'
import { ProblemError } from '../problems/problem.ts'
import { headerLines } from './outgoing-response.ts'
import { problemResponse, quotaPolicyLines } from './responses.ts'
import { lengthOf } from './send.ts'
import type { ServedSocket } from './served-socket.ts'

type ParserError = Error & { code?: string }

const LINGER_MS = 1000

/** Answers what the parser refused: a malformed request line, an unknown method, oversize headers, a timeout. */
export function createParserFaultHandler(
  publicUrl: string,
  quota: Quota,
  log: Logger,
  observe?: (status: number) => void,
) {
  function respond(error: ParserError, socket: Socket): void {
    const requestId = randomUUID()
    const { status, headers, body } = problemResponse(toProblemError(error), publicUrl, undefined)
    const lines = `${headerLines([...headers, 'X-Request-Id', requestId])}${quotaPolicyLines(quota)}`
    endSocket(socket, rawResponse(status, lines, body))
    observe?.(status)
    log.info({ requestId, status, fault: error.code })
  }

  /** Called once per socket: the parser stops at its first fault. */
  return function onFault(error: ParserError, socket: ServedSocket): void {
    const current = socket._httpMessage
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy()
    // Earlier requests on this connection were valid: their responses go first.
    else if (current?.req.complete) current.once('close', () => onFault(error, socket))
    // The broken request was answered before its body arrived, as without a key: it gets no second answer.
    else if (current?.writableEnded || (!current && socket.parser?.incoming?.complete === false)) endSocket(socket)
    else if (current?.headersSent) socket.destroy()
    else respond(error, socket)
  }
}

function endSocket(socket: Socket, response: Buffer = Buffer.alloc(0)): void {
  socket.end(response)
  // A client that sends garbage may never close its side.
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

function toProblemError({ code }: ParserError): ProblemError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ProblemError('headers_too_large', 'The request line and headers are over 16 KiB.')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ProblemError('request_timeout', 'The request did not arrive whole in time.')
    case 'HPE_INVALID_METHOD':
      return new ProblemError('bad_request', 'The request line does not begin with a known HTTP method.')
    default:
      return new ProblemError('bad_request', 'The request is not well-formed HTTP/1.1.')
  }
}

function rawResponse(status: number, lines: string, body: HttpResponse['body']): Buffer {
  const first = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nDate: ${new Date().toUTCString()}\r\nConnection: close\r\n`
  const head = `${first}${lines}Content-Length: ${lengthOf(body)}\r\n\r\n`
  return Buffer.concat([head, ...body].map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)))
}
