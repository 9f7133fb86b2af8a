import { type Problem, ProblemError, toProblem } from '../../problems/problem.ts'

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
  hint?: string
  data?: object
  /** The key lacks a permission, though the response does not say so. */
  isForbidden?: boolean
}

/** Sent as a JSON-RPC error. The detail is public, and written for a model to act on. */
export class ProtocolError extends Error {
  override name = 'ProtocolError'
  readonly code: ErrorCode
  readonly options: Options

  constructor(code: ErrorCode, detail: string, options: Options = {}) {
    super(detail)
    this.code = code
    this.options = options
  }

  toJson(publicUrl: string): object {
    const { hint, data } = this.options
    return embed({ ...toProblem(new ProblemError(this.code, this.message, hint), publicUrl), ...data })
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
