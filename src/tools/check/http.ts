import type { ClientRequest, IncomingMessage } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { ConnectionError } from '../../lib/connection-failures.ts'
import { createHttpClient, MAX_BODY_BYTES, TimeoutError } from '../../lib/http-client.ts'
import { parseJson } from '../../lib/json-text.ts'

export interface Target {
  /** Has no path, since the contract's paths are at the root. */
  url: URL
  /** If a response takes longer, a proxy is waiting for something that never arrives. */
  timeoutMs?: number
}

/** Headers are sent exactly as written. */
export interface Request {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string
  /** Otherwise the body has a Content-Length. */
  isChunked?: boolean
  /** Requests with the key count against its quota. */
  withKey?: boolean | 'in other case'
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

/** Keeps one connection open between requests, as most clients do, and does not follow redirects. */
export function createSender({ url, timeoutMs = TIMEOUT_MS }: Target) {
  const http = createHttpClient(url, { maxConnections: 1, timeoutMs })
  return {
    async send(request: Request, headers: Record<string, string>): Promise<CheckedResponse> {
      const { method, path, body: toSend, isChunked } = request
      let head: IncomingMessage | undefined
      const begin = (begun: ClientRequest) => {
        begun.once('response', (response) => {
          head = response
        })
        if (isChunked) begun.write(toSend?.slice(0, 1))
        begun.end(isChunked ? toSend?.slice(1) : toSend)
      }
      try {
        const { sent, response, body } = await http.send({ method, path, headers }, begin)
        // A server that refuses a body may respond before reading it.
        if (!sent.writableEnded) sent.destroy()
        return createResponse(request, response, body)
      } catch (error) {
        // A server that sends a byte now and then does not respond: each check would wait for it.
        if (head === undefined || error instanceof TimeoutError || !(error instanceof ConnectionError)) throw error
        return createResponse(request, head, Buffer.alloc(0), error.message)
      }
    },
    close: http.close,
  }
}

function createResponse(
  request: Request,
  { statusCode: status = 0, rawHeaders }: IncomingMessage,
  received: Buffer,
  failure?: string,
): CheckedResponse {
  const headers: Record<string, string> = {}
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = String(rawHeaders[at]).toLowerCase()
    const value = String(rawHeaders[at + 1])
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
  }
  let [body, bodyError] = [received, failure]
  try {
    // A response that is compressed although it was not asked for is a fault of its own.
    if (!isEncodedUnasked({ request, headers })) body = decoded(received, headers['content-encoding'])
  } catch (error) {
    body = Buffer.alloc(0)
    bodyError = `a body that cannot be decompressed: ${(error as Error).message}`
  }
  const text = body.toString('utf8')
  const read = { request, status, rawHeaders, headers, body, text, json: parseJson(text) }
  return bodyError === undefined ? read : { ...read, bodyError }
}

/** Requests do not accept an encoding unless they name one. */
export const isEncodedUnasked = ({ request, headers }: Pick<CheckedResponse, 'request' | 'headers'>): boolean =>
  headers['content-encoding'] !== undefined && request.headers?.['Accept-Encoding'] === undefined

/** Throws if the body is cut short or has another encoding. A response to HEAD has none. */
function decoded(body: Buffer, encoding = 'identity'): Buffer {
  if (body.length === 0 || encoding === 'identity') return body
  const options = { maxOutputLength: MAX_BODY_BYTES }
  if (encoding === 'gzip') return gunzipSync(body, options)
  if (encoding === 'br') return brotliDecompressSync(body, options)
  throw new Error(`unexpected Content-Encoding: ${encoding}`)
}
