import type { IncomingHttpHeaders } from 'node:http'
import { isObject } from '../../lib/checker.ts'
import { ConnectionError } from '../../lib/connection-failures.ts'
import { createHttpClient } from '../../lib/http-client.ts'
import { numberAsWritten, parseJson } from '../../lib/json-text.ts'
import { clip } from '../../lib/plain-text.ts'
import { redactTokens } from '../../lib/redact.ts'
import { version } from '../../version.ts'

/** JSON-RPC 2.0 leaves -32000 to -32099 to servers. */
const SERVER_ERROR = -32000
const codes: Record<string, number> = { invalid_json: -32700, invalid_jsonrpc_request: -32600 }
const MAX_TEXT = 1000
const UNAUTHORIZED = 'unauthorized'
/** The server's own hints are about headers and methods, which this program chooses. */
const CHECK_URL = 'Check --url: MCP is at /v2/mcp, which is used if the URL has no path.'
const ownHints: Record<string, string> = {
  [UNAUTHORIZED]: 'Check VITRINE_KEY, or the file in VITRINE_KEY_FILE.',
  not_found: CHECK_URL,
  method_not_allowed: CHECK_URL,
}

/** The server's response line or an error; neither for a notification. */
interface Outcome {
  line?: string
  error?: RpcErrorObject
  isKeyRefused?: boolean
}

interface TextResponse {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

/** Clients wait a minute for a response; the server gives up earlier. */
const TIMEOUT_MS = 60_000

/** Redirects are not followed, because the key is for this host. */
export function connectServer(url: URL, key: string, maxConnections: number) {
  const { send, close } = createHttpClient(url, { maxConnections, timeoutMs: TIMEOUT_MS })
  const own = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'user-agent': `vitrine-stdio/${version}`,
  }

  async function post({ text, headers }: ClientMessage, signal: AbortSignal): Promise<TextResponse> {
    const length = { 'content-length': String(Buffer.byteLength(text)) }
    const options = { method: 'POST', headers: { ...headers, ...own, ...length }, signal }
    const { response, body } = await send(options, (sent) => sent.end(text))
    // A proxy may echo the request, and clients log what they receive.
    const withoutKey = body.toString('utf8').replaceAll(key, '[key]')
    return { status: response.statusCode ?? 0, headers: response.headers, body: withoutKey }
  }

  async function request(message: ClientMessage, signal: AbortSignal): Promise<Outcome> {
    try {
      return outcomeOf(await post(message, signal), message.id)
    } catch (error) {
      if (signal.aborted) return {}
      if (!(error instanceof ConnectionError)) throw error
      return { error: { code: SERVER_ERROR, message: `The server could not be reached: ${error.message}` } }
    }
  }

  return { request, close }
}

const OTHER_ID: RpcErrorObject = {
  code: SERVER_ERROR,
  message:
    'The server, or a proxy in front of it, returned the response to another request. Check --url and the server.',
}

/** The client waits for a response with its own id; only an error may have none. */
function outcomeOf({ status, headers, body }: TextResponse, id: unknown): Outcome {
  if (status === 202 && body === '') return {}
  const json = parseJson(body)
  // In MCP 2026-07-28, a protocol error may have another status than 200.
  if (isObject(json) && json.jsonrpc === '2.0' && ('result' in json || 'error' in json)) {
    // In JSON, line breaks occur only between tokens. The body may be nested too deeply to be serialized again.
    if (id === undefined || json.id === id) return { line: body.replace(/[\r\n]+/g, ' ') }
    const { error } = json
    if (!isRpcError(error) || (json.id ?? null) !== null) return { error: OTHER_ID }
    return { error: { code: error.code, message: clip(error.message, MAX_TEXT) } }
  }
  if (isObject(json) && typeof json.code === 'string' && typeof json.title === 'string')
    return { error: problemError(json, headers['retry-after']), isKeyRefused: json.code === UNAUTHORIZED }
  return { error: { code: SERVER_ERROR, message: foreignResponse(status, headers) } }
}

const isRpcError = (error: unknown): error is RpcErrorObject =>
  isObject(error) && Number.isInteger(error.code) && typeof error.message === 'string'

function problemError(problem: Record<string, unknown>, retryAfter: string | undefined): RpcErrorObject {
  const { title, detail } = problem
  const hint = ownHints[String(problem.code)] ?? problem.hint
  const wait = retryAfter === undefined ? [] : [`Try again in ${retryAfter} seconds.`]
  const message = [detail ?? title, hint, ...wait].filter((part) => typeof part === 'string').join(' ')
  return { code: codes[String(problem.code)] ?? SERVER_ERROR, message: clip(message, MAX_TEXT), data: flat(problem) }
}

/** Vitrine's problems have only texts and numbers. */
const flat = (problem: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(problem).filter(([, value]) => typeof value !== 'object'))

/** A foreign body is for browsers and may be anything, so it is not shown. */
function foreignResponse(status: number, headers: IncomingHttpHeaders): string {
  const { location, 'content-type': type = 'no content type' } = headers
  if (status >= 300 && status < 400 && location !== undefined)
    return `The URL leads to ${clip(redactTokens(location), MAX_TEXT)}, and the key is not sent there; if that is right, give it as --url.`
  return `The response (${status}, ${clip(type, 100)}) is not from Vitrine: a proxy in front of it may have failed, or the URL belongs to another server. Check --url and the server.`
}

export interface RpcErrorObject {
  code: number
  message: string
  data?: unknown
}

export interface ClientMessage {
  text: string
  /** The JSON as written; undefined for a notification, which has no response. */
  idJson: string | undefined
  id: unknown
  /** MCP 2026-07-28 repeats parts of the body in headers; empty for the older version. */
  headers: Record<string, string>
}

const invalid = (message: string) => ({ error: { code: -32600, message } })

/**
 * Undefined if no response is needed: for a blank line, or a response to a request that was never sent. `cancels` is the id of a
 * request for which the client no longer waits.
 */
export function parseLine(text: string): ClientMessage | { cancels: unknown } | { error: RpcErrorObject } | undefined {
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

/** By method, the member of the params that the Mcp-Name header repeats. */
const repeatedMembers: Record<string, string> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }
const VERSION_MEMBER = 'io.modelcontextprotocol/protocolVersion'

function protocolHeaders({ method, params }: Record<string, unknown>): Record<string, string> {
  const meta = isObject(params) ? params._meta : undefined
  const version = isObject(meta) ? meta[VERSION_MEMBER] : undefined
  if (typeof version !== 'string' || typeof method !== 'string' || !isObject(params)) return {}
  const name = repeatedMembers[method] && params[repeatedMembers[method]]
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
