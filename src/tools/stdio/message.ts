import { isObject } from '../../lib/checker.ts'
import { numberAsWritten, parseJson } from '../../lib/json-text.ts'

export interface RpcError {
  code: number
  message: string
  data?: unknown
}

export interface Message {
  text: string
  /** The JSON as written; undefined for a notification, which has no response. */
  idJson: string | undefined
  id: unknown
  /** MCP 2026-07-28 repeats parts of the body in headers; empty for the older version. */
  headers: Record<string, string>
}

const invalid = (message: string) => ({ error: { code: -32600, message } })

/** The client no longer waits for the request with this id. */
interface Cancellation {
  cancels: unknown
}

/** Undefined if no response is needed: for a blank line, or a response to a request that was never sent. */
export function parseLine(text: string): Message | Cancellation | { error: RpcError } | undefined {
  if (text.trim() === '') return undefined
  const json = parseJson(text)
  if (json === undefined) return { error: { code: -32700, message: 'The line is not well-formed JSON.' } }
  if (!isObject(json)) return invalid('A line must be one request object; batches are not supported.')
  if (!('method' in json) && ('result' in json || 'error' in json)) return undefined
  const { id } = json
  if (typeof id === 'boolean' || (typeof id === 'object' && id !== null))
    return invalid('The id must be a string, a number or null.')
  if (id === undefined && json.method === 'notifications/cancelled')
    return { cancels: isObject(json.params) ? json.params.requestId : undefined }
  const written = typeof id === 'number' ? numberAsWritten(text, 'id') : undefined
  return { text, id, idJson: written ?? JSON.stringify(id), headers: protocolHeaders(json) }
}

/** The member of the params that the Mcp-Name header repeats. */
const named: Record<string, string> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }
const VERSION_MEMBER = 'io.modelcontextprotocol/protocolVersion'

function protocolHeaders({ method, params }: Record<string, unknown>): Record<string, string> {
  const meta = isObject(params) ? params._meta : undefined
  const version = isObject(meta) ? meta[VERSION_MEMBER] : undefined
  if (typeof version !== 'string' || typeof method !== 'string' || !isObject(params)) return {}
  const name = named[method] && params[named[method]]
  const headers = {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': headerValue(name) }),
  }
  // Values that cannot be sent in a header are left out; the server then reports the missing header.
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => PLAIN.test(value)))
}

/** Visible ASCII, with spaces and tabs within (RFC 9110, 5.5). */
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/

const headerValue = (text: string): string =>
  PLAIN.test(text) && !text.startsWith('=?base64?') ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
