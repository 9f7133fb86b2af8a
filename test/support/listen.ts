import { randomInt } from 'node:crypto'
import type { Server as HttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import type { TestContext } from 'node:test'

/** Makes a server listen on any free loopback port; returns the port. */
export async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve))
  return (server.address() as AddressInfo).port
}

/** Also closes the HTTP server and its connections when the test ends. */
export async function listenUntilEnd(t: TestContext, server: HttpServer, host?: string): Promise<number> {
  const port = await listen(server, host)
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return port
}

/** A port on which nothing listens. It is below those that the system assigns, so no other server or client gets it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000)
    if (await isFree(port)) return port
  }
}

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
