import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { Admission, Quota } from '../database/store.ts'
import { formatQuota, remaining, secondsToReset } from '../keys/quota.ts'
import type { HttpResponse } from '../operation.ts'
import { type ProblemError, toProblem } from '../problems/problem.ts'

export const jsonResponse = (status: number, value: unknown, type = 'application/json'): HttpResponse => ({
  status,
  headers: ['Content-Type', type, 'Cache-Control', 'no-store'],
  body: [Buffer.from(JSON.stringify(value))],
})

/** The only place that maps a problem to a response. */
export function problemResponse(error: ProblemError, publicUrl: string, requestId: string | undefined): HttpResponse {
  const problem = toProblem(error, publicUrl)
  if (requestId !== undefined) problem.instance = `urn:uuid:${requestId}`
  return jsonResponse(problem.status, problem, 'application/problem+json')
}

/** The quota's policy, which every response of the API has, as complete header lines. */
export const quotaPolicyLines = (quota: Quota): string =>
  `RateLimit-Limit: ${quota.limit}\r\nRateLimit-Policy: ${formatQuota(quota)}\r\n`

/** The policy and the state of the window, which every response to a recognised key has. */
export const quotaWindowLines = ({ quota, window, now }: Admission): string =>
  `${quotaPolicyLines(quota)}RateLimit-Remaining: ${remaining(quota, window)}\r\n` +
  `RateLimit-Reset: ${secondsToReset(quota, window, now)}\r\n`

/** Header lines of names and values in turn, examined as Node does. For what many responses have in common. */
export function headerLines(headers: readonly string[]): string {
  return pairsOf(headers)
    .map(([name, value]) => {
      validateHeaderName(name)
      validateHeaderValue(name, value)
      return `${name}: ${value}\r\n`
    })
    .join('')
}

/** Of names and values in turn. */
export const pairsOf = (headers: readonly string[]) =>
  headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? ''] as const] : []))
