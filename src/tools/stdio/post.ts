import type { IncomingHttpHeaders } from 'node:http'
import { createHttpClient } from '../../lib/http-client.ts'
import { version } from '../../version.ts'

export interface HttpResponse {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

/** Clients wait a minute for a response; the server gives up before. */
const TIMEOUT_MS = 60_000
/** A response of 2025-03-26 holds up to 100 whole tasks, at their longest 15.4 MB; older servers send more in both protocols. */
const MAX_BODY_BYTES = 64 * 1024 * 1024

export type Post = (body: string, headers: Record<string, string>) => Promise<HttpResponse>

/** Sends requests to one URL. Redirects are not followed: the key is for this host. */
export function createPost(
  url: URL,
  key: string,
  maxConnections: number,
  timeoutMs = TIMEOUT_MS,
): { post: Post; close(): void } {
  const { send, close } = createHttpClient(url, { maxConnections, timeoutMs, maxBodyBytes: MAX_BODY_BYTES })
  const own = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'user-agent': `vitrine-stdio/${version}`,
  }

  async function post(text: string, headers: Record<string, string>): Promise<HttpResponse> {
    const length = { 'content-length': String(Buffer.byteLength(text)) }
    const options = { method: 'POST', headers: { ...headers, ...own, ...length } }
    const { response, body } = await send(options, (sent) => sent.end(text))
    // Something in between may repeat what it was sent, and clients log what they read.
    const withoutKey = body.toString('utf8').replaceAll(key, '[key]')
    return { status: response.statusCode ?? 0, headers: response.headers, body: withoutKey }
  }

  return { post, close }
}
