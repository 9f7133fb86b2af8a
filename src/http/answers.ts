import type { Admission, Quota } from '../database/store.ts'
import { formatQuota, remaining, secondsToReset } from '../keys/quota.ts'
import type { Answer } from '../operation.ts'
import { type ProblemError, toProblem } from '../problems/problem.ts'

export const jsonAnswer = (status: number, value: unknown, type = 'application/json'): Answer => ({
  status,
  headers: ['Content-Type', type, 'Cache-Control', 'no-store'],
  body: [Buffer.from(JSON.stringify(value))],
})

/** The only place that maps a problem to a response. */
export function problemAnswer(error: ProblemError, publicUrl: string, requestId: string | undefined): Answer {
  const problem = toProblem(error, publicUrl)
  if (requestId !== undefined) problem.instance = `urn:uuid:${requestId}`
  return jsonAnswer(problem.status, problem, 'application/problem+json')
}

/** Adds the quota's policy, which every response of the API has. */
export function addQuotaPolicy(headers: string[], quota: Quota): void {
  headers.push('RateLimit-Limit', String(quota.limit), 'RateLimit-Policy', formatQuota(quota))
}

/** Adds the policy and the state of the window, which every response to a recognised key has. */
export function addQuotaWindow(headers: string[], { quota, window, now }: Admission): void {
  addQuotaPolicy(headers, quota)
  headers.push('RateLimit-Remaining', String(remaining(quota, window)))
  headers.push('RateLimit-Reset', String(secondsToReset(quota, window, now)))
}
