import type { components } from './contract.ts'

/** The codes of the published contract. A newer server may answer with others: keep a default branch. */
export type ProblemCode = components['schemas']['Problem']['code']

type ProblemBody = Pick<components['schemas']['Problem'], 'type' | 'title' | 'code' | 'detail' | 'hint'>

/** What is known of an answer that was not the expected one. */
export interface Answered {
  readonly status: number
  /** Identifies the request in the server's log. */
  readonly requestId: string | undefined
  /** From `Retry-After`. */
  readonly retryAfterSeconds: number | undefined
}

/** Every failure that the client reports; an abort by the caller is thrown as it came. */
export class VitrineError extends Error {
  override name = 'VitrineError'
}

/** No answer, or a part of one: the connection failed, or the time was up. */
export class VitrineNetworkError extends VitrineError {
  override name = 'VitrineNetworkError'
  readonly timedOut: boolean

  constructor(message: string, { timedOut = false, cause }: { timedOut?: boolean; cause?: unknown }) {
    super(message, { cause })
    this.timedOut = timedOut
  }
}

/** An answer with an error status, or one that is not from Vitrine at all. */
export class VitrineResponseError extends VitrineError {
  override name = 'VitrineResponseError'
  readonly status: number
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, { status, requestId, retryAfterSeconds }: Answered) {
    super(message)
    this.status = status
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** A problem (RFC 9457) that Vitrine answered: `code` says which, `hint` what to do. */
export class VitrineProblem extends VitrineResponseError {
  override name = 'VitrineProblem'
  readonly type: string
  readonly title: string
  readonly code: ProblemCode
  readonly detail: string
  readonly hint: string

  constructor({ type, title, code, detail, hint }: ProblemBody, answered: Answered) {
    super(`${answered.status} ${code}: ${detail} ${hint}`, answered)
    this.type = type
    this.title = title
    this.code = code
    this.detail = detail
    this.hint = hint
  }
}
