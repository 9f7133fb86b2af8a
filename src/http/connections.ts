import type { Socket } from 'node:net'
import { FairShare, type Occupancy } from '../lib/fair-share.ts'
import type { Logger } from '../lib/logger.ts'
import { networkOf } from '../lib/network.ts'
import { logLine } from '../log-lines.ts'
import { peerAddress } from './client-address.ts'
import { throttled } from './logging.ts'
import type { HttpRequest } from './request.ts'

/** The largest share of the connections that one network may hold. */
const MAX_SHARE = 1 / 4
/** The requests of one connection. Well-behaved clients pipeline fewer. */
export const MAX_PIPELINED = 64
/** The requests of all connections together, at about 4 KB each. */
const MAX_PIPELINED_IN_ALL = 10_000

export type ConnectionStats = Connections['stats']

interface OpenConnection {
  /** The request that began last. */
  latest: HttpRequest | undefined
  /** Requests that began before the response to an earlier one had been sent, and whose own has not been sent either. */
  pipelined: number
}

/** Bounds the connections, each network's share of them, and the requests that they pipeline: what exceeds a bound is closed. */
export class Connections {
  readonly #share: FairShare
  readonly #open = new Map<Socket, OpenConnection>()
  #refused = 0
  #pipelined = 0
  readonly #warnRefused: () => void
  readonly #warnPipelined: () => void

  constructor(max: number, trustedProxies: number, log: Logger) {
    // Behind a trusted proxy, one address may hold all.
    this.#share = new FairShare(max, trustedProxies > 0 ? 1 : MAX_SHARE)
    this.#warnRefused = throttled((times) => logLine(log, 'connectionsRefused', { times }))
    this.#warnPipelined = throttled((times) => logLine(log, 'pipelinesClosed', { times }))
  }

  get size(): number {
    return this.#open.size
  }

  get sockets(): Iterable<Socket> {
    return this.#open.keys()
  }

  get areIdle(): boolean {
    return this.#open.values().every(isIdle)
  }

  get stats() {
    const pipelined: Occupancy = { current: this.#pipelined, limit: MAX_PIPELINED_IN_ALL }
    return { connections: this.#share.occupancy, refusedConnections: this.#refused, pipelined }
  }

  add(socket: Socket): void {
    const network = networkOf(peerAddress(socket) ?? '')
    if (this.#share.isFull || this.#share.hasFullShare(network)) {
      socket.destroy()
      this.#refused++
      this.#warnRefused()
      return
    }
    this.#share.take(network, 1)
    this.#open.set(socket, { latest: undefined, pipelined: 0 })
    socket.once('close', () => {
      this.#open.delete(socket)
      this.#share.release(network, 1)
    })
  }

  /** False if the connection has too many requests already. */
  begin(request: HttpRequest): boolean {
    const connection = this.#open.get(request.req.socket)
    if (connection === undefined) return false
    if (!isIdle(connection) && !this.#pipeline(connection, request)) return false
    connection.latest = request
    return true
  }

  #pipeline(connection: OpenConnection, request: HttpRequest): boolean {
    if (connection.pipelined >= MAX_PIPELINED || this.#pipelined >= MAX_PIPELINED_IN_ALL) {
      this.#warnPipelined()
      return false
    }
    connection.pipelined++
    this.#pipelined++
    request.onResponseSent(() => {
      connection.pipelined--
      this.#pipelined--
    })
    return true
  }

  latestRequest(socket: Socket): HttpRequest | undefined {
    return this.#open.get(socket)?.latest
  }

  isIdle(socket: Socket): boolean {
    const connection = this.#open.get(socket)
    return connection === undefined || isIdle(connection)
  }

  /** Calls back when the responses to all of a connection's requests so far have been sent, or can no longer be. */
  afterResponses(socket: Socket, next: () => void): void {
    const latest = this.latestRequest(socket)
    if (latest === undefined) next()
    else latest.onResponseSent(next)
  }
}

/** Whether all responses have been sent: they go in the order of the requests. */
const isIdle = ({ latest }: OpenConnection): boolean => latest === undefined || latest.res.closed
