import type { components } from './contract.ts'

/** The codes of the published contract. A newer server may return others: keep a default branch. */
export type ProblemCode = components['schemas']['Problem']['code']

type ProblemBody = Pick<components['schemas']['Problem'], 'type' | 'title' | 'code' | 'detail' | 'hint'>

/** What is known about an unexpected response. */
export interface Received {
  readonly status: number
  /** Identifies the request in the server's log. */
  readonly requestId: string | undefined
  /** From `Retry-After`. */
  readonly retryAfterSeconds: number | undefined
}

/** Every failure that the client reports. If the caller aborts, their own reason is thrown instead. */
export class VitrineError extends Error {
  override name = 'VitrineError'
}

/** There was no response, or only part of one: the connection failed, or the time was up. */
export class VitrineNetworkError extends VitrineError {
  override name = 'VitrineNetworkError'
  readonly timedOut: boolean

  constructor(message: string, { timedOut = false, cause }: { timedOut?: boolean; cause?: unknown }) {
    super(message, { cause })
    this.timedOut = timedOut
  }
}

/** A response with an error status, or one that is not from Vitrine at all. */
export class VitrineResponseError extends VitrineError {
  override name = 'VitrineResponseError'
  readonly status: number
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, { status, requestId, retryAfterSeconds }: Received) {
    super(message)
    this.status = status
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** A problem (RFC 9457) that Vitrine returned: `code` identifies it, and `hint` explains the fix. */
export class VitrineProblem extends VitrineResponseError {
  override name = 'VitrineProblem'
  readonly type: string
  readonly title: string
  readonly code: ProblemCode
  readonly detail: string
  readonly hint: string

  constructor({ type, title, code, detail, hint }: ProblemBody, received: Received) {
    super(`${received.status} ${code}: ${detail} ${hint}`, received)
    this.type = type
    this.title = title
    this.code = code
    this.detail = detail
    this.hint = hint
  }
}

/** The tool refused the call: an argument is wrong, or the key may not use it. The message says which. */
export class VitrineToolError extends VitrineError {
  override name = 'VitrineToolError'
}
