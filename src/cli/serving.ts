import type { Server } from 'node:http'
import { type AddressInfo, Server as NetServer } from 'node:net'
import { createApp } from '../app.ts'
import type { Config } from '../config.ts'
import { Refusal } from '../gate/keys.ts'
import { describeFailure } from '../http/failure-log.ts'
import { connectionsOf } from '../http/server.ts'
import { openPublicStore, openSettingsStore } from '../storage/open.ts'
import { makeLogger } from './logger.ts'

const PATIENCE_MS = 10_000
const IDLE_GRACE_MS = 500

/** Serves until SIGTERM or SIGINT. `onListening` gets the address that clients can use. */
export async function serveUntilStopped(
  config: Config,
  onListening: (url: string) => void | Promise<void>,
): Promise<void> {
  const { log, flush } = makeLogger(config.logLevel)
  const store = await openPublicStore(config.database, {
    onUseFailure: (error) =>
      log.error({ failure: describeFailure(error) }, 'use records could not be written; they are kept and tried again'),
    onWakingFailure: (error) =>
      log.error(
        { failure: describeFailure(error) },
        'tasks that woke could not be marked; lists may be slow until they are',
      ),
  })
  const settingsStore = await openSettingsStore(config.database)
  if (settingsStore === undefined)
    log.warn('the settings page is off: the role in DATABASE_URL may not make keys; see docs/postgresql.md')
  try {
    const server = createApp(config, store, { log, settingsStore })
    // Before it listens: whoever sees that it does may tell it to stop at once.
    const stopping = stopSignal()
    await listen(server, config)
    await onListening(addressOf(server, config.host))
    const signal = await stopping
    log.info({ signal }, 'stopping')
    await stop(server)
    log.info('stopped')
  } finally {
    await settingsStore?.close()
    await store.close()
    await flush()
  }
}

function listen(server: Server, { host, port }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new Refusal(cannotListen(error, host, port))))
    server.listen({ host, port }, resolve)
  })
}

function cannotListen({ code }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === 'EADDRINUSE') return `port ${port} on ${host} is taken by another program; stop it, or set PORT`
  if (code === 'EACCES') return `port ${port} may not be opened by this user; set PORT to one above 1023`
  return `cannot listen on ${host}, port ${port} (${code}); check HOST and PORT`
}

function addressOf(server: Server, host: string): string {
  return urlOf(host, (server.address() as AddressInfo).port)
}

/** As a client on this machine would write it. */
export function urlOf(host: string, port: number): string {
  const isEverywhere = host === '0.0.0.0' || host === '::'
  const name = isEverywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}

function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => resolve(signal))
  })
}

/**
 * Takes no new connections, lets requests in flight finish, and waits no longer than is reasonable. A connection that
 * looks idle may have its next request on the way, so idle ones are given a moment before they are closed.
 */
async function stop(server: Server): Promise<void> {
  // Not server.close(), which closes idle connections at once.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_GRACE_MS)
  const deadline = setTimeout(() => {
    for (const socket of connectionsOf(server)) socket.destroy()
  }, PATIENCE_MS)
  await closed
  clearInterval(sweep)
  clearTimeout(deadline)
}
