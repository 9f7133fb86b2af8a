import type { Socket } from 'node:net'

/** What Node's socket keeps of the system's: bytes given to it, and those of them that it has not taken yet. */
type WritingSocket = Socket & { _handle?: { bytesWritten: number; writeQueueSize: number } | null }

interface Progress {
  taken: number
  since: number
}

/**
 * Finds sockets whose client takes nothing of the answers that wait for it. One that takes a little now and then is slow,
 * not stalled; one for which nothing waits is idle, and not looked at.
 */
export class StalledReaders {
  readonly #timeoutMs: number
  #progress = new Map<Socket, Progress>()

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  /** To be called again and again with all sockets. Gives those that have taken nothing for too long. */
  find(sockets: Iterable<Socket>, now: number): Socket[] {
    const before = this.#progress
    const progress = new Map<Socket, Progress>()
    const stalled: Socket[] = []
    for (const socket of sockets) {
      if (socket.writableLength === 0) continue
      const taken = takenBytes(socket)
      const last = before.get(socket)
      const since = last?.taken === taken ? last.since : now
      if (now - since >= this.#timeoutMs) stalled.push(socket)
      else progress.set(socket, { taken, since })
    }
    this.#progress = progress
    return stalled
  }
}

/** `bytesWritten` alone counts a large answer as written when it is begun. */
function takenBytes(socket: WritingSocket): number {
  const { _handle: handle } = socket
  return handle ? handle.bytesWritten - handle.writeQueueSize : socket.bytesWritten
}
