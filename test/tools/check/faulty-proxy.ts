import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import type { TestContext } from 'node:test'
import { listen } from '../../support/listen.ts'

/** A request on its way: a fault may change it. */
interface Passing {
  method: string
  path: string
  /** By lower-case name. */
  headers: Record<string, string>
}

/** A response on its way: a fault may change it. */
export interface Answered {
  status: number
  headers: Record<string, string | string[]>
  body: Buffer
}

export interface Fault {
  /** Changes the request, responds to it itself, or closes its connection. */
  request?(request: Passing): Answered | 'dropped' | undefined
  /** `sent` is the request as the client sent it. */
  respond?(response: Answered, sent: Passing): void
  /** How much longer the Content-Length is than the body; the connection is closed after a body that is too short. */
  lengthError?(sent: Passing): number
}

/** A proxy that passes everything on unchanged, except for its fault. */
export async function startFaultyProxy(t: TestContext, target: string, fault: Fault): Promise<string> {
  const server = createServer({ maxHeaderSize: 65_536 }, (req, res) => {
    const { method = '', url: path = '' } = req
    const sent = { method, path, headers: { ...(req.headers as Record<string, string>) } }
    const passing = structuredClone(sent)
    const respond = (response: Answered) => {
      fault.respond?.(response, sent)
      const { status, headers, body } = response
      const lengthError = body.length === 0 ? 0 : (fault.lengthError?.(sent) ?? 0)
      const length =
        status === 204 || status === 304 || method === 'HEAD' ? {} : { 'content-length': body.length + lengthError }
      res.writeHead(status, { ...headers, ...length })
      if (lengthError > 0) res.write(body, () => res.destroy())
      else res.end(body)
    }
    const own = fault.request?.(passing)
    if (own === 'dropped') return void req.socket.destroy()
    if (own !== undefined) {
      req.resume()
      return respond(own)
    }
    const upstream = httpRequest(target + passing.path, { method: passing.method, headers: passing.headers })
    upstream.on('response', async (response: IncomingMessage) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      const { connection, 'keep-alive': _, 'transfer-encoding': __, ...headers } = response.headers
      respond({
        status: response.statusCode ?? 0,
        headers: headers as Record<string, string>,
        body: Buffer.concat(chunks),
      })
    })
    upstream.on('error', () => res.destroy())
    upstream.flushHeaders()
    req.pipe(upstream)
  })
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${await listen(server)}`
}
