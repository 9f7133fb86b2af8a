import { isUtf8 } from 'node:buffer'
import { isObject } from '../lib/checker.ts'
import { numberAsWritten, tooMuchToParse } from '../lib/json-text.ts'
import { ProblemError } from '../problems/problem.ts'

export interface RpcRequest {
  method: string
  params: Record<string, unknown>
  /** The id as JSON, exactly as it was sent; undefined for a notification. */
  idJson: string | undefined
}

const MEMBERS = new Set(['jsonrpc', 'id', 'method', 'params'])

/** Reads exactly one JSON-RPC 2.0 request from a body; anything else is a 400 that says what is wrong. */
export function parseRequest(body: Buffer): RpcRequest {
  const text = decode(body)
  const value = parseJson(text)
  if (Array.isArray(value)) throw invalid('Batches are not supported; the body must be one request object.')
  if (!isObject(value)) throw invalid('The body must be one request object.')
  for (const name in value) if (!MEMBERS.has(name)) throw unknownMember(name)
  if (value.jsonrpc !== '2.0') throw invalid('"jsonrpc" must be the string "2.0".')
  if (typeof value.method !== 'string') throw invalid('"method" must be a string.')
  if (value.params !== undefined && !isObject(value.params)) throw invalid('"params" must be an object.')
  return { method: value.method, params: value.params ?? {}, idJson: idJson(value.id, text) }
}

const unknownMember = (name: string) =>
  invalid(
    name === 'result' || name === 'error'
      ? 'The body is a JSON-RPC response; only requests and notifications are accepted.'
      : 'The request has a member other than "jsonrpc", "id", "method" and "params".',
  )

const invalid = (detail: string) => new ProblemError('invalid_jsonrpc_request', detail)

function decode(body: Buffer): string {
  if (body.length === 0) throw new ProblemError('invalid_json', 'The body is empty.')
  if (!isUtf8(body)) throw new ProblemError('invalid_json', 'The body is not encoded as UTF-8.')
  return body.toString()
}

function parseJson(text: string): unknown {
  const tooMuch = tooMuchToParse(text)
  if (tooMuch !== undefined) throw new ProblemError('invalid_json', `The body ${tooMuch}.`)
  try {
    return JSON.parse(text)
  } catch {
    throw new ProblemError('invalid_json', 'The body is not well-formed JSON.')
  }
}

function idJson(id: unknown, text: string): string | undefined {
  if (id === undefined) return undefined
  if (id !== null && typeof id !== 'string' && typeof id !== 'number')
    throw invalid('"id" must be a string, a number or null.')
  const isAsWritten =
    typeof id !== 'number' || (Number.isSafeInteger(id) && !Object.is(id, -0) && !ODDLY_WRITTEN.test(text))
  return (isAsWritten ? undefined : numberAsWritten(text, 'id')) ?? JSON.stringify(id)
}

/** A whole number with a fraction or an exponent, such as 1.0, or an escaped member name that may be "id". */
const ODDLY_WRITTEN = /"id"\s*:\s*-?\d+[.eE]|\\u00(?:69|64)/

/** The tail of a response: the JSON of a result or an error, and the brace that closes the envelope. */
export const resultTail = (result: object): Buffer => Buffer.from(`${JSON.stringify(result)}}`)

/** The JSON-RPC error codes of the endpoint. They are published, so they never change. */
const rpcCodes = {
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  forbidden: -32003,
} as const

/** Thrown to answer with a JSON-RPC error inside a 200. The message is public, and written for a model to act on. */
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

/** `data.faults` lists everything that is wrong, by the name of the argument or of the member of params. */
export const invalidParams = (message: string, faults: { argument: string; problem: string }[]): RpcError =>
  new RpcError('invalidParams', message, { faults })
