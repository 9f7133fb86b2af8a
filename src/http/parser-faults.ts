import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { ProblemError } from '../problems/problem.ts'
import type { Quota } from '../storage/store.ts'
import { problemAnswer } from './problem-answer.ts'
import { policyHeaders } from './rate-limit-headers.ts'

type ParserError = Error & { code?: string }

/** Answers what never became a request: a broken request line, an unknown method, oversize headers, a timeout. */
export function parserFaultAnswerer(publicUrl: string, quota: Quota, log: Logger) {
  return (error: ParserError, socket: Duplex): void => {
    const hasBegunToAnswer = (socket as { _httpMessage?: { headersSent: boolean } })._httpMessage?.headersSent === true
    if (!socket.writable || error.code === 'ECONNRESET' || hasBegunToAnswer) {
      socket.destroy()
      return
    }
    const requestId = randomUUID()
    const answer = problemAnswer(toProblemError(error), publicUrl, undefined)
    const headers = [...answer.headers, ...policyHeaders(quota), 'X-Request-Id', requestId]
    socket.end(rawResponse(answer.status, headers, Buffer.concat(answer.body)))
    log.info({ requestId, status: answer.status, fault: error.code })
  }
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

function rawResponse(status: number, headers: string[], body: Buffer): Buffer {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, `Date: ${new Date().toUTCString()}`, 'Connection: close']
  for (let i = 0; i < headers.length; i += 2) lines.push(`${headers[i]}: ${headers[i + 1]}`)
  lines.push(`Content-Length: ${body.length}`)
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body])
}
