import { clip } from '../../lib/plain-text.ts'
import { redactTokens } from '../../lib/redact.ts'
import { type Problem, ProblemError, toProblem } from '../../problems/problem.ts'
import { resultTail } from '../json-rpc.ts'
import { SERVER_INFO } from './protocol.ts'

/** Numbers and HTTP statuses are published, so they never change. */
export const errors = {
  invalid_json: { rpcCode: -32700, status: 400 },
  invalid_jsonrpc_request: { rpcCode: -32600, status: 400 },
  invalid_request_metadata: { rpcCode: -32602, status: 400 },
  header_mismatch: { rpcCode: -32020, status: 400 },
  unsupported_protocol_version: { rpcCode: -32022, status: 400 },
  method_not_found: { rpcCode: -32601, status: 404 },
  invalid_params: { rpcCode: -32602, status: 200 },
  tool_not_found: { rpcCode: -32602, status: 200 },
  internal_error: { rpcCode: -32603, status: 200 },
} as const

type ErrorCode = keyof typeof errors

interface Options {
  /** Replaces the catalogue's hint. */
  hint?: string
  /** The protocol's `error.data`. */
  data?: object
  /** The key lacks a permission, though the response does not say so. */
  isForbidden?: boolean
}

/** Sent as a JSON-RPC error. The detail is public, and written for a model to act on. */
export class ProtocolError extends Error {
  override name = 'ProtocolError'
  readonly code: ErrorCode
  readonly hint: string | undefined
  readonly data: object | undefined
  readonly isForbidden: boolean

  constructor(code: ErrorCode, detail: string, { hint, data, isForbidden = false }: Options = {}) {
    super(detail)
    this.code = code
    this.hint = hint
    this.data = data
    this.isForbidden = isForbidden
  }

  get status(): number {
    return errors[this.code].status
  }

  toJson(publicUrl: string): object {
    return embed({ ...toProblem(new ProblemError(this.code, this.message, this.hint), publicUrl), ...this.data })
  }
}

/** `data` has the problem's members, so that clients that know them find them here too. */
export const embed = (problem: Problem): object => ({
  code: errors[problem.code as ErrorCode].rpcCode,
  message: problem.detail,
  data: problem,
})

/** Does not reveal whether the tool exists or the key may not use it. */
export const toolNotFound = (isForbidden: boolean): ProtocolError =>
  new ProtocolError('tool_not_found', 'There is no tool of this name for this key; tools/list shows those there are.', {
    isForbidden,
  })

/** Sent as a result that a model can read and act on. The message is public. */
export class ToolError extends Error {
  override name = 'ToolError'

  get tail(): Buffer {
    const content = [{ type: 'text', text: this.message }]
    return resultTail({ resultType: 'complete', _meta: SERVER_INFO, content, isError: true })
  }
}

interface ArgumentFault {
  argument: string
  /** The rest of a sentence that begins with the argument's name. */
  fix: string
  /** A caller that gives an invalid date may not know today's. */
  isMoment?: boolean
}

/** Collects all faults of a call, so that one more call is enough. */
export class InvalidArgumentsError extends Error {
  override name = 'InvalidArgumentsError'
  readonly faults: readonly ArgumentFault[]

  constructor(faults: readonly ArgumentFault[]) {
    super('invalid arguments')
    this.faults = faults
  }

  /** `today` is a sentence with the date. */
  toToolError(today: string): ToolError {
    const lines = this.faults.map(({ argument, fix }) => `- ${argument} ${fix}`)
    const isAboutDates = this.faults.some(({ isMoment = false }) => isMoment)
    return new ToolError(
      ['Nothing was read: correct the arguments and call again.', ...lines, ...(isAboutDates ? [today] : [])].join(
        '\n',
      ),
    )
  }
}

/** Bounds how many of the caller's names are repeated, and how much of each. */
const MAX_NAMED = 5
const MAX_NAME = 40

/** Repeats only what looks like a name, because a model reads it. */
export function quotedNames(values: readonly unknown[]): string {
  const names = values.slice(0, MAX_NAMED).map((value) => {
    // Redacted before clipping, because part of a key does not look like one.
    const name = typeof value === 'string' ? clip(redactTokens(value), MAX_NAME) : ''
    return /^[\w.$[\]…-]+$/.test(name) ? `"${name}"` : 'something that is no name'
  })
  const more = values.length - names.length
  return [...new Set(names), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}
