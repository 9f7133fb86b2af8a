import { type AddressInfo, createServer, type Server } from 'node:net'
import type { Config } from '../config.ts'
import { UserError } from '../lib/user-error.ts'

export type OnListening = (url: string) => void | Promise<void>

type Place = Pick<Config, 'host' | 'port'>

/**
 * libuv accepts one connection of a listener per turn of the event loop: with a single one, a new connection waits for
 * seconds while hundreds of busy connections fill each turn.
 */
const LISTENERS = 16

export interface Listening {
  /** Another than the one asked for if that was 0. */
  port: number
  /** The server itself, and those that pass their connections on to it. */
  listeners: readonly Server[]
}

/** Listens for a server that has the port to itself. */
export async function listenAlone(server: Server, place: Place): Promise<Listening> {
  return refusing(place, async () => {
    await probe(place)
    try {
      return await openAll(server, place)
    } catch (error) {
      // macOS and Windows share no ports.
      if ((error as NodeJS.ErrnoException).code !== 'ENOTSUP') throw error
      return { port: await open(server, place), listeners: [server] }
    }
  })
}

/** Listens beside other threads of this process: new connections are spread over all of them. */
export async function listenBeside(
  server: Server,
  place: Place,
  { isFirst }: { isFirst: boolean },
): Promise<Listening> {
  return refusing(place, async () => {
    if (isFirst) await probe(place)
    return openAll(server, place)
  })
}

export const makeSureItIsFree = (place: Place): Promise<void> => refusing(place, () => probe(place))

/** Any program of the same user that shares a port, too, would get a part of its connections. */
async function probe(place: Place): Promise<void> {
  if (place.port === 0) return
  const listener = createServer()
  await open(listener, place)
  // Frees the port before it returns, so that what follows at once leaves no time for another server to find it free, too.
  listener.close()
}

async function openAll(server: Server, place: Place): Promise<Listening> {
  const port = await open(server, place, { reusePort: true })
  const others = Array.from({ length: LISTENERS - 1 }, () => passingOnTo(server))
  const listeners = [server, ...others]
  try {
    await Promise.all(others.map((listener) => open(listener, { ...place, port }, { reusePort: true })))
    return { port, listeners }
  } catch (error) {
    // Those that are open would keep the program from ending.
    for (const listener of listeners) listener.close()
    throw error
  }
}

/** Its sockets are as those of node:http. */
function passingOnTo(server: Server): Server {
  return createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket))
}

function open(listener: Server, { host, port }: Place, options: { reusePort?: boolean } = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    listener.once('error', reject)
    listener.listen({ host, port, ...options }, () => {
      listener.off('error', reject)
      resolve((listener.address() as AddressInfo).port)
    })
  })
}

async function refusing<T>(place: Place, action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    throw new UserError(cannotListen(error as NodeJS.ErrnoException, place))
  }
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
