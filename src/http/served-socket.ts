import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Node's internals on a server's socket: the current response, while those behind it wait in Node's own queue, and the parser
 * with the request that it read last or is reading.
 */
export type ServedSocket = Socket & {
  _httpMessage?: ServerResponse | null
  parser?: { incoming: IncomingMessage | null } | null
}

/** Calls back when every request read from the socket so far has been answered in full, or the socket is closed. */
export function whenAnswered(socket: ServedSocket, next: () => void): void {
  const current = socket._httpMessage
  // When a response emits `close`, the one behind it has already taken its place.
  if (current && !socket.destroyed) current.once('close', () => whenAnswered(socket, next))
  else next()
}

/** Whether answers are being sent, or requests that were read wait for theirs. */
export const isAnswering = (socket: ServedSocket): boolean =>
  Boolean(socket._httpMessage) || socket.writableLength > 0 || socket.isPaused()
