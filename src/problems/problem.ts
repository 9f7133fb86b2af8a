import { catalogue, type ProblemCode } from './catalogue.ts'

/** RFC 9457, with a stable code and a hint. Only the MCP endpoint sets `instance`. */
export interface Problem {
  type: string
  title: string
  status: number
  code: ProblemCode
  detail: string
  hint: string
  instance?: string
}

/** Thrown to respond with a problem. The detail is public, so it must not contain anything internal. */
export class ProblemError extends Error {
  override name = 'ProblemError'
  readonly code: ProblemCode
  readonly hint: string | undefined
  /** Alternating names and values. */
  readonly headers: readonly string[]

  constructor(code: ProblemCode, detail: string, hint?: string, headers: readonly string[] = []) {
    super(detail)
    this.code = code
    this.hint = hint
    this.headers = headers
  }
}

export function toProblem(error: ProblemError, publicUrl: string): Problem {
  const { status, title, hint } = catalogue[error.code]
  return {
    type: `${publicUrl}/problems/${error.code}`,
    title,
    status,
    code: error.code,
    detail: error.message,
    hint: error.hint ?? hint,
  }
}
