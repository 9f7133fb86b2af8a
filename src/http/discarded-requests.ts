import type { Socket } from 'node:net'
import { IncomingMessage, ServerResponse } from '../lib/node-http.ts'

/** The requests that were one too many for their connections. */
const discarded = new WeakMap<Socket, { req: IncomingMessage; res: ServerResponse }>()

/**
 * Closes the connection. Node still parses the rest of the 64 KiB that it has read, thousands of small requests. They get the objects
 * of this one, because their own would exhaust the memory when many connections do the same.
 */
export function discard(req: IncomingMessage, res: ServerResponse): void {
  discarded.set(req.socket, { req, res })
  res.setMaxListeners(0)
  req.socket.destroy()
}

function RequestOf(socket: Socket): IncomingMessage {
  return (socket.destroyed ? discarded.get(socket)?.req : undefined) ?? new IncomingMessage(socket)
}

function ResponseOf(req: IncomingMessage, ...options: unknown[]): ServerResponse {
  const Response = ServerResponse as new (req: IncomingMessage, ...options: unknown[]) => ServerResponse
  return (req.socket.destroyed ? discarded.get(req.socket)?.res : undefined) ?? new Response(req, ...options)
}

/** Options of a server. Node calls these as constructors, whose results then replace the new objects. */
export const messageClasses = {
  IncomingMessage: RequestOf as unknown as typeof IncomingMessage,
  ServerResponse: ResponseOf as unknown as typeof ServerResponse,
}
