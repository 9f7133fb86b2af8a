import { createServer } from 'node:http'
import type { TestContext } from 'node:test'
import { listen } from '../../support/listen.ts'

interface Callback {
  url: string
  /** The parameters with which the browser returned. */
  received: Promise<URLSearchParams>
}

/** Where a program on the person's own machine waits for its code. */
export async function startCallback(t: TestContext, path = '/callback'): Promise<Callback> {
  const { promise, resolve } = Promise.withResolvers<URLSearchParams>()
  const server = createServer((req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '', 'http://callback')
    res.setHeader('content-type', 'text/html').end('<!doctype html><title>Done</title><p>You can close this window.')
    if (pathname === path) resolve(searchParams)
  })
  const port = await listen(server)
  t.after(async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })
  return { url: `http://127.0.0.1:${port}${path}`, received: promise }
}
