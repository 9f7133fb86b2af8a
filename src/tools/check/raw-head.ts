import { connect as connectPlain } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { ConnectionError, connectionError } from '../../lib/connection-failures.ts'
import { TIMEOUT_MS } from './exchange.ts'
import { createResponse, type HttpResponse, type Request } from './response.ts'
import { addressOf, type Target } from './target.ts'

/** More than the head of any response. */
const MAX_BYTES = 65_536

/** Sends a HEAD on a connection of its own and keeps what follows the head: Node's client would discard it. */
export async function rawHead(
  target: Target,
  request: Request,
  headers: Record<string, string>,
): Promise<HttpResponse> {
  const { url } = target
  const address = addressOf(target)
  const socket = url.protocol === 'https:' ? connectTls(address) : connectPlain(address)
  const timer = setTimeout(
    () => socket.destroy(new ConnectionError(`no whole answer within ${TIMEOUT_MS / 1000} seconds`)),
    TIMEOUT_MS,
  )
  const lines = [`HEAD ${request.path} HTTP/1.1`, `Host: ${url.host}`, 'Connection: close']
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  try {
    let bytes = Buffer.alloc(0)
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      bytes = Buffer.concat([bytes, chunk])
      if (bytes.length > MAX_BYTES) break
    }
    return parse(request, bytes)
  } catch (error) {
    throw connectionError(error)
  } finally {
    clearTimeout(timer)
    socket.destroy()
  }
}

function parse(request: Request, bytes: Buffer): HttpResponse {
  const headEnd = bytes.indexOf('\r\n\r\n')
  const [first = '', ...lines] = bytes.toString('latin1', 0, Math.max(0, headEnd)).split('\r\n')
  const [, httpVersion = '', status = ''] = /^HTTP\/(\d\.\d) (\d{3})/.exec(first) ?? []
  if (headEnd === -1 || status === '') throw new ConnectionError('the server does not speak HTTP there')
  const rawHeaders = lines.flatMap((line) => {
    const colonAt = line.indexOf(':')
    return colonAt === -1 ? [] : [line.slice(0, colonAt), line.slice(colonAt + 1).trim()]
  })
  return createResponse({ request, httpVersion, status: Number(status), rawHeaders, body: bytes.subarray(headEnd + 4) })
}
