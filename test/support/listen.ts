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

/** Listeners on these ports reserve as many others, each at the same position of its range. */
const RESERVATIONS = 21_000
const PORTS = 10_000

/**
 * A port on which nothing listens. It is below those that the system assigns, so no other server or client gets it, and it is reserved
 * for as long as this process runs, so no other caller does.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const position = randomInt(RESERVATIONS - PORTS)
    const reservation = await tryListen(RESERVATIONS + position)
    const listener = reservation && (await tryListen(PORTS + position))
    if (listener !== undefined) {
      await new Promise((resolve) => listener.close(resolve))
      return PORTS + position
    }
    reservation?.close()
  }
}

/** Undefined if the port is taken. Does not keep the process alive. */
const tryListen = (port: number) =>
  new Promise<Server | undefined>((resolve) => {
    const server = createServer().unref()
    server.once('error', () => resolve(undefined)).listen(port, '127.0.0.1', () => resolve(server))
  })
