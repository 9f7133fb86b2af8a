import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import type { Config } from '../../config.ts'
import { UserError } from '../../lib/user-error.ts'
import type { Collector } from '../../metrics/collect.ts'
import type { Context } from '../context.ts'

export type OnListening = (url: string) => void | Promise<void>

/** Resolves when the server has stopped. Each thread is added to the collectors once it listens. */
export type Serve = (
  config: Config,
  context: Context,
  collectors: Collector[],
  onListening: OnListening,
) => Promise<void>

type Address = Pick<Config, 'host' | 'port'>

type PortSetting = 'PORT' | 'METRICS_PORT'

/**
 * libuv accepts one connection per listener and event-loop tick: with a single listener, a new connection waits for
 * seconds while hundreds of busy connections fill each tick. Each listener takes a file descriptor.
 */
const LISTENERS = 16
const MIN_LISTENERS_PER_WORKER = 2

/** Workers share the port, so only the first checks that it is free. */
export const listen = (server: Server, config: Address & Pick<Config, 'workers'>, { isFirst = true } = {}) =>
  withListenErrors(config, 'PORT', async () => {
    const address = await resolve(config)
    if (isFirst) await probe(address)
    try {
      return await openAll(server, address, Math.max(MIN_LISTENERS_PER_WORKER, Math.ceil(LISTENERS / config.workers)))
    } catch (error) {
      // macOS and Windows cannot share ports.
      if ((error as NodeJS.ErrnoException).code !== 'ENOTSUP' || config.workers > 1) throw error
      return { port: await open(server, address), listeners: [server] }
    }
  })

/** Opens a single listener, which is enough for a server with few connections. Returns the port. */
export const listenAlone = (server: Server, address: Address, setting: PortSetting): Promise<number> =>
  withListenErrors(address, setting, async () => open(server, await resolve(address)))

export const assertPortIsFree = (config: Address): Promise<void> =>
  withListenErrors(config, 'PORT', async () => probe(await resolve(config)))

/** Resolves the name once, so that all listeners have the same address. */
async function resolve({ host, port }: Address): Promise<Address> {
  return { host: (await lookup(host)).address, port }
}

/** With SO_REUSEPORT, the kernel accepts a port that another program already uses. */
async function probe(address: Address): Promise<void> {
  if (address.port === 0) return
  const listener = createServer()
  await open(listener, address)
  listener.close()
}

/** The first listener is the server itself; the others forward their connections to it. */
async function openAll(server: Server, address: Address, count: number) {
  const port = await open(server, address, true)
  // node:http uses the same options for its own sockets.
  const others = Array.from({ length: count - 1 }, () =>
    createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket)),
  )
  const listeners = [server, ...others]
  try {
    await Promise.all(others.map((listener) => open(listener, { ...address, port }, true)))
    return { port, listeners }
  } catch (error) {
    // Open listeners would keep the program running.
    for (const listener of listeners) listener.close()
    throw error
  }
}

async function open(listener: Server, address: Address, reusePort = false): Promise<number> {
  listener.listen({ ...address, reusePort })
  await once(listener, 'listening')
  return (listener.address() as AddressInfo).port
}

async function withListenErrors<T>(address: Address, setting: PortSetting, action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw new UserError(listenErrorMessage(code, address, setting))
  }
}

export function listenErrorMessage(code: string, { host, port }: Address, setting: PortSetting): string {
  if (code === 'EADDRINUSE') return `port ${port} on ${host} is in use by another program; stop it, or set ${setting}`
  if (code === 'EACCES') return `port ${port} cannot be opened by this user; set ${setting} to one above 1023`
  if (code === 'ENOTSUP') return 'this system cannot distribute connections to workers; set WORKERS=1'
  if (code === 'EMFILE' || code === 'ENFILE') return 'cannot listen: too many open files; raise the limit (ulimit -n)'
  return `cannot listen on ${host}, port ${port} (${code}); check HOST and ${setting}`
}

export function localUrl(host: string, port: number): string {
  const isAnyAddress = host === '0.0.0.0' || host === '::'
  const name = isAnyAddress ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}
