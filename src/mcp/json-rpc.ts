import { isUtf8 } from 'node:buffer'
import type { EmbeddedError } from '../api/http-message.ts'
import { isObject } from '../lib/checker.ts'
import { numberAsWritten, parseJson, tooMuchToParse } from '../lib/json-text.ts'
import { ProblemError } from '../problems/problem.ts'

export interface Message {
  text: string
  json: unknown
  /** Why the body is not JSON. The version that claims the message reports it. */
  fault: ProblemError | undefined
}

/** Without an id it is a notification. Each version decides what an id may be. */
export interface RpcRequest {
  id?: unknown
  method: string
  params?: Record<string, unknown>
}

/** Sent as a JSON-RPC error. The message is public, and written for a model to act on. */
export class RpcError extends Error {
  override name = 'RpcError'
  readonly note: EmbeddedError & { rpcCode: number }
  readonly status: number
  readonly dataAt: (publicUrl: string) => object | undefined

  constructor(message: string, note: RpcError['note'], status: number, dataAt: RpcError['dataAt']) {
    super(message)
    this.note = note
    this.status = status
    this.dataAt = dataAt
  }
}

export function parseMessage(body: Buffer): Message {
  const text = body.toString()
  const unreadable = findFault(body, text)
  const json = unreadable === undefined ? parseJson(text) : undefined
  if (json !== undefined) return { text, json, fault: undefined }
  return { text, json, fault: new ProblemError('invalid_json', unreadable ?? 'The body is not well-formed JSON.') }
}

function findFault(body: Buffer, text: string): string | undefined {
  if (body.length === 0) return 'The body is empty.'
  // Decoding replaces invalid bytes with this character.
  if (text.includes('\ufffd') && !isUtf8(body)) return 'The body is not encoded as UTF-8.'
  const tooMuch = tooMuchToParse(text)
  return tooMuch && `The body ${tooMuch}.`
}

const MEMBERS = new Set(['jsonrpc', 'id', 'method', 'params'])

export function requestIn({ json, fault }: Message): RpcRequest {
  if (fault !== undefined) throw fault
  if (Array.isArray(json)) throw invalidRequest('Batches are not supported; the body must be one request object.')
  if (!isObject(json)) throw invalidRequest('The body must be one request object.')
  for (const name in json) if (!MEMBERS.has(name)) throw unknownMember(name)
  if (json.jsonrpc !== '2.0') throw invalidRequest('"jsonrpc" must be the string "2.0".')
  if (typeof json.method !== 'string') throw invalidRequest('"method" must be a string.')
  if (json.params !== undefined && !isObject(json.params)) throw invalidRequest('"params" must be an object.')
  return json as unknown as RpcRequest
}

const unknownMember = (name: string) =>
  invalidRequest(
    name === 'result' || name === 'error'
      ? 'The body is a JSON-RPC response; only requests and notifications are accepted.'
      : 'The request has a member other than "jsonrpc", "id", "method" and "params".',
  )

export const invalidRequest = (detail: string) => new ProblemError('invalid_jsonrpc_request', detail)

/** As JSON, exactly as it was sent. */
export function idAsWritten(id: string | number | null, text: string): string {
  const isAsWritten =
    typeof id !== 'number' || (Number.isSafeInteger(id) && !Object.is(id, -0) && !ODDLY_WRITTEN.test(text))
  return (isAsWritten ? undefined : numberAsWritten(text, 'id')) ?? JSON.stringify(id)
}

/** A whole number with a fraction or an exponent, such as 1.0, or an escaped member name that may be "id". */
const ODDLY_WRITTEN = /"id"\s*:\s*-?\d+[.eE]|\\u00(?:69|64)/
