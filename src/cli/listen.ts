import { type AddressInfo, createServer, type Server } from 'node:net'
import type { Config } from '../config.ts'
import { UserError } from '../lib/user-error.ts'

export type OnListening = (url: string) => void | Promise<void>

type Address = Pick<Config, 'host' | 'port'>

/**
 * libuv accepts one connection per listener and event-loop tick: with a single listener, a new connection waits for
 * seconds while hundreds of busy connections fill each tick.
 */
const LISTENERS = 16

export interface Listening {
  /** The chosen one, where 0 was asked for. */
  port: number
  /** The server itself, and the listeners that forward their connections to it. */
  listeners: readonly Server[]
}

/** Listens on a port that no other thread uses. */
export async function listenExclusively(server: Server, address: Address): Promise<Listening> {
  return withListenErrors(address, async () => {
    await probe(address)
    try {
      return await openAll(server, address)
    } catch (error) {
      // macOS and Windows cannot share ports.
      if ((error as NodeJS.ErrnoException).code !== 'ENOTSUP') throw error
      return { port: await open(server, address), listeners: [server] }
    }
  })
}

/** Listens on a port together with other threads of this process: new connections are spread over all of them. */
export async function listenShared(
  server: Server,
  address: Address,
  { isFirst }: { isFirst: boolean },
): Promise<Listening> {
  return withListenErrors(address, async () => {
    if (isFirst) await probe(address)
    return openAll(server, address)
  })
}

export const assertPortIsFree = (address: Address): Promise<void> => withListenErrors(address, () => probe(address))

/** Another program of the same user that shares the port would get some of its connections. */
async function probe(address: Address): Promise<void> {
  if (address.port === 0) return
  const listener = createServer()
  await open(listener, address)
  // Synchronous: what follows leaves no time for another server to find the port free.
  listener.close()
}

async function openAll(server: Server, address: Address): Promise<Listening> {
  const port = await open(server, address, { reusePort: true })
  const others = Array.from({ length: LISTENERS - 1 }, () => forwardingListener(server))
  const listeners = [server, ...others]
  try {
    await Promise.all(others.map((listener) => open(listener, { ...address, port }, { reusePort: true })))
    return { port, listeners }
  } catch (error) {
    // Open listeners would keep the program running.
    for (const listener of listeners) listener.close()
    throw error
  }
}

/** Its sockets have the options that node:http gives to its own. */
function forwardingListener(server: Server): Server {
  return createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket))
}

function open(listener: Server, { host, port }: Address, options: { reusePort?: boolean } = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    listener.once('error', reject)
    listener.listen({ host, port, ...options }, () => {
      listener.off('error', reject)
      resolve((listener.address() as AddressInfo).port)
    })
  })
}

async function withListenErrors<T>(address: Address, action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    throw new UserError(listenErrorMessage(error as NodeJS.ErrnoException, address))
  }
}

export function listenErrorMessage({ code }: NodeJS.ErrnoException, { host, port }: Address): string {
  if (code === 'EADDRINUSE') return `port ${port} on ${host} is in use by another program; stop it, or set PORT`
  if (code === 'EACCES') return `port ${port} cannot be opened by this user; set PORT to one above 1023`
  if (code === 'ENOTSUP') return 'this system cannot spread connections over workers; set WORKERS=1'
  return `cannot listen on ${host}, port ${port} (${code}); check HOST and PORT`
}

/** The URL for a client on this machine. */
export function localUrl(host: string, port: number): string {
  const isAnyAddress = host === '0.0.0.0' || host === '::'
  const name = isAnyAddress ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}
