/** Published, so they never change. */
const rpcCodes = {
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  forbidden: -32003,
} as const

/** Sent as a JSON-RPC error inside a 200. The message is public, and written for a model to act on. */
export class RpcError extends Error {
  override name = 'RpcError'
  readonly code: number
  readonly data: object | undefined

  constructor(code: keyof typeof rpcCodes, message: string, data?: object) {
    super(message)
    this.code = rpcCodes[code]
    this.data = data
  }

  get isForbidden(): boolean {
    return this.code === rpcCodes.forbidden
  }
}

export const invalidParams = (message: string, faults: { argument: string; problem: string }[]): RpcError =>
  new RpcError('invalidParams', message, { faults })
