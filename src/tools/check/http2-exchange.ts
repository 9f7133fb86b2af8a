import { connect } from 'node:http2'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { ConnectionError, connectionError } from '../../lib/connection-failures.ts'
import { type Exchange, MAX_BODY_BYTES, TIMEOUT_MS } from './exchange.ts'
import { createResponse } from './response.ts'
import { addressOf, type Target } from './target.ts'

/** Of HTTP/1.1 connections, not of HTTP/2 (RFC 9113, 8.2.2). */
const NOT_SENT = /^(connection|keep-alive|transfer-encoding|upgrade|expect|host)$/i

/** Undefined if the server does not choose HTTP/2 by ALPN. Without TLS nobody offers it. */
export async function openHttp2(
  target: Target,
  timeoutMs = TIMEOUT_MS,
): Promise<{ exchange: Exchange; close(): void } | undefined> {
  const { url } = target
  if (url.protocol !== 'https:') return undefined
  const socket = connectTls({ ...addressOf(target), ALPNProtocols: ['h2', 'http/1.1'] })
  await connected(socket)
  if (socket.alpnProtocol !== 'h2') {
    socket.destroy()
    return undefined
  }
  const session = connect(url, { createConnection: () => socket })
  // Requests are told of what happens to their session.
  session.on('error', () => {})
  const exchange: Exchange = (request, headers) => {
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<Exchange>>>()
    const kept = Object.entries(headers).filter(([name]) => !NOT_SENT.test(name))
    const lower = Object.fromEntries(kept.map(([name, value]) => [name.toLowerCase(), value]))
    const stream = session.request({ ':method': request.method, ':path': request.path, ...lower })
    const timer = setTimeout(
      () => stream.destroy(new ConnectionError(`no whole answer within ${timeoutMs / 1000} seconds`)),
      timeoutMs,
    )
    let isWhole = false
    const chunks: Buffer[] = []
    let length = 0
    let status = 0
    const rawHeaders: string[] = []
    stream.on('response', (received) => {
      status = Number(received[':status'])
      for (const [name, value] of Object.entries(received))
        if (!name.startsWith(':')) for (const each of [value].flat()) rawHeaders.push(name, String(each))
    })
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length > MAX_BODY_BYTES) stream.destroy(new ConnectionError('the answer is too large'))
    })
    stream.on('error', (error) => reject(connectionError(error)))
    stream.on('end', () => {
      isWhole = !stream.aborted && status !== 0
    })
    // A server that cancels a stream ends it like a whole response, and without an error.
    stream.on('close', () => {
      clearTimeout(timer)
      if (!isWhole || stream.rstCode !== 0) return reject(new ConnectionError('the answer was cut short'))
      resolve(createResponse({ request, httpVersion: '2.0', status, rawHeaders, body: Buffer.concat(chunks) }))
    })
    stream.end(request.body)
    return promise
  }
  return { exchange, close: () => session.destroy() }
}

async function connected(socket: TLSSocket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new ConnectionError('no connection in time')))
  socket.once('secureConnect', resolve)
  socket.once('error', (error) => reject(connectionError(error)))
  await promise
  socket.setTimeout(0)
}
