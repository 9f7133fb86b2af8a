import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { listen, listenUntilEnd } from './listen.ts'

interface SourceServer {
  origin: string
  url(path?: string): URL
  /** Its requests, in order. */
  requests: IncomingMessage[]
}

/** A server that snapshots are fetched from, on a real socket. */
export async function sourceServer(
  t: TestContext,
  respond: (request: IncomingMessage, response: ServerResponse) => void,
  tls?: { key: string; cert: string },
): Promise<SourceServer> {
  const requests: IncomingMessage[] = []
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    requests.push(request)
    respond(request, response)
  }
  const server: Server = tls === undefined ? createServer(handle) : createTlsServer(tls, handle)
  const port = await listenUntilEnd(t, server)
  const origin = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`
  return { origin, requests, url: (path = '/tasks.json') => new URL(path, origin) }
}

/** The same without an HTTP library: it can write anything once a request's head has arrived. */
export async function rawServer(t: TestContext, respond: (socket: Socket) => void): Promise<URL> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', () => respond(socket))
  })
  const port = await listen(server)
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return new URL(`http://127.0.0.1:${port}/tasks.json`)
}
