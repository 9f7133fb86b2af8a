import type { Socket } from 'node:net'
import { IncomingMessage, ServerResponse } from '../lib/node-http.ts'

/** The requests that were one too many for their connections, until those have closed. */
const discarded = new Map<Socket, { req: IncomingMessage; res: ServerResponse }>()

/**
 * Closes the connection. Node still parses the rest of the 64 KiB that it has read, thousands of small requests. They get the objects
 * of this one, because their own would exhaust the memory when many connections do the same.
 */
export function discard(req: IncomingMessage, res: ServerResponse): void {
  const { socket } = req
  discarded.set(socket, { req, res })
  res.setMaxListeners(0)
  socket.once('close', () => discarded.delete(socket)).destroy()
}

function RequestOf(socket: Socket): IncomingMessage {
  return discarded.get(socket)?.req ?? new IncomingMessage(socket)
}

function ResponseOf(req: IncomingMessage, options: object): ServerResponse {
  return discarded.get(req.socket)?.res ?? new Response(req, options)
}

const Response = ServerResponse as new (req: IncomingMessage, options: object) => ServerResponse

/** Options of a server. Node calls these as constructors, whose results then replace the new objects. */
export const messageClasses = {
  IncomingMessage: RequestOf as unknown as typeof IncomingMessage,
  ServerResponse: ResponseOf as unknown as typeof ServerResponse,
}
