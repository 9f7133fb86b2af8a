import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'
import type { TestContext } from 'node:test'
import { bearer } from './fixture.ts'

/** Stands before a service for clients that cannot send a key: adds it, and passes all else on as it came. */
export async function startKeyAddingProxy(t: TestContext, serviceUrl: string, token: string): Promise<string> {
  const { hostname, port } = new URL(serviceUrl)
  const proxy = createServer((req, res) => {
    const headers = [...req.rawHeaders, ...Object.entries(bearer(token)).flat()]
    const onward = request({ hostname, port, method: req.method, path: req.url, headers, agent: false }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      pipeline(answer, res, () => {})
    })
    pipeline(req, onward, () => {})
    onward.on('error', () => res.destroy())
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  t.after(async () => {
    proxy.closeAllConnections()
    await new Promise((resolve) => proxy.close(resolve))
  })
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}
