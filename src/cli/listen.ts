import { type AddressInfo, createServer, type ListenOptions, type Server } from 'node:net'
import type { Config } from '../config.ts'
import { UserError } from '../lib/user-error.ts'

export type OnListening = (url: string) => void | Promise<void>

type Place = Pick<Config, 'host' | 'port'>

/** Gives the port, which is another than the one asked for if that was 0. */
export function listen(server: Server, { host, port }: Place, options: ListenOptions = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => reject(new UserError(cannotListen(error, { host, port })))
    server.once('error', refuse)
    server.listen({ host, port, ...options }, () => {
      server.off('error', refuse)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

/**
 * Listens on a port beside other threads of this process; new connections are spread over all who listen. The first must
 * see to it that the port is free: any program of the same user that shares it, too, would get a part of them.
 */
export async function listenBeside(server: Server, place: Place, { isFirst }: { isFirst: boolean }): Promise<number> {
  if (isFirst && place.port !== 0) await makeSureItIsFree(place)
  return listen(server, place, { reusePort: true })
}

export async function makeSureItIsFree(place: Place): Promise<void> {
  const probe = createServer()
  await listen(probe, place)
  await new Promise((resolve) => probe.close(resolve))
}

export function cannotListen({ code }: NodeJS.ErrnoException, { host, port }: Place): string {
  if (code === 'EADDRINUSE') return `port ${port} on ${host} is taken by another program; stop it, or set PORT`
  if (code === 'EACCES') return `port ${port} may not be opened by this user; set PORT to one above 1023`
  if (code === 'ENOTSUP') return 'this system cannot spread connections over workers; set WORKERS=1'
  return `cannot listen on ${host}, port ${port} (${code}); check HOST and PORT`
}

/** As a client on this machine would write it. */
export function urlOf(host: string, port: number): string {
  const isEverywhere = host === '0.0.0.0' || host === '::'
  const name = isEverywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}
