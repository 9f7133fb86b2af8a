import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { networkOf } from '../lib/network.ts'
import { logLine } from '../log-lines.ts'
import { peerAddress } from './client-address.ts'
import { throttled } from './logging.ts'

/** An idle connection takes about 15 KB: all of them together 150 MB. */
const MAX_CONNECTIONS = 10_000
/** The most that one network may have of them, so that one client cannot lock the others out. */
const MAX_SHARE = 1 / 4

export interface ConnectionLimits {
  max: number
  maxPerNetwork: number
}

/** How many there were since the start. */
interface RefusedConnections {
  readonly count: number
}

/** Each worker gets its part of the limit. Behind a proxy all connections come from one address, so it may have all. */
export function connectionLimits(program: { workers: number; trustedProxies: number }): ConnectionLimits {
  const { workers, trustedProxies } = program
  const max = Math.ceil(MAX_CONNECTIONS / workers)
  return { max, maxPerNetwork: trustedProxies > 0 ? max : Math.ceil(max * MAX_SHARE) }
}

/**
 * Closes connections beyond the limits as they are accepted. Counted here, because `maxConnections` holds for each listener
 * alone.
 */
export function limitConnections(
  server: Server,
  { max, maxPerNetwork }: ConnectionLimits,
  log: Logger,
): RefusedConnections {
  const warn = throttled((times) => logLine(log, 'connectionsRefused', { times }))
  const byNetwork = new Map<string, number>()
  let all = 0
  const refused = { count: 0 }
  server.on('connection', (socket: Socket) => {
    const network = networkOf(peerAddress(socket) ?? '')
    const count = (byNetwork.get(network) ?? 0) + 1
    byNetwork.set(network, count)
    all++
    socket.once('close', () => {
      const left = (byNetwork.get(network) ?? 0) - 1
      if (left > 0) byNetwork.set(network, left)
      else byNetwork.delete(network)
      all--
    })
    if (all <= max && count <= maxPerNetwork) return
    socket.destroy()
    refused.count++
    warn()
  })
  return refused
}
