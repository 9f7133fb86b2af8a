import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { request as httpsRequest, Agent as TlsAgent } from 'node:https'
import { readUpTo } from './chunks.ts'
import { ConnectionError, connectionError } from './connection-failures.ts'
import { Agent, request as httpRequest } from './node-http.ts'

type WriteBody = (sent: ClientRequest) => void

/** Resolves once the response's head arrives, whatever its status. */
export function sendRequest(url: URL, options: RequestOptions, writeBody: WriteBody = (sent) => sent.end()) {
  const sent = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options)
  const { promise: head, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  sent.once('response', resolve)
  // A request may also fail after its response has begun. Then the body's reader gets the error too.
  sent.on('error', reject)
  writeBody(sent)
  return { sent, head }
}

/** A declared list takes up to 32 MB, and more as the text of a tool's result. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024

interface HttpClientOptions {
  maxConnections: number
  /** For the whole response, because a server that sends a byte now and then would never stall. */
  timeoutMs: number
  maxBodyBytes?: number
  /** PEM certificates to trust instead of the usual ones. */
  ca?: string | undefined
}

/** The response did not begin, or did not end, in time. */
export class TimeoutError extends ConnectionError {
  override name = 'TimeoutError'
}

interface WholeResponse {
  sent: ClientRequest
  response: IncomingMessage
  body: Buffer
}

/** Only for reads. Keeps connections open, and does not follow redirects. */
export function createHttpClient(
  url: URL,
  { maxConnections, timeoutMs, maxBodyBytes = MAX_BODY_BYTES, ca }: HttpClientOptions,
) {
  const agentOptions = { keepAlive: true, maxSockets: maxConnections }
  const agent = url.protocol === 'https:' ? new TlsAgent({ ...agentOptions, ca }) : new Agent(agentOptions)

  async function send(options: RequestOptions, writeBody: WriteBody, mayRetry = true): Promise<WholeResponse> {
    const { sent, head } = sendRequest(url, { ...options, agent }, writeBody)
    let inProgress: ClientRequest | IncomingMessage = sent
    const tooSlow = new TimeoutError(
      `there was no complete response within ${timeoutMs / 1000} seconds; check the server`,
    )
    using _timer = setTimeout(() => inProgress.destroy(tooSlow), timeoutMs)
    try {
      const response = await head
      inProgress = response
      return { sent, response, body: await readBody(response, maxBodyBytes) }
    } catch (error) {
      // The server may close an idle connection at any moment, for example when it restarts.
      const isStale = inProgress === sent && sent.reusedSocket && error !== tooSlow
      if (isStale && mayRetry && !options.signal?.aborted) return await send(options, writeBody, false)
      throw connectionError(error)
    }
  }

  return {
    send: (options: RequestOptions, writeBody: WriteBody) => send(options, writeBody),
    close: () => agent.destroy(),
  }
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const body = await readUpTo(response, maxBytes)
  if (body === undefined)
    throw new ConnectionError(`the response has more than ${maxBytes} bytes, unlike any from Vitrine; check the URL`)
  if (!response.complete) throw new ConnectionError('the response was cut short')
  return body
}
