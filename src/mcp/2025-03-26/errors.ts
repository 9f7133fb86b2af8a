import { RpcError } from '../json-rpc.ts'

/** Published, so they never change. */
const rpcCodes = {
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  forbidden: -32003,
} as const

/** Inside a 200. */
export const rpcError = (code: keyof typeof rpcCodes, message: string, data?: object): RpcError =>
  new RpcError(message, { rpcCode: rpcCodes[code], isForbidden: code === 'forbidden' }, 200, () => data)

export const invalidParams = (message: string, faults: { argument: string; problem: string }[]): RpcError =>
  rpcError('invalidParams', message, { faults })
