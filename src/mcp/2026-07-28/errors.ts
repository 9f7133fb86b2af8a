import { ProblemError, toProblem } from '../../problems/problem.ts'
import { RpcError } from '../json-rpc.ts'

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

interface Options {
  hint?: string
  data?: object
  /** The key lacks a permission, though the response does not reveal that. */
  isForbidden?: boolean
}

/** `data` has the problem's members, so that clients that know problems find them here too. */
export function protocolError(
  code: keyof typeof errors,
  detail: string,
  { hint, data, isForbidden = false }: Options = {},
): RpcError {
  const { rpcCode, status } = errors[code]
  const problem = new ProblemError(code, detail, hint)
  return new RpcError(detail, { code, rpcCode, isForbidden }, status, (publicUrl) => ({
    ...toProblem(problem, publicUrl),
    ...data,
  }))
}
