import type { Answer } from '../operation.ts'
import { type ProblemError, toProblem } from '../problems/problem.ts'

export const PROBLEM_TYPE = 'application/problem+json'

/** The one place where a problem becomes a response. */
export function problemAnswer(error: ProblemError, publicUrl: string, requestId: string | undefined): Answer {
  const problem = toProblem(error, publicUrl)
  if (requestId !== undefined) problem.instance = `urn:uuid:${requestId}`
  return {
    status: problem.status,
    headers: ['Content-Type', PROBLEM_TYPE, 'Cache-Control', 'no-store'],
    body: [Buffer.from(JSON.stringify(problem))],
  }
}
