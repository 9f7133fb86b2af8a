/** Uses separate connections for what Node's HTTP/1.1 client does not expose: HTTP/2, and a body after HEAD. */
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect as connectPlain, isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { readUpTo } from '../../lib/chunks.ts'
import { ConnectionError, connectionError } from '../../lib/connection-failures.ts'
import { MAX_BODY_BYTES } from '../../lib/http-client.ts'
import { createResponse, type SendRequest, type Target, TIMEOUT_MS } from './http.ts'

/** Node rejects brackets around an address, and an address as a server name. */
function addressOf({ url, ca }: Target) {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  return { host, port, servername: isIP(host) === 0 ? host : '', ca }
}

async function readAll(stream: Duplex, timeoutMs = TIMEOUT_MS): Promise<Buffer> {
  const tooSlow = new ConnectionError(`no complete response within ${timeoutMs / 1000} seconds`)
  using _timer = setTimeout(() => stream.destroy(tooSlow), timeoutMs)
  try {
    const whole = await readUpTo(stream, MAX_BODY_BYTES)
    if (whole === undefined) throw new ConnectionError('the response is too large')
    return whole
  } catch (error) {
    throw connectionError(error)
  } finally {
    stream.destroy()
  }
}

/** Heads that come before the final one (RFC 9110, 15.2), such as 103 Early Hints. */
const INTERIM = /^(?:HTTP\/\d\.\d 1\d\d.*\r\n(?:.+\r\n)*\r\n)*/

/** Returns the bytes after the headers as the body; Node's client would discard them. */
export const sendHead =
  (target: Target): SendRequest =>
  async (request, headers) => {
    const { url } = target
    const socket = url.protocol === 'https:' ? connectTls(addressOf(target)) : connectPlain(addressOf(target))
    const lines = Object.entries({ Host: url.host, Connection: 'close', ...headers }).map((each) => each.join(': '))
    socket.write(`HEAD ${request.path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
    const received = await readAll(socket)
    const bytes = received.subarray(INTERIM.exec(received.toString('latin1'))?.[0].length)
    const headEnd = bytes.indexOf('\r\n\r\n')
    const [first = '', ...fields] = bytes.toString('latin1', 0, Math.max(0, headEnd)).split('\r\n')
    const [, status] = /^HTTP\/\d\.\d (\d{3})/.exec(first) ?? []
    if (status === undefined) throw new ConnectionError('the server does not use HTTP on this port')
    const rawHeaders = fields.flatMap((field) => /^([^:]*):\s*(.*?)\s*$/.exec(field)?.slice(1) ?? [])
    return createResponse({ request, status: Number(status), rawHeaders, body: bytes.subarray(headEnd + 4) })
  }

/** These headers belong to HTTP/1.1 connections (RFC 9113, 8.2.2). */
const NOT_IN_HTTP2 = /^(connection|keep-alive|transfer-encoding|upgrade|expect|host)$/i

/** Undefined if the server does not select HTTP/2 through ALPN. Without TLS, it is never offered. */
export async function openHttp2(
  target: Target,
  timeoutMs = TIMEOUT_MS,
): Promise<({ send: SendRequest } & Disposable) | undefined> {
  if (target.url.protocol !== 'https:') return undefined
  const socket = connectTls({ ...addressOf(target), ALPNProtocols: ['h2', 'http/1.1'] })
  await once(socket, 'secureConnect', { signal: AbortSignal.timeout(timeoutMs) }).catch((error) => {
    socket.destroy()
    throw connectionError(error)
  })
  if (socket.alpnProtocol !== 'h2') return void socket.destroy()
  const session = connectHttp2(target.url, { createConnection: () => socket })
  // The session's requests fail with it.
  session.on('error', () => {})
  return {
    async send(request, headers) {
      const sent = Object.entries(headers).filter(([name]) => !NOT_IN_HTTP2.test(name))
      const stream = session.request({ ':method': request.method, ':path': request.path, ...Object.fromEntries(sent) })
      let status = 0
      const rawHeaders: string[] = []
      stream.on('response', (received) => {
        status = Number(received[':status'])
        for (const [name, value] of Object.entries(received))
          if (!name.startsWith(':')) for (const each of [value].flat()) rawHeaders.push(name, String(each))
      })
      stream.end(request.body)
      const body = await readAll(stream, timeoutMs)
      // A cancelled stream ends like a complete response, without an error.
      if (status === 0 || stream.aborted || stream.rstCode !== 0)
        throw new ConnectionError('the response was truncated')
      return createResponse({ request, status, rawHeaders, body })
    },
    [Symbol.dispose]: () => session.destroy(),
  }
}
