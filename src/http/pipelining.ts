import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { FairShare, type Occupancy } from '../lib/fair-share.ts'
import { networkOf } from '../lib/network.ts'
import { peerAddress } from './client-address.ts'
import { pauseReading, resumeReading, whenItsTurn } from './node-internals.ts'

/** Requests of one connection that are served before the first of them is answered. Clients that pipeline send fewer. */
export const MAX_UNANSWERED = 16

/**
 * Requests of all connections that wait until the ones before them are answered. Node parses all of the 64 KiB that it reads
 * at once, so they are in memory already, at about 2 KB each. A connection whose network is over its share is closed.
 */
export const MAX_WAITING = 10_000
/** The most that one network may have of them. */
export const WAITING_SHARE = 1 / 2

interface PipeliningOptions {
  /** While true, each connection may have one unanswered request. */
  isBusy: () => boolean
  /** Runs a task after the current tick of the event loop. */
  afterTick: (task: () => void) => void
  onTooMany: () => void
}

/** A connection that has sent a request before the response to another. */
interface PipelinedConnection {
  network: string
  /** Served while an earlier response was still due. */
  unanswered: number
  waiting: number
}

/**
 * Serves a few requests of a connection at once. Those behind them wait until all before them are answered, and nothing more
 * is read meanwhile. Each is served in a later tick of the event loop, so that no client delays the others. (Node itself
 * stops reading only when responses fill a buffer, after it has served everything it had read.)
 */
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

  /** Called with each request as it is parsed. */
  schedule(socket: Socket, res: ServerResponse, serve: () => void): void {
    // A response has its socket once those before it are sent: at once, unless the client pipelines.
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
