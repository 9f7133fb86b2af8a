import type { ClientRequest, IncomingMessage } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { ConnectionError } from '../../lib/connection-failures.ts'
import { createHttpClient, MAX_BODY_BYTES, TimeoutError } from '../../lib/http-client.ts'
import { parseJson } from '../../lib/json-text.ts'

export interface Target {
  /** Has no path, since the contract's paths are at the root. */
  url: URL
  ca?: string | undefined
  /** If a response takes longer, a proxy is waiting for something that never arrives. */
  timeoutMs?: number
}

/** Headers are sent exactly as written. */
export interface Request {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string
  /** Requests with the key count against its quota. */
  withKey?: boolean | 'in other case'
  /** How the body is sent: after `100 Continue`, or in chunks. */
  bodyMode?: 'continue' | 'chunked'
}

export interface CheckedResponse {
  request: Request
  status: number
  rawHeaders: readonly string[]
  body: Buffer
  /** Why the body is incomplete; then `body` is empty. */
  bodyError?: string
  /** By lower-case name; repeated headers are joined with commas. */
  headers: Readonly<Record<string, string>>
  text: string
  json: unknown
  /** Whether an earlier response had its X-Request-Id. */
  isRepeated?: boolean
}

const TIMEOUT_MS = 20_000
/** Clients do not wait indefinitely for 100 Continue (RFC 9110, 10.1.1). */
const HELD_BACK_MS = 1500

/** Keeps one connection open between requests, as most clients do, and does not follow redirects. */
export function createSender({ url, ca, timeoutMs = TIMEOUT_MS }: Target) {
  const http = createHttpClient(url, { maxConnections: 1, timeoutMs, ca })
  return {
    async send(request: Request, headers: Record<string, string>): Promise<CheckedResponse> {
      const { method, path } = request
      let head: IncomingMessage | undefined
      const begin = (begun: ClientRequest) => {
        begun.once('response', (response) => {
          head = response
        })
        writeBody(begun, request)
      }
      try {
        const { sent, response, body } = await http.send({ method, path, headers }, begin)
        // A server that refuses a body may respond before reading it.
        if (!sent.writableEnded) sent.destroy()
        return createResponse({ request, ...headOf(response), body })
      } catch (error) {
        // A server that sends a byte now and then does not respond: each check would wait for it.
        if (head === undefined || error instanceof TimeoutError || !(error instanceof ConnectionError)) throw error
        return createResponse({ request, ...headOf(head), body: Buffer.alloc(0), bodyError: error.message })
      }
    },
    close: http.close,
  }
}

const headOf = ({ statusCode: status = 0, rawHeaders }: IncomingMessage) => ({ status, rawHeaders })

function writeBody(sent: ClientRequest, { body, bodyMode }: Request): void {
  if (body === undefined || bodyMode === undefined) return void sent.end(body)
  if (bodyMode === 'chunked') {
    const half = Math.floor(body.length / 2)
    sent.write(body.slice(0, half))
    return void sent.end(body.slice(half))
  }
  const proceed = () => {
    if (!sent.destroyed && !sent.writableEnded) sent.end(body)
  }
  const timer = setTimeout(proceed, HELD_BACK_MS)
  sent.once('close', () => clearTimeout(timer))
  sent.once('continue', proceed)
  sent.flushHeaders()
}

function createResponse(received: Omit<CheckedResponse, 'headers' | 'text' | 'json'>): CheckedResponse {
  const headers: Record<string, string> = {}
  for (let at = 0; at + 1 < received.rawHeaders.length; at += 2) {
    const name = String(received.rawHeaders[at]).toLowerCase()
    const value = String(received.rawHeaders[at + 1])
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
  }
  const response = { ...received, headers, text: '', json: undefined }
  // A response that is compressed although it was not asked for is a fault of its own.
  if (isEncodedUnasked(response)) return withText(response)
  try {
    return withText({ ...response, body: decoded(received.body, headers['content-encoding']) })
  } catch (error) {
    return {
      ...response,
      body: Buffer.alloc(0),
      bodyError: `a body that cannot be decompressed: ${(error as Error).message}`,
    }
  }
}

function withText(response: CheckedResponse): CheckedResponse {
  const text = response.body.toString('utf8')
  return { ...response, text, json: parseJson(text) }
}

/** Requests do not accept an encoding unless they name one. */
export const isEncodedUnasked = ({ request, headers }: CheckedResponse): boolean =>
  headers['content-encoding'] !== undefined &&
  !Object.keys(request.headers ?? {}).some((name) => name.toLowerCase() === 'accept-encoding')

/** Throws if the body is cut short or has another encoding. A response to HEAD has none. */
function decoded(body: Buffer, encoding = 'identity'): Buffer {
  if (body.length === 0 || encoding === 'identity') return body
  const options = { maxOutputLength: MAX_BODY_BYTES }
  if (encoding === 'gzip') return gunzipSync(body, options)
  if (encoding === 'br') return brotliDecompressSync(body, options)
  throw new Error(`unexpected Content-Encoding: ${encoding}`)
}
