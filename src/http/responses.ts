import type { BodyPart, HttpResponse } from '../api/http-message.ts'
import { oauthErrorOf } from '../connections/oauth-error.ts'
import type { Admission } from '../database/admission.ts'
import { formatQuota, remaining, secondsToReset } from '../keys/quota.ts'
import type { Quota } from '../lib/rate-windows.ts'
import { type ProblemError, toProblem } from '../problems/problem.ts'
import { COPIED_BYTES } from '../resources/response-cache.ts'

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

export const quotaPolicyLines = (quota: Quota): string =>
  `RateLimit-Limit: ${quota.limit}\r\nRateLimit-Policy: ${formatQuota(quota)}\r\n`

export const quotaWindowLines = ({ quota, window, now }: Admission): string =>
  `${quotaPolicyLines(quota)}RateLimit-Remaining: ${remaining(quota, window)}\r\n` +
  `RateLimit-Reset: ${secondsToReset(quota, window, now)}\r\n`

/** Alternating names and values. The loop takes a quarter of the time of concat or a spread. */
export function headersOf({ status, headers, body, stream }: HttpResponse): string[] {
  const all: string[] = []
  for (const text of headers) all.push(text)
  if (status !== 204 && status !== 304 && stream === undefined) all.push('Content-Length', String(lengthOf(body)))
  return all
}

/** Joins small parts into a string, which Node, unlike a Buffer, sends in one write with the head. */
export function toChunks(body: readonly BodyPart[]): readonly BodyPart[] {
  if (body.length === 1 && (typeof body[0] === 'string' || isUncopied(body[0] as Buffer))) return body
  const chunks: BodyPart[] = []
  let text = ''
  for (const part of body) {
    if (typeof part === 'string') text += part
    else if (part.length <= COPIED_BYTES) text += part.toString('latin1')
    else {
      if (text !== '') chunks.push(text)
      chunks.push(part)
      text = ''
    }
  }
  if (text !== '') chunks.push(text)
  return chunks
}

export const isUncopied = (part: BodyPart): part is Buffer => typeof part !== 'string' && part.length > COPIED_BYTES

/** In bytes: strings have one character per byte. */
export function lengthOf(body: readonly BodyPart[]): number {
  let length = 0
  for (const part of body) length += part.length
  return length
}
