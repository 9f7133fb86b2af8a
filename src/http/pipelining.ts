import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { FairShare, type Occupancy } from '../lib/fair-share.ts'
import { networkOf } from '../lib/network.ts'
import { peerAddress } from './client-address.ts'
import { pauseReading, resumeReading, whenItsTurn } from './node-internals.ts'

/** Per connection. Clients that pipeline send fewer. */
export const MAX_UNANSWERED = 16

/** Across all connections, at about 2 KB each. They are already in memory, because Node parses 64 KiB at once. */
export const MAX_WAITING = 10_000
/** The largest share of one network. Beyond it, the connection is closed. */
export const WAITING_SHARE = 1 / 2

interface PipeliningOptions {
  isBusy: () => boolean
  afterTick: (task: () => void) => void
  onTooMany: () => void
}

interface PipelinedConnection {
  network: string
  /** Requests served while an earlier response was still due. */
  unanswered: number
  waiting: number
}

/** Serves a few requests of a connection at once, and the others in later ticks, so that no client delays others. */
export class Pipelining {
  readonly #options: PipeliningOptions
  readonly #connections = new WeakMap<Socket, PipelinedConnection>()
  readonly #waiting = new FairShare(MAX_WAITING, WAITING_SHARE)

  constructor(options: PipeliningOptions) {
    this.#options = options
  }

  get waiting(): Occupancy {
    return this.#waiting.occupancy
  }

  schedule(socket: Socket, res: ServerResponse, serve: () => void): void {
    // A response has no socket until those before it are sent.
    if (res.socket !== null) {
      serve()
      return
    }
    // The parser continues to the end of what it has read.
    if (socket.destroyed) return
    const connection = this.#connections.get(socket) ?? this.#watch(socket)
    if (connection.waiting > 0 || connection.unanswered >= MAX_UNANSWERED - 1 || this.#options.isBusy()) {
      this.#wait(socket, connection, res, serve)
      return
    }
    connection.unanswered++
    res.once('close', () => connection.unanswered--)
    serve()
  }

  #watch(socket: Socket): PipelinedConnection {
    const connection = { network: networkOf(peerAddress(socket) ?? ''), unanswered: 0, waiting: 0 }
    this.#connections.set(socket, connection)
    socket.once('close', () => this.#waiting.release(connection.network, connection.waiting))
    return connection
  }

  #wait(socket: Socket, connection: PipelinedConnection, res: ServerResponse, serve: () => void): void {
    const { network } = connection
    if (this.#waiting.isOver(network)) {
      this.#options.onTooMany()
      socket.destroy()
      return
    }
    this.#waiting.take(network, 1)
    if (connection.waiting++ === 0) pauseReading(socket)
    const serveNow = () => {
      if (socket.destroyed) return
      this.#waiting.release(network, 1)
      if (--connection.waiting === 0) resumeReading(socket)
      serve()
    }
    whenItsTurn(res, () => this.#options.afterTick(serveNow))
  }
}
