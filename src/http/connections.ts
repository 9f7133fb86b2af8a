import type { Socket } from 'node:net'
import { FairShare, type Occupancy } from '../lib/fair-share.ts'
import type { Logger } from '../lib/logger.ts'
import { networkOf } from '../lib/network.ts'
import { logLine } from '../log-lines.ts'
import { peerAddress } from './client-address.ts'
import { throttled } from './logging.ts'
import { sentBytes } from './node-internals.ts'

/** The largest share that one network may hold. */
const MAX_SHARE = 1 / 4

/** Limits connections, and each network's share of them. Behind a trusted proxy, one address may hold all. */
export class Connections {
  readonly #share: FairShare
  readonly open = new Set<Socket>()
  /** Since the server started. */
  refused = 0
  readonly #warn: () => void

  constructor(max: number, trustedProxies: number, log: Logger) {
    this.#share = new FairShare(max, trustedProxies > 0 ? 1 : MAX_SHARE)
    this.#warn = throttled((times) => logLine(log, 'connectionsRefused', { times }))
  }

  get occupancy(): Occupancy {
    return this.#share.occupancy
  }

  /** Closes the connection if it is beyond the limits. */
  add(socket: Socket): void {
    const network = networkOf(peerAddress(socket) ?? '')
    if (this.#share.isFull || this.#share.hasFullShare(network)) {
      socket.destroy()
      this.refused++
      this.#warn()
      return
    }
    this.#share.take(network, 1)
    this.open.add(socket)
    socket.once('close', () => {
      this.open.delete(socket)
      this.#share.release(network, 1)
    })
  }
}

/**
 * Finds sockets whose clients have stopped reading their responses, when called periodically with all open ones. Slow and idle
 * clients do not count.
 */
export function stalledReaders(timeoutMs: number): (sockets: Iterable<Socket>, now: number) => Socket[] {
  let progress = new Map<Socket, { sent: number; since: number }>()
  return (sockets, now) => {
    const before = progress
    progress = new Map()
    const stalled: Socket[] = []
    for (const socket of sockets) {
      if (socket.writableLength === 0) continue
      const sent = sentBytes(socket)
      const last = before.get(socket)
      const since = last?.sent === sent ? last.since : now
      if (now - since >= timeoutMs) stalled.push(socket)
      else progress.set(socket, { sent, since })
    }
    return stalled
  }
}
