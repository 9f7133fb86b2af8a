import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { networkOf } from '../lib/network.ts'
import { peerAddress } from './client-address.ts'
import { throttled } from './logging.ts'

/** An idle connection takes some 15 KB: all of them together 150 MB. */
const MAX_CONNECTIONS = 10_000
/** Of these, what one network may have, so that one client cannot keep the others out. */
const PORTION = 1 / 4

export interface ConnectionLimits {
  most: number
  mostEach: number
}

/** For the whole program: each worker has its part. All that comes through a proxy comes from one address. */
export function connectionLimits(program: { workers: number; trustedProxies: number }): ConnectionLimits {
  const { workers, trustedProxies } = program
  const most = Math.ceil(MAX_CONNECTIONS / workers)
  return { most, mostEach: trustedProxies > 0 ? most : Math.ceil(most * PORTION) }
}

/**
 * Closes connections beyond the limits at once: one that is not served costs little. They are counted here, not by
 * `maxConnections`, which holds for each listener alone.
 */
export function limitConnections(server: Server, { most, mostEach }: ConnectionLimits, log: Logger): void {
  const warn = throttled((times) => log.warn({ times }, 'refused connections: too many are open'))
  const byNetwork = new Map<string, number>()
  let all = 0
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
    if (all <= most && count <= mostEach) return
    socket.destroy()
    warn()
  })
}
