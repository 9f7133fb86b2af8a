import type { Server } from 'node:http'

const draining = new WeakSet<Server>()

/**
 * From now on /readyz says that the server will stop, and every response closes its connection; requests are answered as before.
 * A load balancer that checks /readyz sends no more of them, and so none meets the moment at which the server stops listening.
 */
export const announceStop = (server: Server): void => {
  draining.add(server)
}

export const isStopping = (server: Server): boolean => draining.has(server) || !server.listening
