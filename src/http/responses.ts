import type { Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import type { HttpResponse } from '../api/http-message.ts'
import { oauthErrorOf } from '../connections/oauth-error.ts'
import type { Admission } from '../database/admission.ts'
import { formatQuota, remaining, secondsToReset } from '../keys/quota.ts'
import type { ServerResponse } from '../lib/node-http.ts'
import type { Quota } from '../lib/rate-windows.ts'
import { type ProblemError, toProblem } from '../problems/problem.ts'

export const jsonResponse = (status: number, value: unknown, type = 'application/json'): HttpResponse => ({
  status,
  headers: ['Content-Type', type, 'Cache-Control', 'no-store'],
  body: [Buffer.from(JSON.stringify(value))],
})

export interface ErrorOptions {
  publicUrl: string
  /** Paths whose clients expect the errors of OAuth. */
  oauthPaths: readonly string[]
}

/** Every error becomes a response here: a problem, or an OAuth error. `path` is empty if it could not be read. */
export function errorResponse(
  error: ProblemError,
  { publicUrl, oauthPaths }: ErrorOptions,
  path: string,
  requestId?: string,
): HttpResponse {
  const problem = toProblem(error, publicUrl)
  const oauthCode = oauthPaths.includes(path) ? oauthErrorOf[error.code] : undefined
  if (oauthCode !== undefined)
    return jsonResponse(problem.status, { error: oauthCode, error_description: error.message })
  if (requestId !== undefined) problem.instance = `urn:uuid:${requestId}`
  return jsonResponse(problem.status, problem, 'application/problem+json')
}

export const quotaPolicyHeaders = (quota: Quota): string[] => [
  'RateLimit-Limit',
  String(quota.limit),
  'RateLimit-Policy',
  formatQuota(quota),
]

export function pushQuotaWindow(headers: string[], { quota, window, now }: Admission): void {
  headers.push('RateLimit-Limit', String(quota.limit), 'RateLimit-Policy', formatQuota(quota))
  headers.push('RateLimit-Remaining', String(remaining(quota, window)))
  headers.push('RateLimit-Reset', String(secondsToReset(quota, window, now)))
}

/** Parts up to this size are copied, in one write with the head if they are the whole body. Larger ones are not, so that a cached one is in memory once. */
const COPIED_BYTES = 8192

export const isCopied = (part: Buffer): boolean => part.length <= COPIED_BYTES

/** HEAD gets only the head. */
export const sentBody = ({ method }: { method: string }, { body }: HttpResponse): readonly Buffer[] =>
  method === 'HEAD' ? [] : body

export function lengthOf(body: readonly Buffer[]): number {
  let length = 0
  for (const part of body) length += part.length
  return length
}

/** `headers` are complete: names and values alternate. */
export function send(res: ServerResponse, { status, body }: HttpResponse, headers: string[]): void {
  res.writeHead(status, headers)
  // Node would send the head of a pipelined request before a 100 that is still waiting for earlier responses.
  if (res.req.headers.expect !== undefined) res.flushHeaders()
  const chunks = lengthOf(body) <= COPIED_BYTES ? [body.map(textOf).join('')] : body.map(toChunk)
  const last = chunks.pop()
  if (chunks.length > 0) res.cork()
  for (const chunk of chunks) res.write(chunk, 'latin1')
  res.end(last, 'latin1')
}

/** Node joins text with the head, but writes a Buffer as a part of its own: a tenth of the time of a small response. */
const textOf = (part: Buffer): string => part.toString('latin1')

const toChunk = (part: Buffer): string | Buffer => (isCopied(part) ? textOf(part) : part)

const LINGER_MS = 1000

/**
 * For a client that may still be sending: if the connection were closed at once, it might lose the response. Therefore `res` does not
 * end, since Node would close the connection.
 */
export function sendLast(res: ServerResponse, response: HttpResponse, headers: string[]): void {
  res.writeHead(response.status, headers)
  res.flushHeaders()
  res.write(Buffer.concat(response.body), () => res.socket !== null && endSocket(res.socket))
}

/** The client may never close its side. */
export function endSocket(socket: Socket, bytes: Buffer = EMPTY): void {
  if (socket.destroyed) return
  socket.end(bytes)
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

const EMPTY = Buffer.alloc(0)

/** Waits until each write has drained, so that a slow client holds only one part in memory. */
export async function sendStream(
  res: ServerResponse,
  { status }: HttpResponse,
  stream: AsyncIterable<string>,
  headers: string[],
): Promise<void> {
  res.writeHead(status, headers)
  const { socket } = res
  try {
    await pipeline(stream, res)
  } catch (error) {
    // A missing end shows the client that the response is incomplete.
    socket?.destroy()
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
}
