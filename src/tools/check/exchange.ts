import type { ClientRequest } from 'node:http'
import { createHttpClient } from '../../lib/http-client.ts'
import { createResponse, type HttpResponse, type Request } from './response.ts'

/** Where the deployment is, and whom to trust there instead of the usual authorities. */
export interface Target {
  /** Without a path: the contract's paths stand at the root. */
  url: URL
  /** PEM certificates. */
  ca?: string
}

/** No response of the contract takes longer, unless something in between waits for what never comes. */
export const TIMEOUT_MS = 20_000
/** The largest response of `/tasks` has 13.2 MB (docs/rest.md). */
export const MAX_BODY_BYTES = 16 * 1024 * 1024
/** RFC 9110, 10.1.1: a client does not wait for 100 Continue for ever. Also how long a body of the mode `late` is held back. */
const HELD_BACK_MS = 1500

/** Sends one request and reads its whole response. Redirects are not followed. */
export type Exchange = (request: Request, headers: Record<string, string>) => Promise<HttpResponse>

/** Over HTTP/1.1, one connection at a time, which stays open between requests as with most clients. */
export function createExchange({ url, ca }: Target): { exchange: Exchange; close(): void } {
  const limits = { maxConnections: 1, timeoutMs: TIMEOUT_MS, maxBodyBytes: MAX_BODY_BYTES }
  const { send, close } = createHttpClient(url, { ...limits, ca })
  return {
    async exchange(request, headers) {
      const { method, path, bodyMode } = request
      const { sent, response, body } = await send({ method, path, headers }, (begun) => writeBody(begun, request))
      const { httpVersion, statusCode: status = 0, rawHeaders } = response
      const early = bodyMode === 'late' ? { cameEarly: !sent.writableEnded } : {}
      // A server that refuses a body may respond before it has read it.
      if (!sent.writableEnded) sent.destroy()
      return createResponse({ request, httpVersion, status, rawHeaders, body, ...early })
    },
    close,
  }
}

function writeBody(sent: ClientRequest, { body, bodyMode }: Request): void {
  if (body === undefined || bodyMode === undefined) return void sent.end(body)
  if (bodyMode === 'chunked') {
    const half = Math.floor(body.length / 2)
    sent.write(body.slice(0, half))
    return void sent.end(body.slice(half))
  }
  const proceed = () => {
    clearTimeout(timer)
    if (!sent.destroyed && !sent.writableEnded) sent.end(body)
  }
  const timer = setTimeout(proceed, HELD_BACK_MS)
  sent.once('close', () => clearTimeout(timer))
  if (bodyMode === 'continue') sent.once('continue', proceed)
  sent.flushHeaders()
}
