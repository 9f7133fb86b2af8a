import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest, Agent as TlsAgent } from 'node:https'
import { ConnectionError, connectionError } from '../../lib/connection-failures.ts'
import { type Answer, createAnswer, type Request } from './answer.ts'
import type { Target } from './target.ts'

/** No answer of the contract takes longer, unless something in between waits for what never comes. */
export const TIMEOUT_MS = 20_000
/** The largest answer of `/tasks` is 13.2 MB (docs/rest.md). */
export const MAX_BODY_BYTES = 16 * 1024 * 1024
/** RFC 9110, 10.1.1: a client does not wait for 100 Continue for ever. Also how long a body of the mode `late` is held back. */
const HELD_BACK_MS = 1500

/** Sends one request and reads its whole answer. Redirects are not followed. */
export type Exchange = (request: Request, headers: Record<string, string>) => Promise<Answer>

/** One connection at a time, kept open between requests as most clients do. */
export function createExchange({ url, ca }: Target): { exchange: Exchange; close(): void } {
  const isTls = url.protocol === 'https:'
  const agent = isTls
    ? new TlsAgent({ keepAlive: true, maxSockets: 1, ...(ca !== undefined && { ca }) })
    : new Agent({ keepAlive: true, maxSockets: 1 })
  const send = isTls ? httpsRequest : httpRequest

  function once(request: Request, headers: Record<string, string>): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const options: RequestOptions = { agent, method: request.method, path: request.path, headers, setHost: true }
    const sent = send(url, options)
    const timer = setTimeout(
      () => sent.destroy(new ConnectionError(`no whole answer within ${TIMEOUT_MS / 1000} seconds`)),
      TIMEOUT_MS,
    )
    const settle = (then: () => void) => {
      clearTimeout(timer)
      then()
    }
    let isAnswered = false
    sent.on('response', (response) => {
      isAnswered = true
      read(response).then(
        ({ body, isWhole }) =>
          settle(() => {
            if (!isWhole) return reject(new ConnectionError('the answer was cut short'))
            const { httpVersion, statusCode = 0, rawHeaders } = response
            const early = request.bodyMode === 'late' ? { cameEarly: !sent.writableEnded } : {}
            if (!sent.writableEnded) sent.destroy()
            resolve(createAnswer({ request, httpVersion, status: statusCode, rawHeaders, body, ...early }))
          }),
        (error) => settle(() => reject(connectionError(error))),
      )
    })
    sent.on('error', (error) => {
      // A server that refuses a body may answer before it has read it.
      if (!isAnswered) settle(() => reject(Object.assign(connectionError(error), { isStale: sent.reusedSocket })))
    })
    writeBody(sent, request)
    return promise
  }

  return {
    async exchange(request, headers) {
      try {
        return await once(request, headers)
      } catch (error) {
        // An open connection may be closed by the other side at any moment; every request here only reads.
        if (!(error as { isStale?: boolean }).isStale) throw error
        return once(request, headers)
      }
    },
    close: () => agent.destroy(),
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

async function read(response: IncomingMessage): Promise<{ body: Buffer; isWhole: boolean }> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > MAX_BODY_BYTES) {
      response.destroy()
      throw new ConnectionError(`the answer is larger than ${MAX_BODY_BYTES} bytes`)
    }
    chunks.push(chunk)
  }
  return { body: Buffer.concat(chunks), isWhole: response.complete }
}
