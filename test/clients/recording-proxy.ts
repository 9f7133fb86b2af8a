import { createServer, request as forward, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { bearer } from './fixture.ts'
import { check, type Exchange } from './wire.ts'

interface RecordingProxy {
  url: string
  /** Fails if one of them broke the protocol's schema. */
  exchanges(): Exchange[]
}

/**
 * Stands before a service for clients that are programs: passes everything on unchanged and records it. Adds the key for those
 * that cannot send one. The service may start after it, if it has to know the proxy's URL.
 */
export async function startRecordingProxy(
  t: TestContext,
  serviceUrl: string | (() => string),
  key?: string,
): Promise<RecordingProxy> {
  const exchanges: Exchange[] = []
  // A client that a busy machine pauses would send its next request on a connection that had just timed out.
  const proxy = createServer({ keepAliveTimeout: 0 }, async (req, res) => {
    try {
      const { hostname, port } = new URL(typeof serviceUrl === 'string' ? serviceUrl : serviceUrl())
      const request = await bodyOf(req)
      const { method: verb = '', url: path = '' } = req
      const headers = [...req.rawHeaders, ...(key === undefined ? [] : Object.entries(bearer(key)).flat())]
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const onward = forward({ hostname, port, method: verb, path, headers, agent: false }, resolve)
        onward.on('error', reject).end(request)
      })
      const body = await bodyOf(response)
      const exchange = {
        verb,
        path,
        headers: new Headers(Object.entries(req.headers).map(([name, value]) => [name, String(value)])),
        request: request.toString(),
        status: response.statusCode ?? 0,
        contentType: response.headers['content-type'] ?? null,
        response: body.toString(),
      }
      exchanges.push(exchange)
      res.writeHead(exchange.status, response.rawHeaders).end(body)
    } catch {
      res.destroy()
    }
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  t.after(async () => {
    proxy.closeAllConnections()
    await new Promise((resolve) => proxy.close(resolve))
  })
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, exchanges: () => exchanges.map(check) }
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await message.toArray())
}
