import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * A socket with what Node keeps on it: the response under way, if there is one, while those behind it wait in Node's own
 * queue; and the parser, with the request that it read last, or is reading.
 */
export type ServedSocket = Socket & {
  _httpMessage?: ServerResponse | null
  parser?: { incoming: IncomingMessage | null } | null
}

/** Goes on when every request that was read from the socket so far has its whole answer, or the socket is closed. */
export function whenAnswered(socket: ServedSocket, next: () => void): void {
  const underWay = socket._httpMessage
  // By the time a response tells that it is closed, the one behind it has taken its place.
  if (underWay && !socket.destroyed) underWay.once('close', () => whenAnswered(socket, next))
  else next()
}

/** Whether answers are on their way to the client, or requests that were read wait for theirs. */
export const isAnswering = (socket: ServedSocket): boolean =>
  Boolean(socket._httpMessage) || socket.writableLength > 0 || socket.isPaused()
