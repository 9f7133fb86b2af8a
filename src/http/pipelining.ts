import type { Socket } from 'node:net'
import { FairShare, type Occupancy } from '../lib/fair-share.ts'
import { networkOf } from '../lib/network.ts'
import { peerAddress } from './client-address.ts'
import {
  type IncomingRequest,
  type OutgoingResponse,
  pauseReading,
  resumeReading,
  whenItsTurn,
} from './node-internals.ts'

/** Per connection. Well-behaved clients pipeline fewer. */
export const MAX_PENDING_RESPONSES = 16

/** Across all connections, at about 2 KB each. They are already in memory, because Node parses 64 KiB at a time. */
export const MAX_WAITING = 10_000
/** The largest share of one network. Beyond it, connections are closed. */
export const WAITING_SHARE = 1 / 2

interface PipeliningOptions {
  serve: (req: IncomingRequest, res: OutgoingResponse) => void
  isBusy: () => boolean
  afterTick: (task: () => void) => void
  onTooMany: () => void
}

interface PipelinedConnection {
  network: string
  /** Served requests whose responses wait for earlier ones. */
  pendingResponses: number
  waiting: number
}

/** Serves a few of a connection's requests at once and the rest in later ticks, so that no client delays others. */
export function createPipelining({ serve, isBusy, afterTick, onTooMany }: PipeliningOptions) {
  const connections = new WeakMap<Socket, PipelinedConnection>()
  const waiting = new FairShare(MAX_WAITING, WAITING_SHARE)

  function watch(socket: Socket): PipelinedConnection {
    const connection = { network: networkOf(peerAddress(socket) ?? ''), pendingResponses: 0, waiting: 0 }
    connections.set(socket, connection)
    socket.once('close', () => waiting.release(connection.network, connection.waiting))
    return connection
  }

  function wait(connection: PipelinedConnection, req: IncomingRequest, res: OutgoingResponse): void {
    const [{ network }, { socket }] = [connection, req]
    if (waiting.isRefused(network)) {
      onTooMany()
      socket.destroy()
      return
    }
    waiting.take(network, 1)
    if (connection.waiting++ === 0) pauseReading(socket)
    const serveNow = () => {
      if (socket.destroyed) return
      waiting.release(network, 1)
      if (--connection.waiting === 0) resumeReading(socket)
      serve(req, res)
    }
    whenItsTurn(res, () => afterTick(serveNow))
  }

  return {
    occupancy: (): Occupancy => waiting.occupancy,
    /** For a request whose response has no socket yet, since earlier ones are still to be sent. */
    schedule(req: IncomingRequest, res: OutgoingResponse): void {
      // The parser still finishes the bytes that it has read.
      if (req.socket.destroyed) return
      const connection = connections.get(req.socket) ?? watch(req.socket)
      if (connection.waiting > 0 || connection.pendingResponses >= MAX_PENDING_RESPONSES - 1 || isBusy())
        wait(connection, req, res)
      else {
        connection.pendingResponses++
        res.once('close', () => connection.pendingResponses--)
        serve(req, res)
      }
    },
  }
}
