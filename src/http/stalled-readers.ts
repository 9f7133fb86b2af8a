import type { Socket } from 'node:net'

/** Node's internal handle: bytes handed to the kernel, and those of them that it has not accepted yet. */
type WritingSocket = Socket & { _handle?: { bytesWritten: number; writeQueueSize: number } | null }

interface Progress {
  sent: number
  since: number
}

/**
 * Finds sockets whose client reads nothing of the responses that wait for it. A client that reads a little now and then is slow,
 * not stalled; one for which nothing waits is idle.
 */
export class StalledReaders {
  readonly #timeoutMs: number
  #progress = new Map<Socket, Progress>()

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  /** Called at intervals with all open sockets. Returns those that have made no progress for too long. */
  find(sockets: Iterable<Socket>, now: number): Socket[] {
    const before = this.#progress
    const progress = new Map<Socket, Progress>()
    const stalled: Socket[] = []
    for (const socket of sockets) {
      if (socket.writableLength === 0) continue
      const sent = sentBytes(socket)
      const last = before.get(socket)
      const since = last?.sent === sent ? last.since : now
      if (now - since >= this.#timeoutMs) stalled.push(socket)
      else progress.set(socket, { sent, since })
    }
    this.#progress = progress
    return stalled
  }
}

/** `bytesWritten` alone counts a large response as written as soon as its write starts. */
function sentBytes(socket: WritingSocket): number {
  const { _handle: handle } = socket
  return handle ? handle.bytesWritten - handle.writeQueueSize : socket.bytesWritten
}
