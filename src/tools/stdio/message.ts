import { isObject } from '../../lib/checker.ts'
import { numberAsWritten } from '../../lib/json-text.ts'

type RpcId = string | number | null

/** One message of the client, as the bridge has to know it. */
export interface Message {
  text: string
  /** As JSON, as it was written; undefined for a notification, which has no response. */
  idJson: string | undefined
  id: RpcId | undefined
  /** What the protocol of 2026-07-28 repeats from the body in headers; empty for the older one. */
  headers: Record<string, string>
}

/** What is wrong with a line, as a JSON-RPC error. */
interface Fault {
  code: number
  message: string
}

/** Undefined for what nobody waits for a response to: a blank line, or the client's answer to a question that was never asked. */
export function parseLine(text: string): Message | { fault: Fault } | undefined {
  if (text.trim() === '') return undefined
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { fault: { code: -32700, message: 'The line is not well-formed JSON.' } }
  }
  if (Array.isArray(json))
    return { fault: { code: -32600, message: 'Batches are not supported; a line must be one request object.' } }
  if (!isObject(json)) return { fault: { code: -32600, message: 'A line must be one request object.' } }
  if (!('method' in json) && ('result' in json || 'error' in json)) return undefined
  const { id } = json
  if (!isRpcId(id)) return { fault: { code: -32600, message: 'The id must be a string, a number or null.' } }
  return { text, id, idJson: idJsonOf(id, text), headers: protocolHeaders(json) }
}

const isRpcId = (id: unknown): id is RpcId | undefined =>
  id === undefined || id === null || typeof id === 'string' || typeof id === 'number'

const idJsonOf = (id: RpcId | undefined, text: string): string | undefined =>
  id === undefined ? undefined : (typeof id === 'number' && numberAsWritten(text, 'id')) || JSON.stringify(id)

/** The member of the params that the header Mcp-Name repeats. */
const named: Record<string, string> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }
const VERSION_MEMBER = 'io.modelcontextprotocol/protocolVersion'

/** A request of 2026-07-28 says its version in its metadata, and over HTTP in headers too. */
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
  // What cannot be sent in a header is left out, and the server says what is missing.
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => PLAIN.test(value)))
}

/** Visible ASCII, with spaces and tabs within: RFC 9110, 5.5. */
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/

const headerValue = (text: string): string =>
  PLAIN.test(text) && !text.startsWith('=?base64?') ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
