import { readFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { request } from 'node:https'
import { type HttpResponse, readResponse, type Sent, textResponse } from '../support/exchange.ts'
import type { RunningProxy } from './proxies.ts'

/** Longer than any timeout of the documented configurations, so that what hangs is named. */
const TIMEOUT_MS = 60_000

/** One exchange over TLS with HTTP/1.1, on a connection of its own. */
export function overHttp1(proxy: RunningProxy, path: string, { method = 'GET', headers = {}, body }: Sent = {}) {
  return new Promise<HttpResponse>((resolve, reject) => {
    const length = body === undefined || Array.isArray(body) ? {} : { 'content-length': Buffer.byteLength(body) }
    const ca = readFileSync(proxy.caFile)
    const options = { ca, method, headers: { ...length, ...headers }, agent: false as const }
    const req = request(new URL(path, proxy.url), options)
    req.on('response', (res) => readResponse(res).then(resolve, reject))
    req.on('error', reject)
    req.setTimeout(TIMEOUT_MS, () => req.destroy(new Error(`nothing was received for ${TIMEOUT_MS} ms`)))
    req.end(body)
  })
}

/** The same with HTTP/2, as most clients would. */
export function overHttp2(proxy: RunningProxy, path: string, { method = 'GET', headers = {}, body }: Sent = {}) {
  return new Promise<HttpResponse>((resolve, reject) => {
    const session = connectHttp2(proxy.url, { ca: readFileSync(proxy.caFile) })
    session.on('error', reject)
    const stream = session.request({ ':path': path, ':method': method, ...headers })
    const received: Record<string, string> = {}
    const chunks: Buffer[] = []
    stream.on('response', (named) => {
      for (const [name, value] of Object.entries(named)) received[name] = String(value)
    })
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('error', reject)
    // Not 'close': Node.js may never emit that if the server responds and resets the stream while the body is being sent.
    stream.on('end', () => {
      session.destroy()
      const { ':status': status, ...rest } = received
      if (status === undefined) reject(new Error('the stream ended without a response'))
      else resolve(textResponse(Number(status), rest, Buffer.concat(chunks)))
    })
    stream.on('close', () => reject(new Error('the stream was closed before the response was complete')))
    stream.setTimeout(TIMEOUT_MS, () => stream.destroy(new Error(`nothing was received for ${TIMEOUT_MS} ms`)))
    stream.end(body)
  })
}
