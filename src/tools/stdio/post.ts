import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest, Agent as TlsAgent } from 'node:https'
import { ConnectionError, connectionError } from '../../lib/connection-failures.ts'
import { version } from '../../version.ts'

export interface HttpAnswer {
  status: number
  headers: IncomingMessage['headers']
  body: string
}

/** For a whole answer. Clients wait a minute for one; the server gives up before. */
const TIMEOUT_MS = 60_000
/** An answer of 2025-03-26 holds up to 100 whole tasks, at their longest 15.4 MB; older servers answer both protocols with more. */
const MAX_BODY_BYTES = 64 * 1024 * 1024

export type Post = (body: string, headers: Record<string, string>) => Promise<HttpAnswer>

/** Sends requests to one URL over connections that stay open. Redirects are not followed: the key is for this host. */
export function createPost(
  url: URL,
  key: string,
  maxConnections: number,
  timeoutMs = TIMEOUT_MS,
): { post: Post; close(): void } {
  const isTls = url.protocol === 'https:'
  const agent = new (isTls ? TlsAgent : Agent)({ keepAlive: true, maxSockets: maxConnections })
  const request = isTls ? httpsRequest : httpRequest
  const own = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'user-agent': `vitrine-stdio/${version}`,
  }

  function send(body: string, headers: Record<string, string>): Promise<HttpAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>()
    const length = { 'content-length': String(Buffer.byteLength(body)) }
    const sent = request(url, { agent, method: 'POST', headers: { ...headers, ...own, ...length } })
    const timer = setTimeout(() => {
      reject(new ConnectionError(`there was no answer within ${timeoutMs / 1000} seconds; check the server`))
      sent.destroy()
    }, timeoutMs)
    sent.once('close', () => clearTimeout(timer))
    sent.once('response', (response) => {
      // Something in between may repeat what it was sent, and clients log what they read.
      const withoutKey = (text: string) => text.replaceAll(key, '[key]')
      read(response).then(
        (text) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: withoutKey(text) }),
        reject,
      )
    })
    sent.on('error', (error) => reject(Object.assign(error, { isStale: sent.reusedSocket })))
    sent.end(body)
    return promise
  }

  async function post(body: string, headers: Record<string, string>): Promise<HttpAnswer> {
    try {
      return await send(body, headers).catch((error: { isStale?: boolean }) => {
        // A connection that was kept may have been closed meanwhile, as by a restart; every request only reads.
        if (error.isStale !== true) throw error
        return send(body, headers)
      })
    } catch (error) {
      throw connectionError(error)
    }
  }

  return { post, close: () => agent.destroy() }
}

async function read(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of response as AsyncIterable<Buffer>) {
    bytes += piece.length
    if (bytes > MAX_BODY_BYTES) throw new ConnectionError('the answer is too large to be one of Vitrine; check the URL')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}
